// Package session is what a person and a player do at one board: the game as it
// has gone, the opponent's seat, advice from a network, taking back, saving and
// going on. It knows no terminal and prints nothing, so that cmd/play and a page
// can stand on it. It stands on match for players and seats, on mcts for advice,
// and on alphabeta for a good setup.
//
// A person's program asks the [Session] what can be played ([Session.Legal]),
// makes the person's actions ([Session.Play], [Session.EndTurn]) and lets the
// opponent answer ([Session.Reply]) while it is the opponent's turn:
//
//	for !s.Result().Over() {
//		if s.Game().Side() == s.Side() {
//			... s.Play(actions...)
//		} else {
//			... s.Reply(ctx, nil)
//		}
//	}
//
// What went wrong is told by errors, which change nothing: after one the game
// stands as before.
package session
