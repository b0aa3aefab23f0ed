package experiment

import (
	"slices"
	"strings"
	"testing"

	"warren/internal/settings"
)

// variant is how a variant differs from the first, by keys; all go from 0 to 1.
func variant(name string, keys ...string) Settings {
	s := Settings{Variant: name}
	for _, key := range keys {
		s.Differences = append(s.Differences, settings.Change{Key: key, Before: "0", After: "1"})
	}
	return s
}

// Settings that change together are one change, and variants with one change each have no effects to
// tell apart.
func TestFactorsAreFound(t *testing.T) {
	found := factors([]Settings{variant("a", "x", "y"), variant("b", "z"), variant("ab", "x", "y", "z")})
	if len(found) != 2 || len(found[0].settings) != 2 || !slices.Equal(found[0].variants, []string{"a", "ab"}) || !slices.Equal(found[1].variants, []string{"b", "ab"}) {
		t.Errorf("found %+v", found)
	}
	third := variant("b", "x", "z")
	third.Differences[0].After = "2"
	for what, variants := range map[string][]Settings{
		"one change each":           {variant("a", "x"), variant("b", "z")},
		"a setting of three values": {variant("a", "x"), third},
	} {
		if found := factors(variants); found != nil {
			t.Errorf("%s: found %+v", what, found)
		}
	}
}

// By hand: of 0, 10, 20 and 34 Elo, the first change is worth 12, the second 22. What is left is 1 Elo in
// each network, with one degree of freedom: a variance of 4, and half the width is 12.70620 * 2.
func TestMainEffects(t *testing.T) {
	changes := []factor{{variants: []string{"a", "ab"}}, {variants: []string{"b", "ab"}}}
	networks := []network{{"none", 0}, {"a", 10}, {"b", 20}, {"ab", 34}}
	effects, degrees, ok := mainEffects(changes, networks)
	if !ok || degrees != 1 || len(effects) != 2 {
		t.Fatalf("the effects are %v with %d degrees, %v", effects, degrees, ok)
	}
	near(t, "the first change", effects[0].Mean, 12)
	near(t, "its lower end", effects[0].Low, 12-25.4124)
	near(t, "its upper end", effects[0].High, 12+25.4124)
	near(t, "the second change", effects[1].Mean, 22)

	if effects, degrees, ok := mainEffects(changes, networks[:3]); !ok || degrees != 0 || effects[0].Low != effects[0].High {
		t.Errorf("three networks give %v with %d degrees, %v; want no interval", effects, degrees, ok)
	}
	same := []network{{"none", 0}, {"ab", 34}, {"ab", 30}}
	for _, few := range [][]network{nil, networks[:2], same} {
		if effects, _, ok := mainEffects(changes, few); ok {
			t.Errorf("%v tell the effects %v apart", few, effects)
		}
	}
}

// The report says what each change is worth, by all games and by the reference players alone.
func TestEffectsAreReported(t *testing.T) {
	games := results{}
	for i, c := range []struct {
		variant         string
		references, own int // games won of 1000
	}{{"none", 500, 500}, {"a", 640, 400}, {"b", 500, 500}, {"ab", 640, 400}} {
		for _, seed := range []string{"-1", "-2"} {
			games.play(c.variant+seed, "p", c.references, 1000)
			if i > 0 {
				games.play(c.variant+seed, "none"+seed, c.own, 1000)
			}
		}
	}
	var everyone []Contestant
	for _, name := range []string{"none", "a", "b", "ab"} {
		everyone = append(everyone, contestant(name, name+"-1", name+"-2"))
	}
	table, err := newCrossTable(1, append(everyone, contestant("p")), games)
	if err != nil {
		t.Fatal(err)
	}
	table.estimateEffects(factors([]Settings{variant("a", "x"), variant("b", "y"), variant("ab", "x", "y")}))
	if len(table.Effects) != 2 {
		t.Fatalf("the effects are %+v", table.Effects)
	}
	x, y := table.Effects[0], table.Effects[1]
	if x.With != 4 || x.Without != 4 || x.Degrees != 5 || x.ReferenceDegrees != 5 {
		t.Errorf("the first effect is %+v", x)
	}
	// 64% are 100 Elo by the reference players; the games with one another say the contrary.
	if m := x.ByReference.Mean; m < 97 || m > 103 || x.Elo.Mean > 80 || y.ByReference.Mean < -3 || y.ByReference.Mean > 3 {
		t.Errorf("the effects are %+v", table.Effects)
	}
	none := *table
	none.ByReference, none.Effects = nil, nil
	none.estimateEffects(factors([]Settings{variant("a", "x"), variant("b", "y"), variant("ab", "x", "y")}))
	if len(none.Effects) != 2 || none.Effects[0].ByReference != nil {
		t.Errorf("without games against reference players the effects are %+v", none.Effects)
	}
	p := &page{}
	none.writeEffects(p)
	if !strings.Contains(p.String(), " |  |  |\n") {
		t.Errorf("without games against reference players the report is\n%s", p)
	}
	table.write(p)
	if want := "\n| `x` 1 instead of 0 | 4 | 4 | "; !strings.Contains(p.String(), want) {
		t.Errorf("the report lacks %q:\n%s", want, p.String())
	}
}

// Eight variants of one seed each, or so, measure a change in four of them by four networks against four.
func TestFewSeedsAreASounding(t *testing.T) {
	p := Plan{Seeds: 1}
	for with, want := range map[int]bool{0: true, 2: true, 3: false} {
		r := &Report{Plan: &p, Tables: []*CrossTable{{}}}
		if with > 0 {
			r.Tables[0].Effects = []Effect{{With: 4, Without: 4}, {With: with, Without: 4}}
		}
		if r.sounding() != want {
			t.Errorf("with a change in %d networks a sounding is %v, want %v", with, r.sounding(), want)
		}
	}
}
