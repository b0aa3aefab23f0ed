package hub

import "flag"

var (
	kills       = flag.Int("campaign", 5, "processes that the fault campaign kills")
	crowd       = flag.Int("workers", 50, "workers of the load test")
	duration    = flag.Duration("load", 0, "how long the load test lasts; 0 is until each worker has handed in a few games")
	natsServer  = flag.String("nats-server", "", "program of the outside servers; if empty, nats-server's own package in a process")
	withLearner = flag.Bool("learner", false, "whether the load test feeds a learner")
	speed       = flag.Duration("speed", 0, "time for each measurement of the workers' speed; 0 is none")
	flips       = flag.Int("flips", 4, "bits that are flipped in the hub's files")
	elsewhere   = flag.String("elsewhere", "", "command of a worker with other kernels, such as \"qemu-aarch64 hub.arm64.test\"; if empty, this program in plain Go")
	messages    = flag.Int("messages", 3000, "messages made by chance")
)
