package replay

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"warren/data"
	"warren/game"
)

// Packing and unpacking keeps a decision's targets and drops everything else.
func TestTargetRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		weights := rapid.SampledFrom([]float32{0, 1, 0.1, 3})
		want := data.Decision{
			Value:        rapid.Float32Range(0, 1).Draw(rt, "value"),
			PolicyWeight: weights.Draw(rt, "policy weight"), ValueWeight: weights.Draw(rt, "value weight"),
		}
		// The actions are in any order: packing does not need what Validate requires.
		action := rapid.Custom(func(rt *rapid.T) game.Action { return game.Action(rapid.Uint16().Draw(rt, "action")) })
		if rapid.Bool().Draw(rt, "shares") {
			for range rapid.IntRange(1, 30).Draw(rt, "n") {
				want.Policy = append(want.Policy, data.Share{Action: action.Draw(rt, "to"), Share: rapid.Float32Range(0, 1).Draw(rt, "share")})
			}
		} else {
			for range rapid.IntRange(1, 30).Draw(rt, "n") {
				want.Visits = append(want.Visits, data.Visit{Action: action.Draw(rt, "to"), Count: rapid.Uint32().Draw(rt, "count")})
			}
		}
		packed := want
		packed.Full = true
		if want.Policy != nil {
			packed.Visits = []data.Visit{{Action: 1, Count: 1}}
		}
		got := data.Decision{Visits: make([]data.Visit, 3), Policy: make([]data.Share, 40)}
		decodeTarget(append(appendTarget(nil, &packed), 0xff), &got)
		if len(got.Visits) == 0 {
			got.Visits = nil
		}
		if len(got.Policy) == 0 {
			got.Policy = nil
		}
		if !reflect.DeepEqual(got, want) {
			rt.Fatalf("%+v came back as %+v", want, got)
		}
	})
}
