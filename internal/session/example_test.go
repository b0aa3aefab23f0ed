package session_test

import (
	"context"
	"fmt"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/session"
)

func Example() {
	s := session.New(session.Config{Opponent: arena.Greedy{}, Side: game.Gold, Seed: 1})
	defer s.Close()
	if err := s.PlayTurn("Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Rh2"); err != nil {
		panic(err)
	}
	if _, err := s.Reply(context.Background(), nil); err != nil { // Silver's setup
		panic(err)
	}

	// Where can the elephant on e2 go?
	legal, err := s.Legal()
	if err != nil {
		panic(err)
	}
	for _, a := range legal {
		if a.IsStep() && a.From().String() == "e2" {
			fmt.Println("the elephant can step to", a.To())
			if err := s.Play(a); err != nil {
				panic(err)
			}
		}
	}
	fmt.Println(s.Game().StepsLeft(), "steps left")
	if err := s.EndTurn(); err != nil {
		panic(err)
	}
	fmt.Println(s.Game().TurnLabel(), "is next")

	if err := s.Undo(); err != nil {
		panic(err)
	}
	fmt.Println("back at", s.Game().TurnLabel())
	// Output:
	// the elephant can step to e3
	// 3 steps left
	// 2s is next
	// back at 2g
}
