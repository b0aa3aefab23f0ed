package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warren/internal/durable"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/net"
	"warren/net/bundled"
)

// dir is the directory of an experiment.
type dir string

func (d dir) plan() string                { return filepath.Join(string(d), "experiment.json") }
func (d dir) settings(name string) string { return filepath.Join(string(d), "settings", name+".yaml") }
func (d dir) run(r Run) string            { return filepath.Join(string(d), "runs", r.String()) }
func (d dir) finished(r Run) string       { return filepath.Join(d.run(r), "finished.json") }
func (d dir) matches(at float64) string   { return filepath.Join(string(d), "matches", moment(at)) }
func (d dir) log(name string) string      { return filepath.Join(string(d), "logs", name+".log") }
func (d dir) first() string               { return filepath.Join(string(d), "first.safetensors") }
func (d dir) report(suffix string) string { return filepath.Join(string(d), "report."+suffix) }
func (d dir) metrics(r Run) string        { return filepath.Join(d.run(r), "metrics.jsonl") }
func (d dir) network(r Run, g int) string { return net.GenerationFile(d.run(r), g) }

// moment returns the name of a fraction of the budget: "0.30", or "end" for 1.
func moment(at float64) string {
	if at == 1 {
		return "end"
	}
	text := fmt.Sprintf("%.2f", at)
	if rounded, err := strconv.ParseFloat(text, 64); err != nil || rounded != at {
		return strconv.FormatFloat(at, 'g', -1, 64)
	}
	return text
}

// subdirectories are the names of the directories in it.
var subdirectories = []string{"settings", "runs", "matches", "logs"}

// fresh returns an error if there are other things in the directory and no experiment.
func (d dir) fresh() error {
	if _, err := os.Stat(d.plan()); err == nil {
		return nil
	}
	return durable.Fresh(string(d), append([]string{filepath.Base(d.first())}, subdirectories...)...)
}

// begin makes the directory, or continues with it, and keeps the plan there. It
// refuses to continue with other settings under the name of a variant.
func (d dir) begin(p *Plan) error {
	for _, sub := range subdirectories {
		if err := os.MkdirAll(filepath.Join(string(d), sub), 0o777); err != nil {
			return fmt.Errorf("making the experiment's directory: %w", err)
		}
	}
	if err := d.keepFirst(p); err != nil {
		return err
	}
	for i := range p.Variants {
		if err := d.saveSettings(p, &p.Variants[i]); err != nil {
			return err
		}
	}
	return durable.WriteJSON(d.plan(), p, "  ")
}

// keepFirst copies the network that the runs begin with into the directory, so
// that runs of later days begin with the same. It refuses another one.
func (d dir) keepFirst(p *Plan) error {
	var first []byte
	if p.From != "" {
		var err error
		if first, err = bundled.File(p.From); err != nil {
			return fmt.Errorf("reading the network to begin with: %w", err)
		}
	}
	if _, err := os.Stat(d.plan()); err == nil {
		kept, err := bundled.File(d.first())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reading the network that the experiment was begun with: %w", err)
		}
		if !bytes.Equal(kept, first) && !(kept != nil && d.sameRun(p)) {
			return fmt.Errorf("the runs in %s do not begin with the network %q: give the same --from as before, or choose another --out", string(d), p.From)
		}
		return nil
	}
	if first == nil {
		// One may be left of a start that was killed.
		if err := os.Remove(d.first()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing a network that the experiment does not begin with: %w", err)
		}
		return nil
	}
	return durable.WriteBytes(d.first(), first)
}

// sameRun reports whether the plan's first network is that of the run that the experiment was begun with, which may
// have trained further since.
func (d dir) sameRun(p *Plan) bool {
	var before Plan
	path, err := bundled.Find(p.From)
	return err == nil && path != p.From && durable.ReadJSON(d.plan(), &before) == nil && before.From == p.From
}

// saveSettings saves the settings of a variant. It refuses others than those that the experiment was begun with.
func (d dir) saveSettings(p *Plan, v *Variant) error {
	path, now := d.settings(v.Name), p.settings(v, 1)
	before := recipe.DefaultConfig()
	_, err := recipe.Apply(path, nil, &before)
	if err == nil && before != now {
		return d.changed(v, before, now)
	}
	if _, missing := os.Stat(path); err != nil && !errors.Is(missing, fs.ErrNotExist) {
		return fmt.Errorf("reading the settings that the experiment was begun with: %w", err)
	}
	return durable.WriteFile(path, func(w io.Writer) error { return settings.Write(w, &now) })
}

// changed is the error for a variant whose settings are no longer those that it
// was begun with.
func (d dir) changed(v *Variant, before, now recipe.Config) error {
	list, err := differences(before, now)
	if err != nil {
		return err
	}
	var words []string
	for _, c := range list {
		words = append(words, fmt.Sprintf("%s was %s and now is %s", c.Key, c.Before, c.After))
	}
	return fmt.Errorf("the variant %s in %s was begun with other settings (%s): give the variant another name, or choose another --out",
		v.Name, string(d), strings.Join(words, ", "))
}

// read returns the plan that is kept in the directory.
func (d dir) read() (*Plan, error) {
	p := &Plan{}
	if err := durable.ReadJSON(d.plan(), p); err != nil {
		return nil, fmt.Errorf("reading the plan of the experiment: %w", err)
	}
	for i := range p.Variants {
		v := &p.Variants[i]
		v.Settings = recipe.DefaultConfig()
		if _, err := recipe.Apply(d.settings(v.Name), nil, &v.Settings); err != nil {
			return nil, fmt.Errorf("reading the settings of the variant %s: %w", v.Name, err)
		}
	}
	return p, nil
}

// finished is what is kept about a run that is over.
type finished struct {
	Minutes float64 `json:"minutes"` // of processor time
}

func (d dir) over(r Run) (bool, error) {
	err := durable.ReadJSON(d.finished(r), &finished{})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
