// Package train ties the rooms together: self-play fills a replay window, the
// learner trains the network on it, the new network goes back to self-play,
// again and again, and now and then plays a match to show what it has learnt.
//
// # A run is a directory
//
//	config.yaml             the settings, resolved
//	networks/gen-00012.safetensors  every network
//	learner/step-00003456.safetensors  weights, optimiser moments and counters; the latest two
//	games/*.parquet         every finished game
//	matches/gen-00012-random.json  results of matches
//	matches/gen-00012/games.jsonl  the games of a measurement, as match.Tournament logs them
//	matches/gen-00012-gatekeeper/games.jsonl  those of the gatekeeper's match
//	matches/ladder-00012.json  a network's rating, by all matches until then
//	metrics.jsonl, tensorboard/  the series
//	lock                    held while a process works on the run
//
// # The promise
//
// A run may be killed at any moment and goes on when the same command is given
// again. Every file is written whole and then renamed. A game counts as saved
// once its shard is written; the learner's counters never count one that is
// not. What a kill can lose is the games since the last shard and the steps
// since the last checkpoint, and both are done again.
//
// # How strong it is
//
// Every so many generations the network that plays is measured: it plays the
// baselines, the first network and the one measured before it, and all of them
// are rated on one scale by all the run's matches. With a gatekeeper a new
// network must also win a sequential test against the one that plays before
// self-play uses it; it is kept and learnt on from in any case.
//
// # Asynchronous or synchronous
//
// By default self-play never waits for the learner: it takes up each new
// network between games, and is only held back when it has run too far ahead
// of what has been trained on. In synchronous mode a generation is a fixed
// number of games, then training, and so on: slower, but the same seed gives
// the same run, whether it was interrupted or not.
package train
