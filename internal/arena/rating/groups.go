package rating

import "math"

// groups are the players that games connect, directly or through others, and the
// places of all players in the information matrix.
type groups struct {
	place   []int // by player
	of      []int // group by player
	members [][]int
	fixed   []int // by group, the place of the player with whom the others are compared
}

// newGroups finds the groups. The fixed player of each is the last by place.
func newGroups(meetings []meeting, place []int) *groups {
	parent := make([]int, len(place))
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, m := range meetings {
		parent[root(m.a)] = root(m.b)
	}
	g := &groups{place: place, of: make([]int, len(place))}
	byPlace := make([]int, len(place))
	for i, p := range place {
		byPlace[p] = i
	}
	number := make(map[int]int)
	for _, i := range byPlace {
		k, ok := number[root(i)]
		if !ok {
			k = len(g.members)
			number[root(i)] = k
			g.members, g.fixed = append(g.members, nil), append(g.fixed, 0)
		}
		g.of[i] = k
		g.members[k], g.fixed[k] = append(g.members[k], i), place[i]
	}
	return g
}

// firsts returns, for each place, the first place of an opponent, or its own if that
// is earlier. Fixed players have no opponents.
func (g *groups) firsts(meetings []meeting) []int {
	first := make([]int, len(g.place))
	for i := range first {
		first[i] = i
	}
	for _, m := range meetings {
		a, b := g.place[m.a], g.place[m.b]
		if last := max(a, b); last != g.fixed[g.of[m.a]] {
			first[last] = min(first[last], a, b)
		}
	}
	return first
}

// centered returns theta with the mean of each group at 0.
func (g *groups) centered(theta []float64) []float64 {
	out := make([]float64, len(theta))
	for _, members := range g.members {
		sum := 0.0
		for _, i := range members {
			sum += theta[i]
		}
		for _, i := range members {
			out[i] = theta[i] - sum/float64(len(members))
		}
	}
	return out
}

// order returns a place for each player. Those who have met many others come last,
// which keeps the envelope small: on the ladder of a run each network has met the
// one before it and the same few baselines.
func (r *Results) order() []int {
	many := int(2 * math.Sqrt(float64(len(r.scores))))
	place := make([]int, len(r.scores))
	next := 0
	for _, last := range []bool{false, true} {
		for i, scores := range r.scores {
			if (len(scores) > many) == last {
				place[i] = next
				next++
			}
		}
	}
	return place
}
