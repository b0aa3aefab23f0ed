package evaluate

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"warren/internal/arena"
	"warren/internal/chart"
)

var update = flag.Bool("update", false, "draw docs/climb/curve.svg")

// climbHours are the core-hours that the climb had cost at each stage, counted without accelerators
// as in docs/research/climb.md.
var climbHours = []float64{2.0, 2.5, 5.5, 8.2, 9.0, 10.0, 13.2, 21.1, 25.2, 38.8, 54.9}

// TestClimbCurve draws the ratings of the climb's stages over their cost, and compares the picture
// with that of the documents.
func TestClimbCurve(t *testing.T) {
	text, err := os.ReadFile("../../../docs/climb/ladder.json")
	if err != nil {
		t.Fatal(err)
	}
	var ladder arena.Standings
	if err := json.Unmarshal(text, &ladder); err != nil {
		t.Fatal(err)
	}
	p := &chart.Plot{
		Title: "The climb", X: "hours of one core, counted without accelerators", Y: "Elo",
		Note: "64 visits a step. Error bars: 95% intervals of the distance to " + ladder.Anchor + ".",
	}
	stages := chart.Curve{Name: fmt.Sprintf("stages 0 to %d", len(climbHours)-1)}
	for _, player := range ladder.Players {
		stage := 0
		if _, err := fmt.Sscanf(player.Name, "stage-%d", &stage); err != nil {
			p.Levels = append(p.Levels, chart.Level{Name: player.Name, Y: player.Elo, Margin: player.Margin})
			continue
		}
		stages.Points = append(stages.Points, chart.Point{X: climbHours[stage], Y: player.Elo, Margin: player.Margin})
	}
	p.Curves = []chart.Curve{stages}
	var drawn bytes.Buffer
	if err := p.Write(&drawn); err != nil {
		t.Fatal(err)
	}
	const path = "../../../docs/climb/curve.svg"
	if *update {
		if err := os.WriteFile(path, drawn.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, drawn.Bytes()) {
		t.Errorf("%s is not the picture of ladder.json (%v): go test -run ClimbCurve ./internal/command/evaluate -update", path, err)
	}
	if len(stages.Points) != len(climbHours) {
		t.Errorf("the ladder has %d stages, and %d have a cost", len(stages.Points), len(climbHours))
	}
}
