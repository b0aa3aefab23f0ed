package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"warren/internal/arena"
	"warren/internal/quoted"
	"warren/internal/recipe"
	"warren/internal/train"
)

// Plan says what is trained and how it is measured.
type Plan struct {
	Variants   []Variant     `json:"variants"`
	Seeds      int           `json:"seeds"`      // of every variant: 1, 2, ...
	Budget     time.Duration `json:"budget"`     // processor time of a run, in nanoseconds
	From       string        `json:"from"`       // network that all runs begin with, a file or the bundled one; "" for fresh ones
	Milestones []float64     `json:"milestones"` // fractions of Budget, ascending, between 0 and 1

	References     []string `json:"references"`      // players as arena.Names reads them
	Games          int      `json:"games"`           // of every two players at the end
	ReferenceGames int      `json:"reference_games"` // of a network and a reference player at the end; 0 is as many
	MilestoneGames int      `json:"milestone_games"` // of every two players at a milestone; 0 is none
	TurnLimit      int      `json:"turn_limit"`      // of the matches, both players together
}

// Variant is one way to train.
type Variant struct {
	Name     string        `json:"name"`
	Settings recipe.Config `json:"-"`

	brief []string // lines on what distinguishes it from the base for a part of the run only
}

// StandardReferences are opponents of different styles that every experiment plays.
func StandardReferences() []string {
	return []string{"greedy", "alphabeta:nodes=2000", "alphabeta:nodes=20000", "alphabeta:nodes=200000"}
}

// ReadVariant returns the variant that a YAML file or a preset makes of the base
// settings. It is named after the file.
func ReadVariant(base, file string) (Variant, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	return newVariant(base, name, file, nil)
}

// ParseVariant reads a variant of the base settings from "name:key=value,key=value",
// or "name" for the base settings themselves. Quotes keep commas in a value (package quoted).
func ParseVariant(base, text string) (Variant, error) {
	name, set, err := cutVariant(text)
	if err != nil {
		return Variant{}, err
	}
	return newVariant(base, name, "", set)
}

// cutVariant cuts "name:key=value,key=value" into its parts.
func cutVariant(text string) (name string, set []string, err error) {
	name, rest, _ := strings.Cut(text, ":")
	if rest == "" {
		return name, nil, nil
	}
	if set, err = quoted.Split(rest, ","); err != nil {
		return name, nil, fmt.Errorf("variant %s: %w", name, err)
	}
	for i, setting := range set {
		set[i] = quoted.Remove(setting)
	}
	return name, set, nil
}

var variantName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func newVariant(base, name, file string, set []string) (Variant, error) {
	v := Variant{Name: name, Settings: recipe.DefaultConfig()}
	if !variantName.MatchString(name) {
		return v, fmt.Errorf("the variant %q needs a name of letters, digits, dots, dashes and underscores, as in c025:search.cpuct_init=0.25", name)
	}
	if _, err := recipe.Apply(base, nil, &v.Settings); err != nil {
		return v, err
	}
	before := v.Settings
	if file != "" {
		if _, err := recipe.Apply(file, nil, &v.Settings); err != nil {
			return v, err
		}
	}
	if _, err := recipe.Apply("", set, &v.Settings); err != nil {
		return v, fmt.Errorf("variant %s: %w", name, err)
	}
	return v, v.check(before)
}

// owned are the settings that the experiment itself decides, and by what.
var owned = map[string]string{
	"seed":             "by --seeds",
	"loop.clock":       "always cpu",
	"loop.duration":    "by --budget",
	"loop.generations": "always 0, since runs end by their budget",
	"selfplay.workers": "always 1, since a run has one core",
	"match.every":      "always 0, since runs are measured after training",
}

// check returns an error if the variant changes a setting that the
// experiment decides. It finds out which of its changes are brief.
func (v *Variant) check(base recipe.Config) error {
	changed, err := differences(base, v.Settings)
	if err != nil {
		return err
	}
	var keys []string
	for _, d := range changed {
		if how, is := owned[d.Key]; is {
			return fmt.Errorf("variant %s: %s: the experiment decides it (%s); leave it out of the variant", v.Name, d.Key, how)
		}
		keys = append(keys, d.Key)
	}
	if v.brief, err = v.Settings.ChangedLater(keys); err != nil {
		return fmt.Errorf("variant %s: %w", v.Name, err)
	}
	return nil
}

// settings returns the settings of the variant's run with this seed.
func (p *Plan) settings(v *Variant, seed int) recipe.Config {
	c := v.Settings
	c.Seed = uint64(seed)
	c.Loop.Clock, c.Loop.Duration, c.Loop.Generations = recipe.ProcessorClock, p.Budget, 0
	c.SelfPlay.Workers = 1
	c.Match.Every = 0
	return c
}

func (p *Plan) variant(name string) *Variant {
	i := slices.IndexFunc(p.Variants, func(v Variant) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Variants[i]
}

// validate reports what is wrong with the plan for runs that begin with the network in the file first.
func (p *Plan) validate(first string) error {
	if len(p.Variants) == 0 {
		return errors.New("there is nothing to compare: name YAML files, or variants as in --variant a --variant c025:search.cpuct_init=0.25")
	}
	if p.Budget < time.Millisecond || p.Budget > 8760*time.Hour {
		return fmt.Errorf("--budget is %v, must be from 1ms to 8760h", p.Budget)
	}
	names := map[string]bool{}
	for i := range p.Variants {
		v := &p.Variants[i]
		// Directories have the names, and some systems take A and a for the same one.
		if slices.ContainsFunc(p.Variants[:i], func(w Variant) bool { return strings.EqualFold(w.Name, v.Name) }) {
			return fmt.Errorf("two variants are called %s: give one another name", v.Name)
		}
		names[v.Name] = true
		c := p.settings(v, 1)
		if err := c.Validate(); err != nil {
			return fmt.Errorf("variant %s: %w", v.Name, err)
		}
		if first == "" {
			continue
		}
		if _, _, err := train.LoadFirst(first, c); err != nil {
			return fmt.Errorf("variant %s: %w", v.Name, err)
		}
	}
	for i, at := range p.Milestones {
		if !(at > 0 && at < 1) || i > 0 && at <= p.Milestones[i-1] {
			return fmt.Errorf("--milestones are %v, must be fractions of the budget between 0 and 1 in ascending order, as in 0.3,0.6", p.Milestones)
		}
	}
	for _, c := range []struct {
		flag           string
		value, low, up int
	}{
		{"--seeds", p.Seeds, 1, 1000},
		{"--games", p.Games, 2, 100000},
		{"--reference-games", p.ReferenceGames, 0, 100000},
		{"--milestone-games", p.MilestoneGames, 0, 100000},
		{"--turn-limit", p.TurnLimit, 1, 10000},
	} {
		if c.value < c.low || c.value > c.up {
			return fmt.Errorf("%s is %d, must be from %d to %d", c.flag, c.value, c.low, c.up)
		}
	}
	if len(p.References)+len(p.Variants) < 2 {
		return errors.New("one variant alone has nobody to play: name another, or a player with --reference")
	}
	return p.checkReferences(names)
}

// moments returns the fractions of the budget at which the networks play, the end first.
func (p *Plan) moments() []float64 {
	if p.MilestoneGames == 0 {
		return []float64{1}
	}
	return append([]float64{1}, p.Milestones...)
}

// referenceGames returns the number of games of a network and a reference player at
// the end.
func (p *Plan) referenceGames() int { return cmp.Or(p.ReferenceGames, p.Games) }

func (p *Plan) checkReferences(names map[string]bool) error {
	references, err := p.references()
	if err != nil {
		return err
	}
	for _, r := range p.runs() { // the names of their networks
		names[r.String()] = true
	}
	for _, e := range references {
		if names[e.Name()] {
			return fmt.Errorf("two players or variants are called %s: give one another name, a player as in net:PATH,label=NAME", e.Name())
		}
		names[e.Name()] = true
	}
	return nil
}

// references returns the reference players. Networks among them play with the default
// settings of the search, as in warren evaluate.
func (p *Plan) references() ([]*arena.Entrant, error) {
	names := referenceNames()
	var entrants []*arena.Entrant
	for _, text := range p.References {
		e, err := names.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("a reference player: %w", err)
		}
		entrants = append(entrants, e)
	}
	return entrants, nil
}

// Run names a run: a variant and a seed.
type Run struct {
	Variant string `json:"variant"`
	Seed    int    `json:"seed"`
}

// String returns a name such as "c025-1", by which files and players are called.
func (r Run) String() string { return fmt.Sprintf("%s-%d", r.Variant, r.Seed) }

// runs returns all runs in the order of work: seed by seed.
func (p *Plan) runs() []Run {
	var all []Run
	for seed := 1; seed <= p.Seeds; seed++ {
		for i := range p.Variants {
			all = append(all, Run{p.Variants[i].Name, seed})
		}
	}
	return all
}
