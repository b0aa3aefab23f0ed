// Package observe reports what a program does. Self-play, learning and matches send
// each [Event] to an [Observer]. The series on disk, the log, the counts of
// self-play and the progress display are observers. The code that sends events
// does not know which observers there are.
package observe
