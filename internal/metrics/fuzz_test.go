package metrics

import (
	"math"
	"testing"
)

// A line of a file of points gives a point that is written as it was read, or an error.
func FuzzPoint(f *testing.F) {
	f.Add([]byte(`{"step":3,"time":"2026-11-21T01:02:03Z","values":{"loss/policy":1.23456789,"b":"NaN","b":"-Infinity"}}`))
	f.Add([]byte(`{"step":3,"time":"2026-11-21T01:02:03+01:00","values":{"b":null}}`))
	f.Add([]byte(`{"step":1e99}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var p, again Point
		if p.UnmarshalJSON(line) != nil {
			return
		}
		written, err := p.MarshalJSON()
		if err != nil {
			return // a time that JSON does not have
		}
		if err := again.UnmarshalJSON(written); err != nil || again.Step != p.Step || !again.Time.Equal(p.Time) || len(again.Values) != len(p.Values) {
			t.Fatalf("%q is written as %q, which is read as %+v, %v", line, written, again, err)
		}
		for i, v := range p.Values {
			got := again.Values[i]
			if got.Name != v.Name || got.Value != v.Value && !(math.IsNaN(got.Value) && math.IsNaN(v.Value)) {
				t.Errorf("%q is written as %q, and %+v is read as %+v", line, written, v, got)
			}
		}
	})
}
