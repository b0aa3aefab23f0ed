package experiment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/internal/nettest"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/net"
	"warren/net/bundled"
)

// plan returns a plan of the smoke preset.
func plan(t *testing.T, variants ...string) Plan {
	t.Helper()
	p := Plan{Seeds: 2, Budget: time.Minute, Milestones: []float64{0.5}, References: []string{"random"}, Games: 2, MilestoneGames: 2, TurnLimit: 30}
	for _, text := range variants {
		v, err := ParseVariant("smoke", text)
		if err != nil {
			t.Fatal(err)
		}
		p.Variants = append(p.Variants, v)
	}
	return p
}

func TestVariants(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wide.yaml")
	if err := os.WriteFile(file, []byte("network: {channels: 24}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	wide, err := ReadVariant("smoke", file)
	if err != nil {
		t.Fatal(err)
	}
	if c := wide.Settings; wide.Name != "wide" || c.Network.Channels != 24 || c.Network.Blocks != 2 || c.SelfPlay.Visits.Final != 8 {
		t.Errorf("the file gives %s with %v, %d visits", wide.Name, c.Network, c.SelfPlay.Visits.Final)
	}
	set, err := ParseVariant("smoke", "c:search.cpuct_init=0.5,learner.batch=16")
	if err != nil {
		t.Fatal(err)
	}
	base, err := ParseVariant("smoke", "a")
	if err != nil {
		t.Fatal(err)
	}
	list, err := differences(base.Settings, set.Settings)
	want := []settings.Change{{Key: "learner.batch", Before: "32", After: "16"}, {Key: "search.cpuct_init", Before: "0.25", After: "0.5"}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("the variant differs by %v, %v, want %v", list, err, want)
	}
	quoted, err := ParseVariant("smoke", `d:match.baselines='random "alphabeta:nodes=50,depth=2"',learner.batch=16`)
	if err != nil || quoted.Settings.Match.Baselines != `random "alphabeta:nodes=50,depth=2"` || quoted.Settings.Learner.Batch != 16 {
		t.Errorf("a value in quotes: %q, %v", quoted.Settings.Match.Baselines, err)
	}
	// A preset as a variant of itself sets nothing of the experiment's own.
	if _, err := ReadVariant("quick", "quick"); err != nil {
		t.Error(err)
	}
}

func TestBriefChangesAreNamed(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base.yaml")
	if err := os.WriteFile(base, []byte("loop: {stages: 0.25 selfplay.fast_visits=9 learner.batch=64}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"a":                        nil,
		"b:search.cpuct_init=0.5":  nil,
		"c:selfplay.fast_visits=3": {"selfplay.fast_visits is 3 only until 0.25 of the run, where loop.stages makes it 9"},
		"d:loop.stages='',selfplay.fast_visits=3": nil,
	} {
		v, err := ParseVariant(base, text)
		if err != nil || !slices.Equal(v.brief, want) {
			t.Errorf("%s: %q, %v, want %q", text, v.brief, err, want)
		}
	}
}

func TestRunsHaveOneCoreAndABudget(t *testing.T) {
	p := plan(t, "a", "b")
	c := p.settings(&p.Variants[1], 7)
	if c.Seed != 7 || c.Loop.Duration != time.Minute || c.Loop.Clock != recipe.ProcessorClock || c.Loop.Generations != 0 ||
		c.SelfPlay.Workers != 1 || c.Match.Every != 0 {
		t.Errorf("the run's settings are %+v", c)
	}
	var order []string
	for _, r := range p.runs() {
		order = append(order, r.String())
	}
	if want := []string{"a-1", "b-1", "a-2", "b-2"}; !slices.Equal(order, want) {
		t.Errorf("the order of work is %v, want %v", order, want)
	}
}

func TestBadVariantsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"a:search.cpuct_inti=1": "did you mean search.cpuct_init",
		"a:search.cpuct_init":   "key=value",
		"a/b":                   "needs a name",
		"a:loop.duration=1h":    "loop.duration: the experiment decides it (by --budget)",
		"a:selfplay.workers=2":  "selfplay.workers",
		"a:seed=3":              "by --seeds",
		"a:learner.batch=-1":    "out of range",
		"":                      "needs a name",
		"a:match.baselines='x":  "is not closed",
	} {
		if _, err := ParseVariant("smoke", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadVariant("smok", "smoke"); err == nil || !strings.Contains(err.Error(), "did you mean the preset smoke") {
		t.Errorf("a base that does not exist: %v", err)
	}
}

func TestBadPlansAreNamed(t *testing.T) {
	for want, change := range map[string]func(*Plan){
		"nothing to compare": func(p *Plan) { p.Variants = nil },
		"two variants are":   func(p *Plan) { p.Variants[1].Name = "a" },
		"are called A":       func(p *Plan) { p.Variants[1].Name = "A" }, // one directory on some systems
		"ascending order":    func(p *Plan) { p.Milestones = []float64{0.6, 0.3} },
		"between 0 and 1":    func(p *Plan) { p.Milestones = []float64{1} },
		"--seeds is 0":       func(p *Plan) { p.Seeds = 0 },
		"--games is 0":       func(p *Plan) { p.Games = 0 },
		"--turn-limit is 20000, must be from 1 to 10000": func(p *Plan) { p.TurnLimit = 20000 },
		`did you mean "greedy"`:                          func(p *Plan) { p.References = []string{"gredy"} },
		"variants are called b":                          func(p *Plan) { p.References = []string{"random:label=b"} },
		"are called b-2: give":                           func(p *Plan) { p.References = []string{"random:label=b-2"} },
		"--budget is 0s":                                 func(p *Plan) { p.Budget = 0 },
		"nobody to play":                                 func(p *Plan) { p.References, p.Variants = nil, p.Variants[:1] },
		"data.window_positions":                          func(p *Plan) { p.Variants[0].Settings.Data.WindowPositions = 1 },
		"variant a: --from":                              func(p *Plan) { p.From = "missing.safetensors" },
	} {
		p := plan(t, "a", "b")
		change(&p)
		if err := p.validate(p.From); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	p := plan(t, "a", "b")
	if err := p.validate(p.From); err != nil {
		t.Error(err)
	}
}

// A variant keeps its settings for as long as the experiment lasts; seeds, variants
// and games may be added.
func TestOtherSettingsUnderTheSameNameAreRefused(t *testing.T) {
	d := dir(t.TempDir())
	first := plan(t, "a", "b:search.cpuct_init=0.5")
	if err := d.begin(&first); err != nil {
		t.Fatal(err)
	}
	more := plan(t, "b:search.cpuct_init=0.5", "c")
	more.Seeds, more.Games = 5, 10
	if err := d.begin(&more); err != nil {
		t.Error(err)
	}
	read, err := d.read()
	if err != nil {
		t.Fatal(err)
	}
	if read.Seeds != 5 || len(read.Variants) != 2 || read.Variants[0].Settings.Search.CPUCTInit != 0.5 {
		t.Errorf("read back the plan is %+v", read)
	}
	staged := plan(t, "d:loop.stages=0.5 search.cpuct_init=2")
	if err := d.begin(&staged); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(d.settings("d"))
	older := strings.Replace(string(saved), "0.5 search", "0.5 selfplay.setups=search search", 1) // as an earlier version wrote them
	if err := errors.Join(err, os.WriteFile(d.settings("d"), []byte(older), 0o666)); err != nil || older == string(saved) {
		t.Fatalf("%v: %s", err, saved)
	}
	if read, err := d.read(); err != nil || read.Variants[0].Settings != staged.settings(&staged.Variants[0], 1) {
		t.Errorf("a variant of an earlier version is read as %+v, %v", read, err)
	}
	if err := d.begin(&staged); err != nil {
		t.Errorf("an experiment of an earlier version: %v", err)
	}
	other := plan(t, "a", "b:search.cpuct_init=0.6")
	if err := d.begin(&other); err == nil || !strings.Contains(err.Error(), "search.cpuct_init was 0.5 and now is 0.6") {
		t.Errorf("other settings: %v", err)
	}
	longer := plan(t, "a")
	longer.Budget = time.Hour
	if err := d.begin(&longer); err == nil || !strings.Contains(err.Error(), "loop.duration was 1m and now is 1h") {
		t.Errorf("another budget: %v", err)
	}
}

// All runs begin with the network that the experiment was begun with, whatever
// becomes of its file.
func TestFirstNetwork(t *testing.T) {
	p := plan(t, "a", "narrow:network.channels=8")
	save := func(seed uint64) string {
		return nettest.Save(t, filepath.Join(t.TempDir(), "first.safetensors"), nettest.New(t, p.Variants[0].Settings.Network, seed), nil)
	}
	p.From = save(1)
	if err := p.validate(p.From); err == nil || !strings.Contains(err.Error(), "variant narrow: --from") {
		t.Errorf("a variant of a smaller architecture: %v", err)
	}
	p.Variants = p.Variants[:1]
	if err := p.validate(p.From); err != nil {
		t.Error(err)
	}
	d := dir(t.TempDir())
	if err := d.begin(&p); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(p.From, p.From+".moved"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := net.Load(d.first()); err != nil {
		t.Error(err)
	}
	p.From += ".moved"
	if err := d.begin(&p); err != nil {
		t.Errorf("the same network elsewhere: %v", err)
	}
	for _, other := range []string{"", save(2)} {
		p.From = other
		if err := d.begin(&p); err == nil || !strings.Contains(err.Error(), "the same --from as before") {
			t.Errorf("another network: %v", err)
		}
	}
	if err := os.Remove(d.plan()); err != nil { // as after a kill before the plan was written
		t.Fatal(err)
	}
	run := t.TempDir()
	for generation := range 2 {
		p.From = filepath.Join(run, "networks", fmt.Sprintf("gen-%05d.safetensors", generation))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p.From), 0o777), os.Rename(save(uint64(generation)), p.From)); err != nil {
			t.Fatal(err)
		}
		p.From = run
		if err := d.begin(&p); err != nil {
			t.Errorf("a run that is %d generations further: %v", generation, err)
		}
	}
	if p.From = save(1); d.begin(&p) == nil {
		t.Error("the run's later network is taken for its first")
	}
	if err := os.Remove(d.plan()); err != nil {
		t.Fatal(err)
	}
	shipped, _, err := bundled.Checkpoint(bundled.Name)
	if err != nil {
		t.Fatal(err)
	}
	p.From = bundled.Name
	if err := d.begin(&p); err != nil {
		t.Fatal(err)
	}
	if n, _, err := net.Load(d.first()); err != nil || n.Hash() != shipped.Hash() {
		t.Errorf("the runs do not begin with the bundled network: %v", err)
	}
	if err := os.Remove(d.plan()); err != nil {
		t.Fatal(err)
	}
	p.From = ""
	for range 2 {
		if err := d.begin(&p); err != nil {
			t.Errorf("begun again with fresh networks: %v", err)
		}
	}
}
