// Package data keeps the games of a run and hands out training samples from them.
//
// It stands between self-play, which finishes games, and training, which learns from positions.
// It knows the rules ([warren/game]) and nothing of networks or searches.
//
//   - A [Record] is one finished game with what the search found at every decision. Its identity is the [Hash] of
//     its content: a record that arrives twice changes nothing.
//   - A shard ([WriteShard], [OpenShard]) is a Parquet file of records that never changes once it has its name.
//   - An [Index] ([Scan]) says which games a directory of shards holds; damaged shards are set aside.
//   - A [Window] holds the newest games up to a number of positions and samples uniformly from them.
//     A [Replay] is the two windows of a run, one for training and one held out.
//
// # What is promised
//
// The same records give the same bytes: no clock, host name or random number enters a record or
// a shard. What a window holds depends on which records were added and not on the order they
// came in or on how often, so a window restored from the shards is the window of the run that
// was never interrupted. Samples depend on that content and the random source given, and on
// nothing else.
//
// A shard whose bytes are not those that were written is found out before any of them is
// interpreted.
package data
