// Package metrics records the measurements of a run and shows its progress.
//
// The training loop publishes a [Point], the values of one generation or interval,
// to a [Sink]. Sinks write JSON lines ([OpenLines]), TensorBoard event files
// ([OpenEvents]) or log lines ([Log]), or keep the newest values ([Newest]). [Tee]
// writes to several sinks. [ReadLines] and [Series] read JSON lines back.
//
// A [Status] describes the work in progress between two points. [Progress] shows it
// to people, as a bar on a terminal and as log lines elsewhere. A [Rate] measures the
// speed of a growing count over a sliding window.
//
// The package knows nothing about games or networks. The publisher chooses the names
// of values, such as loss/policy.
package metrics
