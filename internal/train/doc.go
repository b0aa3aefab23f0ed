// Package train runs the training loop. Self-play fills a replay window, the
// learner trains the network on it, and the new network returns to self-play. At
// intervals the network plays matches that measure its strength.
//
// # A run is a directory
//
//	name                    of the run, which its games and networks bear
//	config.yaml             the settings, resolved
//	networks/gen-00012.safetensors  every network
//	learner/step-0000003456.safetensors  weights, optimiser moments and counters; the latest two
//	games/*.parquet         every finished game
//	matches/gen-00012-random.json  results of matches
//	matches/gen-00012/games.jsonl  the games of a measurement, as arena.Tournament logs them;
//	                               damaged lines are moved to games.jsonl.damaged
//	matches/gen-00012-gatekeeper/games.jsonl  the games of the gatekeeper's match
//	matches/ladder-00012.json  a network's rating, from all matches up to then
//	metrics.jsonl, tensorboard/  the series
//	discarded.json          numbers of games that stay out of the replay window
//	lock                    held while a process works on the run
//
// # Interruptions
//
// A run may be killed at any moment. The same command continues it. Networks,
// checkpoints, shards and records are written to a temporary file and then
// renamed. A game counts as saved once its shard is written, and the learner's
// counters include only saved games. A kill loses at most the games since the
// last shard and the steps since the last checkpoint; both are done again. There
// is a checkpoint every minute, also while the learner waits for games or
// matches, so a kill gives back at most about a minute of the run's time.
//
// While no process works on the run, its games may be moved elsewhere, all or
// some of them. The run then continues with the numbers after them, and its replay
// window begins with those that are there. Those that are gone count as trained on:
// without any, the next network waits for a generation of new ones. Each counts once,
// also when it is back. Without its games, a copy of a run is small.
//
// # Strength
//
// At regular intervals, given in generations, the network that plays is
// measured. It plays the baselines, the first network and the network measured
// before it, except those that have become too easy, and all matches of the run
// together rate these players on one scale. With a gatekeeper, self-play uses a
// new network only after it passes a sequential test against the one that plays.
// Training continues from it whether it passes or not.
//
// # Stages
//
// The settings may change in the course of a run ([recipe.Config.StageList]). The first generation that
// ends when the share of a stage is done begins that stage. Its network is the last that the stage
// before has trained, and the learner continues from it as a new run would, with a fresh optimiser and the
// stage's own learning rate, on a replay window of the stage's size. If the stage has a larger network,
// that network grows ([net.Network.Grow]), and is first trained on what the window holds; meanwhile self-play
// continues with the smaller one. A run that ends before keeps the smaller one as its newest.
//
// # Asynchronous and synchronous mode
//
// By default self-play and learning run at the same time. New games use the
// newest network that plays, and self-play waits only when it is too far ahead of
// training. In synchronous mode each generation plays a fixed number of games and
// then trains. That is slower, but the same seed gives the same run, with or
// without interruptions.
//
// # The parts of a run
//
// A [Run] joins its parts: the schedule, which is all that depends on the progress of the run (schedule.go),
// the beginning of stages (stage.go), the counters and the time (progress.go), the directory (dir.go), the
// games (store.go), the learner and its checkpoints (training.go), the networks that play (networks.go,
// publisher.go), self-play (selfplay.go), matches (matches.go, ladder.go, gate.go) and reports (reports.go,
// point.go). The loop says who plays, who learns, and when (loop.go).
//
// # Learning from recorded games
//
// [Offline] trains a network on the games of a run ([Recorded]) without playing. It
// draws the same minibatches as a run with that replay window would, so the same seed
// gives the same network. The run's directory is only read.
package train
