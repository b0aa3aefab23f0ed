// Package aei speaks the Arimaa Engine Interface, version 1: lines of text
// between a program that shows, referees or arranges games (the controller) and
// a program that plays (the engine).
//
// Both sides are here. [Serve] is the engine's side, over any reader and writer
// and with any [Engine] behind it. [Client] is the controller's side, over a
// process that it starts, watches and ends. [ParseMove] and the options for the
// time control of package clock serve both sides.
//
// Neither side trusts the other. The length of a line, the output of an engine
// and its time to answer are limited. A fault is answered by one line of log or
// one error, and the session continues wherever the protocol allows it.
//
// The package knows the rules and nothing of search. Package think and warren engine
// put a network behind the server; package arena makes the client a player.
package aei
