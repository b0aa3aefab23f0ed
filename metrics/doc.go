// Package metrics carries what a run measures from where it is measured to
// whoever wants to know.
//
// The loop publishes a [Point], the values of one generation or interval, to a
// [Sink]. Sinks write JSON lines ([OpenLines]), TensorBoard event files
// ([OpenEvents]) or log lines ([Log]); [Tee] feeds several; a [Feed] passes
// values on to subscribers that come and go, such as a page to watch the run.
// What was written can be read back: [ReadLines], [Series].
//
// What is going on between two points is a [Status]. [Progress] shows it to
// people: a bar on a terminal, log lines elsewhere. A [Rate] is the speed of a
// growing count over a sliding window.
//
// The package knows nothing of games or networks: the names of values, such as
// loss/policy, are the publisher's.
package metrics
