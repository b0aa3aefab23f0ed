package experiment

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"warren/internal/durable"
	"warren/internal/plural"
	"warren/internal/settings"
)

// Report is the state of an experiment.
type Report struct {
	Plan     *Plan         `json:"plan"`
	Time     time.Time     `json:"time"`
	Settings []Settings    `json:"settings"` // of each variant but the first
	Runs     []RunState    `json:"runs"`
	Tables   []*CrossTable `json:"tables"` // the end first, then the milestones
}

// Settings is how a variant differs from the first.
type Settings struct {
	Variant     string            `json:"variant"`
	Differences []settings.Change `json:"differences"`
}

// newReport collects the state of everything.
func newReport(d dir, p *Plan, everyone []Contestant, states map[Run]state, now time.Time) (*Report, error) {
	r := &Report{Plan: p, Time: now}
	for i := 1; i < len(p.Variants); i++ {
		list, err := differences(p.Variants[0].Settings, p.Variants[i].Settings)
		if err != nil {
			return nil, err
		}
		r.Settings = append(r.Settings, Settings{p.Variants[i].Name, list})
	}
	changes := factors(r.Settings)
	for _, at := range p.moments() {
		games, err := readResults(d.matches(at))
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
	for _, v := range p.Variants {
		for seed := 1; seed <= p.Seeds; seed++ {
			s, err := d.runState(Run{v.Name, seed}, p, states)
			if err != nil {
				return nil, err
			}
			r.Runs = append(r.Runs, s)
		}
	}
	return r, nil
}

// minutes writes a duration.
func minutes(d time.Duration) string {
	if d == time.Minute {
		return "1 minute"
	}
	return short(d.Minutes()) + " minutes"
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
	p.line("\nAs of %s. %s, %s of processor time a run on one core.", r.Time.Format("2006-01-02 15:04"), plural.Of(r.Plan.Seeds, "seed"), minutes(r.Plan.Budget))
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
