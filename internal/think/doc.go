// Package think plays one game with a network: it searches with one or several
// threads, keeps the time, and chooses what to play. Matches, levels, hints, the page
// and the engine all choose through it. (Self-play has many games at once in a goroutine,
// and learns from every search, so package selfplay drives its own.)
//
// [Engine.Turn] chooses a whole turn within limits on time or visits, [Engine.Act] a
// single action, which may be drawn at a temperature. With [Config.Tactics] both win where
// a turn wins at once, and refuse an action after which the opponent wins next turn. It
// is for play; where searches are compared at equal visits it is off, so that ratings
// measure the search alone.
//
// All threads share one tree, an [mcts.Search] under a lock. Each thread takes a
// few leaves, evaluates them as a batch outside the lock, and returns them. Leaves
// in flight count as losses, which sends other threads elsewhere. The tree is kept
// from step to step of a turn, and with [Config.Keep] from turn to turn.
//
// A device that computes by itself gets larger batches. While some threads wait for it,
// the others gather leaves. At most a sixteenth of the tree's visits are in flight, so
// large batches begin when the tree is large.
//
// With one thread, batches of one position and no limit but visits, a turn depends only
// on the game, the kept tree and the draws. With more threads or a clock it also depends on timing.
package think
