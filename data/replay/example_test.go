package replay_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"

	"warren/data"
	"warren/data/datatest"
	"warren/data/replay"
)

// Windows are filled with the games of a directory, and a sample is drawn from the training window.
func Example() {
	dir, err := os.MkdirTemp("", "games")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if _, err := data.WriteShard(dir, 1, datatest.Records(0, 20, 60)); err != nil {
		log.Fatal(err)
	}

	index, err := data.Scan(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	windows := replay.NewWindows(replay.Config{WindowPositions: 1000, HeldOutFraction: 0.1, QRatio: 0.3, LimitValue: 0.9})
	if err := windows.Restore(replay.Source{Index: index}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d games to train on, %d held out\n", windows.Train.Games(), windows.HeldOut.Games())

	samples := make([]replay.Sample, 1)
	if err := windows.Train.Draw(rand.New(rand.NewPCG(1, 1)), samples); err != nil {
		log.Fatal(err)
	}
	s := &samples[0]
	s.Fill()
	fmt.Printf("%s to move, chance to win %.2f\n", s.Game.Side(), s.Value)
	for _, p := range s.Policy {
		fmt.Printf("action %d: %.2f\n", p.Action, p.Share)
	}
	// Output:
	// 16 games to train on, 1 held out
	// gold to move, chance to win 0.14
	// action 5: 0.14
	// action 12: 0.16
	// action 15: 0.16
	// action 18: 0.22
	// action 67: 0.18
	// action 209: 0.12
}
