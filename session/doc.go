// Package session is what a person and a player do at one board: the game so
// far, the opponent's seat, advice from a network, take-back, saving and loading.
// It knows no terminal and prints nothing, so that cmd/play and a page can stand
// on it. It stands on match for players and seats, on mcts for advice, and on
// alphabeta for a good setup.
//
// The program in between asks the [Session] what can be played ([Session.Legal]),
// makes the person's actions ([Session.Play], [Session.EndTurn]), and calls
// [Session.Reply] when it is the opponent's turn:
//
//	for !s.Result().Over() {
//		if s.Game().Side() == s.Side() {
//			... s.Play(actions...)
//		} else {
//			... s.Reply(ctx, nil)
//		}
//	}
//
// A call that returns an error leaves the game as it was.
package session
