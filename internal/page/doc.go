// Package page serves a web page for watching a run, studying its games and
// playing. A [Server] is an http.Handler over run directories, finished or
// live. A [Live] observes the training in this process for the server.
//
// # Data
//
// The server reads a run from its files: the settings, the series, the shards of
// games and the networks. A request names a run by its index in the list, a network by
// its generation and a game by its number. It never names a path. The server
// changes nothing in a run directory; only [RateLevels] adds to it. The server
// keeps the headers of a bounded number of games in memory, but no games.
//
// # Training
//
// The server never delays training. Live stores the latest state of a few
// games, and a stream of events sends the current state twice a second. There
// is no queue that a slow reader could fill.
//
// # Access
//
// On a loopback address, everybody on the machine has access, under a loopback
// host name. On any other address, a visitor needs a token, which is printed
// once. The page exchanges it for a cookie. A GET changes nothing. A POST is
// accepted only from the page itself. The content security policy allows only
// the page's own files.
//
// # Front end
//
// The files in assets are plain JavaScript modules and one style sheet; a test
// keeps them under 600 kB. They do not know the rules: the program sends the
// legal steps with every position, and every position of a replay in full.
//
// If Node.js is present, go test also tests the modules that need no browser. If
// Chromium is present, and after npm ci --ignore-scripts in this directory, it
// drives the page of a real run, in windows of five sizes, light and dark.
package page
