package experiment

import (
	"errors"
	"io/fs"

	"warren/internal/metrics"
)

// milestone is the newest network at a fraction of the budget.
type milestone struct {
	At         float64 `json:"at"`
	Generation int     `json:"generation"`
	Minutes    float64 `json:"minutes"` // of processor time, when it was published
}

// milestones looks up the networks of the fractions, and of the end as 1, in the
// series "total/minutes" of a run. Before the first sample it is the untrained
// network's time.
func milestones(published []metrics.Sample, fractions []float64, budget float64) []milestone {
	var list []milestone
	for _, at := range append(fractions[:len(fractions):len(fractions)], 1) {
		m := milestone{At: at}
		for _, s := range published {
			if s.Value <= at*budget || at == 1 {
				m.Generation, m.Minutes = int(s.Step), s.Value
			}
		}
		list = append(list, m)
	}
	return list
}

// finished is what is kept about a run that is over.
type finished struct {
	Minutes float64 `json:"minutes"` // of processor time
}

func (d dir) over(r Run) (bool, error) {
	var f finished
	err := readJSON(d.finished(r), &f)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// milestones returns the milestones of a run that is over, the end last.
func (d dir) milestones(p *Plan, r Run) ([]milestone, error) {
	points, err := metrics.ReadLines(d.metrics(r))
	if err != nil && len(points) == 0 {
		return nil, err
	}
	return milestones(metrics.Series(points, "total/minutes"), p.Milestones, p.Budget.Minutes()), nil
}
