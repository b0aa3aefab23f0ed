package metrics

import (
	"maps"
	"slices"
	"sync"
)

// Newest is a sink that keeps the newest value of every series. The zero value is ready to use.
type Newest struct {
	mu     sync.Mutex
	values map[string]float64
}

var _ Sink = (*Newest)(nil)

// Write takes the values of a point.
func (n *Newest) Write(p Point) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.values == nil {
		n.values = map[string]float64{}
	}
	for _, v := range p.Values {
		n.values[v.Name] = v.Value
	}
	return nil
}

// Close implements Sink.
func (n *Newest) Close() error { return nil }

// Families returns a gauge for every series, named as in warren_loss_policy.
func (n *Newest) Families() []Family {
	n.mu.Lock()
	defer n.mu.Unlock()
	var list []Family
	taken := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(n.values)) {
		family := familyName(name)
		for taken[family] { // another series differs only in characters that a family cannot have
			family += "_"
		}
		taken[family] = true
		list = append(list, Gauge(family, "The run's series "+name+".", n.values[name]))
	}
	return list
}
