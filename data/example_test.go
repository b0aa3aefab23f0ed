package data_test

import (
	"fmt"
	"log"
	"os"

	"warren/data"
	"warren/game"
)

// shortGame returns a record of 32 placements and one searched step, after which Silver resigns.
func shortGame(number uint64) *data.Record {
	r := &data.Record{
		Run: "example", Game: number, Network: "none",
		Result: game.Result{Winner: game.Gold, Reason: game.Resignation},
	}
	for range 2 {
		for _, k := range []game.Kind{
			game.Rabbit, game.Rabbit, game.Rabbit, game.Rabbit, game.Rabbit, game.Rabbit, game.Rabbit, game.Rabbit,
			game.Cat, game.Dog, game.Horse, game.Camel, game.Elephant, game.Horse, game.Dog, game.Cat,
		} {
			r.Decisions = append(r.Decisions, data.Decision{Action: game.PlaceAction(k)})
		}
	}
	d2, e2 := game.Square(11), game.Square(12)
	r.Decisions = append(r.Decisions, data.Decision{
		Action: game.StepAction(e2, game.North),
		Full:   true,
		Value:  0.625,
		Visits: []data.Visit{
			{Action: game.StepAction(d2, game.North), Count: 12},
			{Action: game.StepAction(e2, game.North), Count: 36},
		},
		PolicyWeight: 1, // Policy is nil: the target is the shares of the visits
		ValueWeight:  1,
	})
	return r
}

// Games are written to a shard and read from it.
func ExampleWriteShard() {
	dir, err := os.MkdirTemp("", "games")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	info, err := data.WriteShard(dir, 1, []*data.Record{shortGame(8), shortGame(7)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d games with %d positions\n", info.Games, info.Positions)

	shard, err := data.OpenShard(info.Path)
	if err != nil {
		log.Fatal(err)
	}
	for r, err := range shard.Records() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("game %d: %d decisions, %s by %s\n", r.Game, len(r.Decisions), r.Result.Winner, r.Result.Reason)
	}
	// Output:
	// 2 games with 2 positions
	// game 7: 33 decisions, gold by resignation
	// game 8: 33 decisions, gold by resignation
}
