package experiment

import (
	"math"
	"regexp"
	"slices"
	"testing"
)

// games plays a number of games of which a wins some.
func (r results) play(a, b string, wins, games int) {
	for i := range games {
		r.add(a, b, i < wins)
	}
}

func contestant(name string, players ...string) Contestant {
	return Contestant{Name: name, Reference: players == nil, Players: append(players, name)[:max(1, len(players))]}
}

func TestCyclesAreFound(t *testing.T) {
	games := results{}
	games.play("a-1", "stone", 95, 100)
	games.play("stone", "paper", 90, 100)
	games.play("paper", "a-1", 85, 100)
	games.play("a-1", "weak", 100, 100)
	games.play("weak", "stone", 52, 100) // clear of nothing
	table, err := newCrossTable(1, []Contestant{contestant("a", "a-1"), contestant("stone"), contestant("paper"), contestant("weak")}, games)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][3]string{{"a", "stone", "paper"}}; !slices.Equal(table.Cycles, want) {
		t.Errorf("cycles are %v, want %v", table.Cycles, want)
	}
	if !slices.ContainsFunc(table.Misfits, func(m Misfit) bool { return m.Player == "paper" && m.Opponent == "a" }) {
		t.Errorf("the ratings do not predict that paper beats a, and the misfits are %+v", table.Misfits)
	}
	var text page
	table.writeCycles(&text)
	// Only a has seeds, of which there is one.
	for _, want := range []string{`- paper against a: 85 \[\d+-\d+\]\*, predicted`, `- stone against paper: 90 \[\d+-\d+\], predicted`} {
		if !regexp.MustCompile(want).MatchString(text.String()) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestTransitiveResultsHaveNoCycle(t *testing.T) {
	games := results{}
	games.play("a-1", "b-1", 64, 100)
	games.play("b-1", "c", 64, 100)
	games.play("a-1", "c", 76, 100)
	table, err := newCrossTable(1, []Contestant{contestant("a", "a-1"), contestant("b", "b-1"), contestant("c")}, games)
	if err != nil {
		t.Fatal(err)
	}
	if table.Cycles != nil || table.Misfits != nil {
		t.Errorf("cycles %v, misfits %v, want none", table.Cycles, table.Misfits)
	}
	// 64% are 100 Elo; the prior draws together by next to nothing.
	c := table.Contestants
	if d := c[0].Elo.Mean - c[1].Elo.Mean; math.Abs(d-100) > 3 {
		t.Errorf("a is rated %.0f above b, want about 100", d)
	}
	if c[2].Elo.Mean != 0 {
		t.Errorf("the reference player is rated %g, want 0", c[2].Elo.Mean)
	}
}

// A variant's rating is the mean of its networks', and the weakest and the best
// seed are named.
func TestRatingsAreOverSeeds(t *testing.T) {
	games := results{}
	games.play("a-1", "p", 50, 100)
	games.play("a-2", "p", 76, 100)
	table, err := newCrossTable(1, []Contestant{contestant("a", "a-1", "a-2", "a-3"), contestant("p")}, games)
	if err != nil {
		t.Fatal(err)
	}
	a := table.Contestants[0]
	if !slices.Equal(a.Players, []string{"a-1", "a-2"}) {
		t.Errorf("the players are %v; a-3 has not played", a.Players)
	}
	if math.Abs(a.Weakest) > 5 || math.Abs(a.Best-200) > 5 || math.Abs(a.Elo.Mean-100) > 5 || !a.Seeds {
		t.Errorf("it is rated %+v", a)
	}
}

// Games among the variants have no part in a rating by the reference players, and a variant's
// gain is the mean over the seeds that both variants have.
func TestRatingsByReference(t *testing.T) {
	games := results{}
	for i, seed := range []string{"-1", "-2", "-3"} {
		games.play("a"+seed, "p", 500+50*i, 1000)
		games.play("a"+seed, "q", 500+50*i, 1000)
		if seed != "-3" {
			games.play("b"+seed, "p", 640+40*i, 1000)
		}
		games.play("b"+seed, "a"+seed, 1, 1000)
	}
	table, err := newCrossTable(1, []Contestant{
		contestant("a", "a-1", "a-2", "a-3"), contestant("b", "b-1", "b-2", "b-3"), contestant("p"), contestant("q"),
	}, games)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.ByReference) != 2 {
		t.Fatalf("there are ratings of %+v, want those of a and b", table.ByReference)
	}
	a, b := table.ByReference[0], table.ByReference[1]
	if a.Games != 6000 || b.Games != 2000 || a.Pairs != 0 || b.Pairs != 2 || !a.Seeds || !b.Seeds {
		t.Errorf("a is %+v, b %+v", a, b)
	}
	// Win rates of 50, 55 and 60% are 0, 35 and 70 Elo; 64 and 68% are 100 and 131.
	for _, c := range []struct{ got, want float64 }{
		{a.Elo.Mean, 35}, {b.Elo.Mean, 115.5}, {b.Gain.Mean, 98}, {b.Gain.High - b.Gain.Low, 2 * 12.706 * 2},
	} {
		if math.Abs(c.got-c.want) > max(3, c.want/4) {
			t.Errorf("a figure is %.1f, want %.1f", c.got, c.want)
		}
	}
}

func TestPairing(t *testing.T) {
	runs := map[string]Run{"a-1": {"a", 1}, "a-2": {"a", 2}, "b-1": {"b", 1}, "b-2": {"b", 2}}
	p := Plan{Games: 6, ReferenceGames: 8, MilestoneGames: 4}
	for _, c := range []struct {
		a, b           string
		atEnd, earlier int
	}{
		{"a-1", "b-1", 6, 4},
		{"b-2", "a-1", 6, 0},
		{"a-1", "a-2", 0, 0},
		{"a-1", "greedy", 8, 4},
		{"greedy", "random", 6, 0},
	} {
		for i, want := range []int{c.atEnd, c.earlier} {
			at := []float64{1, 0.3}[i]
			for _, names := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
				if got := p.pairing(runs, at)(names[0], names[1]); got != want {
					t.Errorf("at %s %v play %d games, want %d", moment(at), names, got, want)
				}
			}
		}
	}
}

// The games of a plan are those of all pairings, which play whole pairs.
func TestGamesOfAPlan(t *testing.T) {
	p := Plan{
		Variants: []Variant{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Seeds: 2, Milestones: []float64{0.3, 0.6},
		References: []string{"greedy", "random"}, Games: 7, ReferenceGames: 9, MilestoneGames: 5,
	}
	names, runs := slices.Clone(p.References), map[string]Run{}
	for _, r := range p.runs() {
		names = append(names, r.String())
		runs[r.String()] = r
	}
	want := 0
	for _, at := range p.moments() {
		games := p.pairing(runs, at)
		for i, a := range names {
			for _, b := range names[:i] {
				want += (games(a, b) + 1) / 2 * 2
			}
		}
	}
	if got := p.matches(); got != want {
		t.Errorf("the plan has %d games, and its pairings have %d", got, want)
	}
	if all := p.moments(); !slices.Equal(all, []float64{1, 0.3, 0.6}) {
		t.Errorf("networks play at %v of the budget", all)
	}
	if p.MilestoneGames = 0; len(p.moments()) != 1 {
		t.Errorf("without games at milestones networks play at %v of the budget", p.moments())
	}
}
