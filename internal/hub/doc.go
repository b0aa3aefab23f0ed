// Package hub lets many machines play for one learner. It receives their games and sends them
// networks.
//
// Messages and storage are handled by NATS JetStream (https://docs.nats.io). This package defines
// only the stored data and the permissions. A [Server] is a NATS server embedded in the learner's
// process. An outside server or cluster can take its place. A [Hub] is the learner's side and a
// [Worker] is a machine that plays. A run in one process does not use this package.
//
// # Storage
//
//	stream games            finished games in transit, one per message, on warren.game.ACCOUNT
//	object store networks   the published networks, named by their hashes
//	bucket warren           job: the settings of the games; network: the network in use
//
// None of it has to last: the hub writes it anew when it starts, and a worker sends a game again that the
// stream has lost. The run directory holds the rest: games in shards, networks, the keys and the list of workers,
// and in files of checksummed lines the game numbers given to each worker and what was published.
//
// # Contract
//
// A number is leased to one worker, once. If its game is never finished, the number stays unused.
// For this reason a hub plays runs in asynchronous mode only.
//
// A game counts once the rules core has validated it, the hub has checked that a worker can have
// played it under that number, and its shard is on disk. Only then is its message acknowledged and
// deleted. A learner that was killed therefore receives the game again, and recognizes a known game
// by the hash of its record. A worker keeps a finished game on its own disk until the hub has said that it
// is in a shard.
//
// Games are ordered by their arrival at the learner: see package data/replay.
//
// # Matches
//
// A game of a match is given to a worker that asks, and its actions come back with a later request. It
// is not stored anywhere: a tournament keeps its finished games itself, and plays the others again.
//
// # Permissions
//
// Every worker has its own account, which gives access only to the hub: the worker can ask for
// numbers, send games, and read the networks and the bucket warren. The server adds the account's
// public key to the subject of each message, so no worker can send in the name of another. Answers
// reach only the account that asked. See docs/explanation/security.md.
package hub
