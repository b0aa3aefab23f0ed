package hub

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Format is the version of what hub and worker say to each other. The version of the records is
// [data.Version]; both must be the same on both sides.
const Format = 1

// Subjects. A worker publishes to the short one in its own account, and the server adds the public
// key of the account on the way to the hub.
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
	nextKey       = "next" // the lowest number never leased
	leasesBucket  = "leases"
	networksStore = "networks"
)

// readable are the subjects by which a worker reads what it may read: single messages of the bucket
// and of the store. None of them can change anything, or have the server send anything elsewhere than
// in answer.
var readable = []string{
	directGet + "KV_" + warrenBucket + ".>",
	directGet + "OBJ_" + networksStore,
	directGet + "OBJ_" + networksStore + ".>",
}

const (
	// maxGame bounds a game's message. A game of 200 turns with 100 visits a step has some 30 kB.
	maxGame = 512 << 10
	// maxRecord bounds a record once it is unpacked.
	maxRecord = 8 << 20
	// maxPayload bounds any message.
	maxPayload = 1 << 20
	// chunk is the size of the pieces of a network.
	chunk = 256 << 10
)

func gamesConfig(o *Options) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        gamesStream,
		Description: "finished games that are not in a shard yet",
		Subjects:    []string{gameSubject + ".*"},
		Retention:   jetstream.WorkQueuePolicy,
		Storage:     jetstream.FileStorage,
		Replicas:    o.Replicas,
		MaxMsgSize:  maxGame,
		MaxBytes:    o.MaxBytes,
		// A worker that floods the hub, or a learner that is away, fills a worker's own share only.
		MaxMsgsPerSubject:    o.PerWorker,
		DiscardNewPerSubject: true,
		// What has been acknowledged is never dropped to make room, nor for its age.
		Discard:    jetstream.DiscardNew,
		Duplicates: 10 * time.Minute,
	}
}
