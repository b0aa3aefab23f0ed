package arena_test

import (
	"context"
	"fmt"

	"warren/internal/arena"
)

// A tournament rates its players on one scale. With a directory instead of ""
// it could be stopped and continued with.
func ExampleTournament() {
	var names arena.Names
	var entrants []*arena.Entrant
	for _, text := range []string{"random", "alphabeta:nodes=100,label=seer", "random:label=chance"} {
		e, err := names.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		entrants = append(entrants, e)
	}
	t, err := arena.NewTournament("", arena.TournamentConfig{
		Rules: arena.Rules{Seed: 1, TurnLimit: 60}, Games: 4, Anchor: "random",
	}, entrants)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	if err := t.Run(context.Background(), nil); err != nil {
		fmt.Println(err)
		return
	}
	standings, err := t.Standings()
	if err != nil {
		fmt.Println(err)
		return
	}
	best := standings.Players[0]
	against := standings.Between("seer", "chance")
	fmt.Printf("%s is the strongest of %d; it won %d of %d games against chance\n", best.Name, len(standings.Players), against.Wins, against.Games())
	// Output: seer is the strongest of 3; it won 4 of 4 games against chance
}

// Kinds of players, their options and the names near to a mistyped one all come
// from one table.
func ExampleNames_Parse() {
	var names arena.Names
	for _, text := range []string{"rollouts:visits=50", "alphabeta:depth=6,label=six", "rollouts:vists=50", "rolouts", "alphabeta:depth=600"} {
		if e, err := names.Parse(text); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(e.Name())
		}
	}
	// Output:
	// rollouts:visits=50
	// six
	// the player rollouts: vists: no such setting; did you mean visits?
	// there is no player "rolouts"; did you mean "rollouts"? (players: random, greedy, alphabeta, rollouts, warren, net, aei, the directory of a run, or the path of a network, which ends in .safetensors)
	// the player alphabeta: depth: 600 is out of range (allowed: 0 to 60)
}
