// Package watch is how a program is observed: what happens in self-play,
// learning and matches is told to an [Observer] as an [Event]. The series on
// disk, the log, the counts of self-play and the progress display are observers,
// and a page is one more; whoever makes something happen knows none of them.
//
// The package stands on the rooms whose things events are about: games, their
// records, searches and losses. Self-play and the training loop stand on it.
package watch
