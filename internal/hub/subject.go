package hub

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Format is the version of the messages between hub and worker, and of how games are played with given settings. The
// version of the records is [data.Version]. Hub and worker must have the same versions of both.
const Format = 13

// Subjects. A worker publishes to these in its own account. The server appends the account's public
// key on the way to the hub.
const (
	gameSubject  = "warren.game"
	leaseSubject = "warren.lease"
	accountToken = 3 // position of the account's public key in the hub's subjects
)

// Names in JetStream.
const (
	gamesStream   = "games"
	learner       = "learner" // consumer of gamesStream
	warrenBucket  = "warren"
	jobKey        = "job"
	networkKey    = "network"
	networksStore = "networks"
)

// readable lists the subjects through which a worker reads single messages of the bucket and the
// store. None of them can change data, or make the server send messages anywhere but to the worker.
var readable = []string{
	directGet + "KV_" + warrenBucket + ".>",
	directGet + "OBJ_" + networksStore,
	directGet + "OBJ_" + networksStore + ".>",
}

const (
	// maxGame limits the message of a game. A game of 200 turns with 100 visits a step has about 30 kB.
	maxGame = 512 << 10
	// maxRecord limits an unpacked record.
	maxRecord = 8 << 20
	// maxPayload limits any message.
	maxPayload = 1 << 20
	// maxPending limits what a server keeps for a connection that does not read.
	maxPending = 16 << 20
	// maxStore is no limit on the disk: each stream has its own, and what a full disk does is said when it
	// happens. By default, NATS reserves three quarters of what is free at its start, which a restart no
	// longer finds when the streams have grown.
	maxStore = 1 << 50
	// chunk is the size of the pieces of a network.
	chunk = 256 << 10
)

func gamesConfig(o *Options) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        gamesStream,
		Description: "finished games that are not in a shard yet",
		Subjects:    []string{gameSubject + ".*"},
		// The intake clears games away in bulk. A work queue would remove each as it is acknowledged, and
		// sync the disk each time.
		Retention:  jetstream.LimitsPolicy,
		Storage:    jetstream.FileStorage,
		Replicas:   o.Replicas,
		MaxMsgSize: maxGame,
		MaxBytes:   o.transitBytes,
		// If a worker floods the hub, or the learner is away, each worker fills only its own share.
		MaxMsgsPerSubject:    o.PerWorker,
		DiscardNewPerSubject: true,
		// Acknowledged games are never dropped to make room or because of their age.
		Discard:    jetstream.DiscardNew,
		Duplicates: 2 * time.Minute,
	}
}
