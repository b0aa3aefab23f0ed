package learn

import (
	"math/rand/v2"
	"slices"
	"strings"

	"warren/net"
)

// Recycle gives fresh weights to the dormant units of a network (ReDo, Sokar et al. 2023, "The
// dormant neuron phenomenon in deep reinforcement learning", sec. 5), and returns their number. A
// unit of a rectified layer that is negative in every position has no gradient, so it never comes
// back. Here a unit counts as dormant if its bias has had no gradient for some hundred minibatches,
// while the layers that read it have had one. (A head that has nothing left to learn has no
// gradient anywhere; its units are kept.) The weights of a dormant unit are drawn anew, and the
// weights of those who read it become 0, so the network that learns computes the same
// as before, and an averaged one does where the unit is dormant in the average, too.
//
// The state is a trainer's after some hundred steps or more, and is changed in place.
func Recycle(c net.Config, state []net.Tensor, rng *rand.Rand) (recycled int) {
	versions := map[string][]net.Tensor{} // of each parameter: itself, its moments, its average
	for _, t := range state {
		versions[parameter(t.Name)] = append(versions[parameter(t.Name)], t)
	}
	for _, layer := range c.Program().Rectified() {
		weight, bias := versions[layer.Weight()], versions[layer.Bias()]
		if !slices.ContainsFunc(layer.Readers, func(r *net.Layer) bool { return learns(versions[r.Bias()]) }) {
			continue
		}
		for unit := range layer.Outputs() {
			if !dormant(bias, unit) {
				continue
			}
			recycled++
			for _, t := range bias {
				t.Data[unit] = 0
			}
			for at := unit; at < len(weight[0].Data); at += layer.Outputs() {
				fresh := float32(layer.Std * rng.NormFloat64())
				for _, t := range weight {
					if t.Data[at] = fresh; strings.HasPrefix(t.Name, optimizerPrefix) {
						t.Data[at] = 0
					}
				}
			}
			for _, r := range layer.Readers {
				for _, t := range versions[r.Weight()] {
					silence(t, unit, layer.Outputs())
				}
			}
		}
	}
	return recycled
}

// dormant reports whether a unit's bias has had no gradient for long: its first moment has faded.
func dormant(bias []net.Tensor, unit int) bool {
	return settled(firstMoment(bias)[unit], faded) == 0
}

// learns reports whether the gradient of a layer's bias is large enough that the gradients of
// active units before it cannot have faded.
func learns(bias []net.Tensor) bool {
	return slices.ContainsFunc(firstMoment(bias), func(v float32) bool { return settled(v, 1e6*faded) != 0 })
}

// firstMoment returns the average of a parameter's recent gradients, among its versions.
func firstMoment(versions []net.Tensor) []float32 {
	for _, t := range versions {
		if strings.HasPrefix(t.Name, optimizerPrefix+"m") {
			return t.Data
		}
	}
	return nil
}

// silence clears what a weight with the shape [..., out] reads from a unit.
func silence(weight net.Tensor, unit, units int) {
	out := weight.Shape[len(weight.Shape)-1]
	for row := unit; row < len(weight.Data)/out; row += units {
		clear(weight.Data[row*out : (row+1)*out])
	}
}

// parameter returns the name of the parameter that a tensor of a state belongs to.
func parameter(name string) string {
	if rest, ok := strings.CutPrefix(name, AveragePrefix); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, optimizerPrefix); ok {
		_, rest, _ = strings.Cut(rest, ".") // the kind of moment
		return rest
	}
	return name
}
