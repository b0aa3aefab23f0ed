package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A Value is one named number. Names are UTF-8. A slash in a name forms groups, as in
// TensorBoard: loss/policy, loss/value.
type Value struct {
	Name  string
	Value float64
}

// A Point is a set of values measured at one step of a run.
type Point struct {
	Step   int64     // the x axis of plots; the publisher chooses its unit
	Time   time.Time // time of the measurement
	Values []Value   // in the order to show them; each name occurs once
}

// Value returns the value with the given name, and whether the point has one.
func (p Point) Value(name string) (float64, bool) {
	for _, v := range p.Values {
		if v.Name == name {
			return v.Value, true
		}
	}
	return 0, false
}

// A Sample is one value of a series.
type Sample struct {
	Step  int64
	Time  time.Time
	Value float64
}

// Series returns the values with the given name in points, in order of increasing
// step. A run that was killed repeats the steps since its last checkpoint. Where the
// steps go back, the new values replace the old ones from that step on.
func Series(points []Point, name string) []Sample {
	var series []Sample
	for _, p := range points {
		v, ok := p.Value(name)
		if !ok {
			continue
		}
		for len(series) > 0 && series[len(series)-1].Step >= p.Step {
			series = series[:len(series)-1]
		}
		series = append(series, Sample{p.Step, p.Time, v})
	}
	return series
}

// MarshalJSON encodes the point as one JSON object without newlines. The values are an
// object with its members in the order of Values:
//
//	{"step":12,"time":"2026-11-21T01:02:03Z","values":{"loss/policy":2.31}}
//
// Values that are not JSON numbers are encoded as the strings "NaN", "Infinity" and
// "-Infinity", as in the JSON mapping of protocol buffers.
func (p Point) MarshalJSON() ([]byte, error) {
	b := append([]byte(`{"step":`), strconv.FormatInt(p.Step, 10)...)
	stamp, err := p.Time.UTC().MarshalJSON()
	if err != nil {
		return nil, err
	}
	b = append(append(b, `,"time":`...), stamp...)
	b = append(b, `,"values":{`...)
	for i, v := range p.Values {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(v.Name)
		if err != nil {
			return nil, err
		}
		b = append(append(b, name...), ':')
		switch {
		case math.IsNaN(v.Value):
			b = append(b, `"NaN"`...)
		case math.IsInf(v.Value, 0):
			if v.Value < 0 {
				b = append(b, `"-Infinity"`...)
			} else {
				b = append(b, `"Infinity"`...)
			}
		default:
			b = strconv.AppendFloat(b, v.Value, 'g', -1, 64)
		}
	}
	return append(b, "}}"...), nil
}

// UnmarshalJSON decodes the form that MarshalJSON writes. The members step, time and
// values are required; it ignores unknown members.
func (p *Point) UnmarshalJSON(b []byte) error {
	var object struct {
		Step   *int64
		Time   *time.Time
		Values json.RawMessage
	}
	if err := json.Unmarshal(b, &object); err != nil {
		return err
	}
	if object.Step == nil || object.Time == nil || object.Values == nil {
		return errors.New("a point must have the members step, time and values")
	}
	values, err := orderedValues(object.Values)
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	*p = Point{Step: *object.Step, Time: *object.Time, Values: values}
	return nil
}

// orderedValues decodes an object of numbers and keeps the order of its members, which
// a Go map would lose.
func orderedValues(b []byte) ([]Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(b))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	var values []Value
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		number, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		v := Value{Name: name.(string)} // the name of a member is always a string
		switch number {
		case "NaN":
			v.Value = math.NaN()
		case "Infinity":
			v.Value = math.Inf(1)
		case "-Infinity":
			v.Value = math.Inf(-1)
		default:
			x, ok := number.(float64)
			if !ok {
				return nil, fmt.Errorf("%s is not a number", v.Name)
			}
			v.Value = x
		}
		values = append(values, v)
	}
	return values, nil
}
