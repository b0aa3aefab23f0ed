package page

import (
	"math"
	"net/http"
	"slices"
	"strconv"

	"warren/metrics"
)

// columns holds the series of a run, as sent to the page. There is a row for
// each step and a column for each name. A missing or non-finite value is null.
type columns struct {
	Name    string                `json:"name"`
	Verdict string                `json:"verdict"`
	Steps   []int64               `json:"steps"`
	Times   []int64               `json:"times"` // Unix time in milliseconds
	Values  map[string][]*float64 `json:"values"`
	Ratings []rated               `json:"ratings"` // ratings of the fixed opponents
}

// columnsOf returns the rows of points, beginning with the step from. Where a
// run was resumed, newer values replace older ones, as in [metrics.Series].
func columnsOf(points []metrics.Point, from int64) *columns {
	c := &columns{Steps: []int64{}, Times: []int64{}, Values: map[string][]*float64{}}
	samples := map[string][]metrics.Sample{}
	for _, p := range points {
		if p.Step >= from {
			c.Steps = append(c.Steps, p.Step)
		}
		for _, v := range p.Values {
			list := samples[v.Name]
			for len(list) > 0 && list[len(list)-1].Step >= p.Step {
				list = list[:len(list)-1]
			}
			samples[v.Name] = append(list, metrics.Sample{Step: p.Step, Time: p.Time, Value: v.Value})
		}
	}
	slices.Sort(c.Steps)
	c.Steps = slices.Compact(c.Steps)
	c.Times = make([]int64, len(c.Steps))
	for name, list := range samples {
		column := make([]*float64, len(c.Steps))
		found := false
		for i := range list {
			s := &list[i]
			row, ok := slices.BinarySearch(c.Steps, s.Step)
			if !ok || math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
				continue
			}
			column[row] = &s.Value
			c.Times[row] = max(c.Times[row], s.Time.UnixMilli())
			found = true
		}
		if found {
			c.Values[name] = column
		}
	}
	return c
}

// series returns the series of a run, beginning with the step that the query
// names.
func (s *Server) series(r *http.Request) (any, error) {
	run, err := s.run(r)
	if err != nil {
		return nil, err
	}
	from := int64(math.MinInt64)
	if text := r.FormValue("from"); text != "" {
		if from, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, wrong("from is %.20q, must be a step", text)
		}
	}
	points := run.series()
	c := columnsOf(points, from)
	c.Name, c.Verdict = run.name, verdict(points)
	c.Ratings, _, _ = run.ladder.read(run.path)
	return c, nil
}
