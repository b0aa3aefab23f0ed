// Package page serves a web page on which one watches a run, studies its games
// and plays. A [Server] is an http.Handler over run directories, finished or
// live. A [Live] observes the training of this process for it.
//
// # What it reads
//
// A run is read from its files: the series, the shards of games and the
// networks. A request names a run by its place in the list, a network by its
// generation and a game by its number, never by a path. The server changes
// nothing in a run directory. It keeps the headers of a bounded number of games
// in memory, and no games.
//
// # What it never does
//
// It never holds up training. Live notes the latest state of a few games, and a
// stream of events sends what the state is twice a second: there is no queue
// that a slow reader could fill.
//
// # Who may read
//
// On a loopback address everybody on the machine may, under a host name that is
// the machine's own. On any other address a visitor needs a token, which is
// printed once; the page exchanges it for a cookie. A GET changes nothing, a
// POST comes from the page itself, and the content security policy allows
// nothing but the page's own files.
package page
