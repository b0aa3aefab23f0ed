package page

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"warren/internal/metrics"
)

// series holds the values that a run has published. There is a row for each step,
// in ascending order, and a column for each name. A value that is missing or not
// finite is NaN.
type series struct {
	steps   []int64
	times   []time.Time          // time of the latest value in the row
	columns map[string][]float64 // a shorter column has no values in the last rows
}

// add adds a point. Where a run was resumed, newer values replace older ones from
// their step on, as in [metrics.Series].
func (s *series) add(p metrics.Point) {
	row, found := slices.BinarySearch(s.steps, p.Step)
	if !found {
		s.steps = slices.Insert(s.steps, row, p.Step)
		s.times = slices.Insert(s.times, row, p.Time)
		for name, column := range s.columns {
			if row < len(column) {
				s.columns[name] = slices.Insert(column, row, math.NaN())
			}
		}
	}
	if p.Time.After(s.times[row]) {
		s.times[row] = p.Time
	}
	for _, v := range p.Values {
		if math.IsInf(v.Value, 0) {
			v.Value = math.NaN()
		}
		column := s.columns[v.Name]
		for len(column) < row {
			column = append(column, math.NaN())
		}
		if s.columns == nil {
			s.columns = map[string][]float64{}
		}
		s.columns[v.Name] = append(column[:row], v.Value)
	}
}

// samples returns the values with the given name, in order of increasing step.
func (s *series) samples(name string) []metrics.Sample {
	var list []metrics.Sample
	for row, x := range s.columns[name] {
		if !math.IsNaN(x) {
			list = append(list, metrics.Sample{Step: s.steps[row], Time: s.times[row], Value: x})
		}
	}
	return list
}

// columns holds the series of a run, as sent to the page.
type columns struct {
	Name    string            `json:"name"`
	Verdict string            `json:"verdict"`
	Steps   []int64           `json:"steps"`
	Times   []int64           `json:"times"` // Unix time in milliseconds
	Values  map[string]column `json:"values"`
	Ratings []rated           `json:"ratings"` // ratings of the fixed opponents
	Mixed   bool              `json:"mixed"`   // whether the newest values are not chances to win
}

// column has a value for each step. NaN is null in JSON.
type column []float64

func (c column) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, x := range c {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(x) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, x, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// after returns the rows that begin with the step from. It leaves out a name
// without a value in them.
func (s *series) after(from int64) *columns {
	first, _ := slices.BinarySearch(s.steps, from)
	c := &columns{Steps: append([]int64{}, s.steps[first:]...), Times: []int64{}, Values: map[string]column{}}
	for _, t := range s.times[first:] {
		c.Times = append(c.Times, t.UnixMilli())
	}
	for name, values := range s.columns {
		if first >= len(values) || !slices.ContainsFunc(values[first:], func(x float64) bool { return !math.IsNaN(x) }) {
			continue
		}
		rows := make(column, len(c.Steps))
		for i := copy(rows, values[first:]); i < len(rows); i++ {
			rows[i] = math.NaN()
		}
		c.Values[name] = rows
	}
	return c
}

// series returns the series of a run, beginning with the step that the query
// names.
func (s *Server) series(run *run, r *http.Request) (any, error) {
	from := int64(math.MinInt64)
	if text := r.FormValue("from"); text != "" {
		var err error
		if from, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, wrong("from is %.20q, must be a step", text)
		}
	}
	var c *columns
	err := run.look(func(all *series, verdict string) {
		c = all.after(from)
		c.Verdict = verdict
	})
	if err != nil {
		return nil, err
	}
	c.Name, c.Mixed = run.name, run.mixed(math.MaxInt)
	c.Ratings, _, _ = run.ladder.read(run.path)
	return c, nil
}
