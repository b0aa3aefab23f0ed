// Package mcts is the tree search: PUCT (Silver et al. 2018) over single steps
// of Arimaa. It stands on package game alone; self-play and matches stand on it.
//
// A search works by reverse communication. It never evaluates a position and
// never waits: [Search.Select] hands out a leaf, and its caller brings the
// evaluation back by [Search.Expand], whenever and in whatever order it likes.
//
//	for s.Simulations() < 800 {
//		leaf, status := s.Select()
//		switch status {
//		case mcts.Evaluate:
//			priors, value := evaluate(leaf.Game, leaf.Legal)
//			s.Expand(leaf, priors, value)
//		case mcts.Finished: // the simulation needed no evaluation
//		case mcts.Wait: // only with leaves in flight: bring one back first
//		}
//	}
//
// # Values
//
// Every value is a chance to win in [0, 1], and belongs to a player. The steps
// of one turn are made by the same player, so an edge between two nodes with
// the same side to move keeps the value v, and only a change of player makes
// it 1-v. An edge's Q is seen by the player who chooses that edge.
//
// # Leaves in flight
//
// A simulation counts as a visit from the moment its leaf is handed out, and
// its value is added when the evaluation comes back. In between it weighs as a
// loss for everyone on the path (a virtual loss of one, Chaslot, Winands and van
// den Herik 2008), which sends the next simulation elsewhere. With one leaf in
// flight at a time, as in self-play, this has no effect at all.
//
// # Memory
//
// Nodes and edges live in flat slices that grow up to a bound given to [New];
// the figures are documented there. A simulation does not allocate once they
// have grown.
package mcts
