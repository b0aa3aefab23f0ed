// Package aei speaks the Arimaa Engine Interface, version 1: lines of text by
// which a program that shows, referees or arranges games (the controller) talks
// with one that plays (the engine).
//
// Both sides are here. [Serve] is an engine's side, over any reader and writer
// and with any [Engine] behind it; [Client] is a controller's, over a process
// that it starts, watches and ends. What the two share are [Clock], the time
// control that the protocol's options describe, and [ParseMove].
//
// Neither side trusts the other. A line has a limit, and so has what an engine
// may write and how long it may take; what is wrong is answered by one line of
// log or one error, and the session goes on wherever the protocol lets it.
//
// The package knows the rules and nothing of search: package think and
// cmd/aei put a network behind the server, package match a seat at the table
// before the client.
package aei
