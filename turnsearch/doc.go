// Package turnsearch searches over whole turns, beside the search over single
// steps of package mcts. It is built on the rules, on package tactics, and on
// the types of package mcts that a search and its caller exchange.
//
// A turn of Arimaa is up to four steps, and a search of a hundred evaluations
// over steps seldom sees the opponent's answer. This search spends its
// evaluations in stages:
//
//  1. An exact test for a win within the turn. If there is one it is played.
//  2. The turn's own positions, level by level, the best of each by joint prior:
//     the product of the network's priors along the steps. Equal positions are
//     merged and their probabilities added.
//  3. The likeliest ends of the turn, each judged by the network's value. An end
//     after which the opponent wins within a turn is lost.
//  4. The best ends, judged by the opponent's replies, which are found in the
//     same way. Sequential halving shares the evaluations among them.
//
// In self-play the ends of stage 3 are sampled without replacement from the joint
// prior, by Gumbel noise that is passed down the tree (Kool et al. 2019), so that
// the search explores; in matches nothing is random.
//
// The result is an improved policy over the ends of the turn, prior times
// exp(beta*value) (Danihelka et al. 2022). Spread back over the steps that lead
// to the ends, it is a policy target for every position of the turn; see
// [Search.Outcome]. docs/turns.md describes the method and its sources.
//
// # One contract
//
// A [Search] works by reverse communication, with the methods of [mcts.Search],
// and a caller drives both alike. Its plan is a number of evaluations for the
// whole turn. Once a turn has been chosen, the caller gets its actions one by one:
// after [Search.Advance] the plan is already fulfilled, and [Search.Outcome] and
// [Search.Root] speak of the next step. A search may be stopped at any time after
// its first evaluation. Placements are searched by the [mcts.Search] given to
// [New].
//
// Values are chances to win in [0, 1]. After their memory has grown, searches do
// not allocate.
package turnsearch
