package experiment

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"warren/internal/durable"
	"warren/internal/settings"
)

// Report is the state of an experiment.
type Report struct {
	Plan     *Plan          `json:"plan"`
	Time     time.Time      `json:"time"`
	Settings []Settings     `json:"settings"` // of each variant but the first
	Runs     []RunState     `json:"runs"`
	Tables   []*CrossTable  `json:"tables"` // the end first, then the milestones
	Signs    []VariantSigns `json:"signs"`
}

// Settings is how a variant differs from the first.
type Settings struct {
	Variant     string            `json:"variant"`
	Differences []settings.Change `json:"differences"`
}

// RunState is the state of a run.
type RunState struct {
	Run
	State      string  `json:"state"` // waiting, training, stopped, finished or failed
	Done       float64 `json:"done"`
	Generation int     `json:"generation"` // of the newest network
	Games      int     `json:"games"`      // saved
	Starts     int     `json:"starts"`     // of its process; above 1 it was interrupted
}

// VariantSigns are the early signs of a variant, means over its seeds.
type VariantSigns struct {
	Variant string  `json:"variant"`
	Seeds   int     `json:"seeds"`        // that have any
	Width   float64 `json:"width"`        // of a stretch of Means, in minutes
	Means   []Signs `json:"means"`        // of the stretches that the report shows
	Minute  float64 `json:"minute_width"` // of a stretch of Minutes
	Minutes []Signs `json:"minutes"`
}

// stretches is how many stretches of the budget the report shows.
const stretches = 10

// state is the state of a run that this process works on.
type state struct {
	word string
	done float64
}

// report collects the state of everything.
func (c *counts) report(p *Plan, everyone []Contestant, states map[Run]state, now time.Time) (*Report, error) {
	r := &Report{Plan: p, Time: now}
	for i := 1; i < len(p.Variants); i++ {
		list, err := differences(p.Variants[0].Settings, p.Variants[i].Settings)
		if err != nil {
			return nil, err
		}
		r.Settings = append(r.Settings, Settings{p.Variants[i].Name, list})
	}
	changes := factors(r.Settings)
	for _, at := range append([]float64{1}, p.Milestones...) {
		games, err := readResults(c.dir.matches(at))
		if err != nil {
			return nil, err
		}
		t, err := newCrossTable(at, everyone, games)
		if err != nil {
			return nil, err
		}
		t.estimateEffects(changes)
		r.Tables = append(r.Tables, t)
	}
	for i := range p.Variants {
		if err := c.addVariant(r, &p.Variants[i], states); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// addVariant adds the runs of a variant and its signs.
func (c *counts) addVariant(r *Report, v *Variant, states map[Run]state) error {
	budget := r.Plan.Budget.Minutes()
	minutes := min(max(1, int(budget)), 60)
	var means, fine [][]Signs
	for seed := 1; seed <= r.Plan.Seeds; seed++ {
		run := Run{v.Name, seed}
		t, err := readTimeline(c.dir.metrics(run))
		if err != nil {
			return err
		}
		shards, err := c.of(run)
		if err != nil {
			return err
		}
		over, err := c.dir.over(run)
		if err != nil {
			return err
		}
		s := RunState{Run: run, State: "waiting", Done: min(1, t.minutes()/budget), Generation: t.generation, Starts: starts(c.dir.log(run.String()))}
		if s.Starts > 0 {
			s.State = "stopped"
		}
		if now, ok := states[run]; ok {
			s.State, s.Done = now.word, max(s.Done, now.done)
		}
		if over {
			s.State, s.Done = "finished", 1
		}
		for i := range shards {
			s.Games += shards[i].Games
		}
		r.Runs = append(r.Runs, s)
		if len(shards) == 0 {
			continue
		}
		held := v.Settings.Data.HeldOutFraction
		means = append(means, signs(t, shards, held, budget, s.Done*budget, stretches))
		fine = append(fine, signs(t, shards, held, budget, s.Done*budget, minutes))
	}
	r.Signs = append(r.Signs, VariantSigns{
		Variant: v.Name, Seeds: len(means),
		Width: budget / stretches, Means: meanSigns(means),
		Minute: budget / float64(minutes), Minutes: meanSigns(fine),
	})
	return nil
}

// save writes the report for people and for programs.
func (r *Report) save(d dir) error {
	if err := durable.WriteJSON(d.report("json"), r, "  "); err != nil {
		return err
	}
	return durable.WriteFile(d.report("md"), r.Write)
}

// Write writes the report as Markdown.
func (r *Report) Write(w io.Writer) error {
	p := &page{}
	p.line("# Experiment: %s", strings.Join(r.variants(), " against "))
	p.line("\nAs of %s. %s, %s minutes of processor time a run on one core.", r.Time.Format("2006-01-02 15:04"), seeds(r.Plan.Seeds), short(r.Plan.Budget.Minutes()))
	if r.Plan.From != "" {
		p.line("All runs begin with the network %s.", r.Plan.From)
	}
	if r.sounding() {
		p.line("With fewer than three seeds this is a first look, not a finding: luck between seeds is large.")
	}
	r.writeSettings(p)
	for _, t := range r.Tables {
		t.write(p)
	}
	r.writeSigns(p)
	r.writeRuns(p)
	_, err := io.WriteString(w, p.String())
	return err
}

// sounding reports whether too few networks are compared for a finding: fewer
// than three seeds, unless every change of a factorial design is in at least
// three networks and missing from at least three.
func (r *Report) sounding() bool {
	if r.Plan.Seeds >= 3 {
		return false
	}
	if len(r.Tables) == 0 || len(r.Tables[0].Effects) == 0 {
		return true
	}
	return slices.ContainsFunc(r.Tables[0].Effects, func(e Effect) bool { return e.With < 3 || e.Without < 3 })
}

func (r *Report) variants() (names []string) {
	for _, v := range r.Plan.Variants {
		names = append(names, v.Name)
	}
	return names
}

func (r *Report) writeSettings(p *page) {
	p.line("\n## What differs from %s\n", r.Plan.Variants[0].Name)
	for _, s := range r.Settings {
		p.line("- %s: %s", s.Variant, describe(s.Differences))
	}
	if len(r.Settings) == 0 {
		p.line("There is one variant only.")
	}
}

func (r *Report) writeRuns(p *page) {
	p.line("\n## Runs\n")
	p.row("run", "state", "done", "generation", "games", "starts")
	p.rule(6)
	for _, s := range r.Runs {
		p.row(s.Run.String(), s.State, percent(s.Done), fmt.Sprint(s.Generation), fmt.Sprint(s.Games), fmt.Sprint(s.Starts))
	}
	p.line("\nA run with more than one start was interrupted. It may have repeated up to a minute of training.")
}

func (r *Report) writeSigns(p *page) {
	p.line("\n## Early signs\n")
	p.line("Means over seeds, by minutes of the budget. Captures, decided games, ends and turns are of games from the setup, without")
	p.line("random openings; decided: ended on the board. Target entropy is in nats. Winner n before: the root value of the coming winner")
	p.line("n turns before the end, in games that ended on the board. Draws/row: samples drawn for every position made in that time.")
	p.line("Window age: of the oldest position, in minutes. The divergence of targets from priors is left out: records do not hold the priors.")
	for _, names := range [][]string{gameSigns, learningSigns} {
		for _, s := range r.Signs {
			p.line("\n%s, %s:\n", s.Variant, seeds(s.Seeds))
			p.row(append([]string{"minutes"}, names...)...)
			p.rule(len(names) + 1)
			for i, means := range s.Means {
				cells := []string{fmt.Sprintf("%s-%s", short(float64(i)*s.Width), short(float64(i+1)*s.Width))}
				for _, name := range names {
					cells = append(cells, means.cell(name))
				}
				p.row(cells...)
			}
		}
	}
}

// cell formats a sign; empty if it is absent.
func (s Signs) cell(name string) string {
	v, ok := s[name]
	if !ok {
		return ""
	}
	return short(v)
}

// short formats a number with three digits or so.
func short(v float64) string {
	decimals := 0
	for limit := 100.0; decimals < 2 && math.Abs(v) < limit; limit /= 10 {
		decimals++
	}
	text := fmt.Sprintf("%.*f", decimals, v)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func seeds(n int) string {
	if n == 1 {
		return "1 seed"
	}
	return fmt.Sprintf("%d seeds", n)
}

func percent(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }

// page is Markdown being written.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) row(cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`) // of a label
	}
	p.line("| %s |", strings.Join(cells, " | "))
}

// rule is the line below a table's heading: names to the left, numbers to the right.
func (p *page) rule(columns int) { p.line("|---|%s", strings.Repeat("---:|", columns-1)) }
