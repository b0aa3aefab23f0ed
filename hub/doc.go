// Package hub lets many machines play for one learner: games come in, networks go out.
//
// The engine is NATS JetStream (https://docs.nats.io). This package says only what is kept in it
// and who may do what. A [Server] is the engine embedded in the learner's process; an outside
// server or cluster does the same. A [Hub] is the learner's side and a [Worker] is a machine that
// plays. A run in one process uses none of this.
//
// # What is kept where
//
//	stream games            finished games on their way, one a message, on warren.game.ACCOUNT
//	object store networks   the networks that were published, named by their hashes
//	bucket warren           job: how games are played; network: what they are played with now
//	bucket leases           which game numbers were given to whom; a lease expires
//
// The run directory has the rest: games in shards, networks, the keys and the list of workers.
//
// # Contract
//
// A number is leased to one worker, once. A number that comes to nothing is never played, so a
// hub plays runs in asynchronous mode only.
//
// A game counts when the rules core has validated it and it is what a worker can have made of its
// number, and when its shard is on the disk. Only then is its message acknowledged and deleted, so a
// learner that is killed gets it again, and the hash of the record says whether it is known. A
// worker keeps a finished game on its own disk until the stream has synced it.
//
// The order of the games is that of their arrival at the learner: see package data.
//
// # Who may do what
//
// Every worker has an account of its own, with nothing in it but the way to the hub: it asks for
// numbers, hands in games, and reads the networks and the bucket warren. The server puts the
// account's public key into the subject of what it sends, so no worker can speak in the name of
// another, and answers reach only the account that asked. See docs/security.md.
package hub
