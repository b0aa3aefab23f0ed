// Package mcts implements Monte Carlo tree search over single steps of Arimaa.
// It is built on the packages game and tactics. Self-play, matches and the
// thinking engine are built on it.
//
// A search works by reverse communication. It never evaluates a position and
// never waits: [Search.Select] hands out a leaf, and the caller returns its
// evaluation by [Search.Expand], whenever and in whatever order it likes.
//
//	s.Reset(g)
//	s.Begin(800, rng)
//	for s.Simulations() < 800 {
//		leaf, status := s.Select()
//		switch status {
//		case mcts.Evaluate:
//			priors, value := evaluate(leaf.Game, leaf.Legal)
//			s.Expand(leaf, mcts.Evaluation{Priors: priors, Value: value})
//		case mcts.Finished: // the simulation needed no evaluation
//		case mcts.Wait: // only with leaves in flight: return one first
//		}
//	}
//	out, ok := s.Outcome(temperature, rng)
//	s.Advance(out.Action)
//
// # Search, rules and caller
//
// The search owns the tree. It runs simulations, backs up values and, when an
// action is played, keeps what remains valid. The caller evaluates, decides how
// many simulations a step gets, and gives the temperature and the random
// numbers.
//
// Two rules decide what is searched and what the result is. [Config.Rule] names
// them; a program that imports the package cannot add its own. The interior rule
// chooses an edge at a node below the root. The root rule prepares the root,
// for example with noise, chooses its edge for each simulation, and turns the
// finished search into an [Outcome]: the action to play and the policy target.
// Rules read the tree; they may change only the root's priors. There are
// puct (Silver et al. 2018) and gumbel (Danihelka et al. 2022), and [Config] has the
// settings of both.
//
// # Setups
//
// A [Search] can choose each placement of a setup. [Setup] is another way: it draws
// them from the policy, without a search.
//
// # Values
//
// Every value is a chance to win in [0, 1] and belongs to a player. The steps
// of one turn are made by the same player, so an edge between two nodes with
// the same side to move keeps the value v. Only a change of player makes it
// 1-v. An edge's Q is seen by the player who chooses that edge. Sums of values are
// whole numbers of 2^-32 (sum.go), exact for a billion visits in any order.
//
// # Proofs
//
// With [Config.Proofs] the search backs up who wins for certain, avoids lost
// actions and stops at a proven root. The win tests find such leaves by the rules:
// wins within the turn, and losses by the opponent's next turn. An edge whose
// winner is certain keeps the nodes behind it, so that a proof can be played out, unless
// [Search.Prune] drops them.
//
// # Leaves in flight
//
// A simulation counts as a visit from the moment its leaf is handed out, and
// its value is added when the evaluation returns. In between it counts as a
// loss for both players on its path (a virtual loss of one, Chaslot, Winands
// and van den Herik 2008), which sends the next simulation elsewhere. With one
// leaf in flight at a time, as in self-play, this has no effect.
//
// # Positions and choices
//
// A node holds the data of a position, and an edge the data of a choice. One
// edge leads to each node, and no node knows its parent. A leaf keeps the path
// by which it was reached, and values are backed up along that path.
// [Search.Advance] keeps what is below the new root. Positions that several
// orders of steps lead to are several nodes; they share one evaluation, and
// [Search.AdvanceTo] keeps what is below one with a proven win, or the one with the most visits.
//
// # Memory
//
// Nodes and edges live in flat slices that grow up to a limit given to [New],
// which documents their sizes. A simulation does not allocate once they have
// grown.
package mcts
