package hub

import "time"

// Condition is the state of a worker, for a display.
type Condition struct {
	Queue   int           // games that the hub has not received
	Unsaved int           // games that the hub has received, and that are not in a shard as far as is known
	Numbers int           // leased and not started
	Network int           // generation
	Latency time.Duration // until the hub had received the last game
	Behind  bool          // the learner is behind, so there are no numbers
	CutOff  bool
}

// Condition returns the state of the worker.
func (w *Worker) Condition() Condition {
	w.mu.Lock()
	numbers := len(w.numbers)
	w.mu.Unlock()
	return Condition{
		Queue: w.spool.size(), Unsaved: w.spool.unsaved(), Numbers: numbers, Network: w.Latest().Origin.Generation,
		Latency: time.Duration(w.latency.Load()), Behind: w.behind.Load(), CutOff: !w.conn.IsConnected(),
	}
}
