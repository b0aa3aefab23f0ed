package paper

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"warren/internal/arena"
)

// Anchor is the player whose rating is 0.
const Anchor = "alphabeta:nodes=20000"

// Run is a file of docs/runs: a run, or several that are alike, with its networks and their games.
type Run struct {
	Name    string  `json:"name"`
	Page    string  `json:"page"` // where it is described, below docs
	Command string  `json:"command"`
	Ladder  string  `json:"ladder,omitempty"` // the path of standings whose games count too
	Short   bool    `json:"short,omitempty"`  // the paper's table has only the last point
	Points  []Point `json:"points"`
	// Pairings are games of the points with each other and with players of other runs, as in the file
	// ratings.json of a tournament.
	Pairings []arena.Pairing `json:"pairings"`

	file string
}

// Point is a network of a run.
type Point struct {
	Player  string `json:"player"` // its name in the pairings
	Network string `json:"network"`
	Seed    int    `json:"seed,omitempty"`
	Games   int    `json:"games,omitempty"` // of self-play until then

	// Used are the hours until then on each kind of hardware of docs/runs/hardware.tsv.
	Used map[string]float64 `json:"used"`
	// CoreHours are the hours that the reference core would have needed, where the page says so. Without
	// them, they follow from what was computed until then: evaluations of self-play, and samples learned,
	// by the size of the network.
	CoreHours   float64            `json:"core_hours,omitempty"`
	Evaluations map[string]float64 `json:"evaluations,omitempty"`
	Samples     map[string]float64 `json:"samples,omitempty"`

	energy      float64 // kWh, by the rule of hardware.tsv
	elo, margin float64
}

// rated are the runs with all that follows from them.
type rated struct {
	runs      []*Run
	standings *arena.Standings
	sources   fs.FS
	root      string // the directory of sources
}

// rate reads docs/runs, rates all players on one scale and computes what each point cost.
func rate(repository fs.FS) (*rated, error) {
	names, err := fs.Glob(repository, "docs/runs/*.json")
	if err != nil {
		return nil, err
	}
	r := &rated{sources: repository}
	var pairings []arena.Pairing
	for _, name := range names {
		run, err := readRun(repository, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.runs = append(r.runs, run)
		pairings = append(pairings, run.Pairings...)
		if run.Ladder != "" {
			ladder, err := readLadder(repository, run.Ladder)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			pairings = append(pairings, ladder.Pairings...)
		}
	}
	if r.standings, err = arena.Rate(pairings, Anchor); err != nil {
		return nil, err
	}
	core, err := readSpeeds(repository)
	if err != nil {
		return nil, err
	}
	for _, run := range r.runs {
		for i := range run.Points {
			p := &run.Points[i]
			if err := p.weigh(core); err != nil {
				return nil, fmt.Errorf("docs/runs/%s: %s: %w", run.file, p.Player, err)
			}
			standing := r.standings.Player(p.Player)
			if standing == nil {
				return nil, fmt.Errorf("docs/runs/%s: %s has no games", run.file, p.Player)
			}
			p.elo, p.margin = standing.Elo, standing.Margin
		}
	}
	return r, nil
}

func readRun(repository fs.FS, name string) (*Run, error) {
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	run := &Run{file: path.Base(name)}
	return run, d.Decode(run)
}

func readLadder(repository fs.FS, name string) (*arena.Standings, error) {
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		return nil, err
	}
	ladder := &arena.Standings{}
	return ladder, json.Unmarshal(text, ladder)
}

// speeds are docs/runs/speeds.tsv and docs/runs/hardware.tsv: what the reference core computes in a second with a
// network of each size, and the power that each kind of hardware is taken to draw.
type speeds struct{ evaluations, samples, watts map[string]float64 }

func readSpeeds(repository fs.FS) (*speeds, error) {
	s := &speeds{map[string]float64{}, map[string]float64{}, map[string]float64{}}
	read := func(name, column string, to map[string]float64) error {
		t, err := readTable(repository, name)
		if err != nil {
			return err
		}
		for i, row := range t.rows {
			v, err := strconv.ParseFloat(plain(t.cell(i, column)), 64)
			if err != nil || v <= 0 {
				return fmt.Errorf("%s: %s of %s is %q, and must be a positive number", name, column, row[0], t.cell(i, column))
			}
			to[row[0]] = v
		}
		return nil
	}
	if err := read("docs/runs/speeds.tsv", "evaluations", s.evaluations); err != nil {
		return nil, err
	}
	if err := read("docs/runs/speeds.tsv", "samples", s.samples); err != nil {
		return nil, err
	}
	return s, read("docs/runs/hardware.tsv", "watts", s.watts)
}

// weigh computes the energy of p, and its core-hours where they are not given.
func (p *Point) weigh(core *speeds) error {
	for kind, hours := range p.Used {
		watts, ok := core.watts[kind]
		if !ok {
			return fmt.Errorf("docs/runs/hardware.tsv has no %q", kind)
		}
		p.energy += hours * watts / 1000
	}
	if p.CoreHours > 0 {
		return nil
	}
	for _, part := range []struct {
		what         string
		count, speed map[string]float64
	}{{"evaluations", p.Evaluations, core.evaluations}, {"samples", p.Samples, core.samples}} {
		for network, n := range part.count {
			speed, ok := part.speed[network]
			if !ok {
				return fmt.Errorf("docs/runs/speeds.tsv has no %s of %s", part.what, network)
			}
			p.CoreHours += n / speed / 3600
		}
	}
	if p.CoreHours <= 0 {
		return fmt.Errorf("it has neither core_hours nor evaluations and samples")
	}
	return nil
}
