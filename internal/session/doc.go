// Package session lets a person play against a player at one board. It holds
// the game so far and the opponent's seat, and provides advice from a network,
// take-back, saving and loading. It prints nothing and needs no terminal, so
// both warren play and a web page can use it. It uses package arena for players
// and seats, think for advice, and alphabeta for a good setup.
//
// The program between the person and the session asks the [Session] what can be
// played ([Session.Legal]), makes the person's actions ([Session.Play],
// [Session.EndTurn]), and calls [Session.Reply] when it is the opponent's turn:
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
