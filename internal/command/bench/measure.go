package bench

import (
	"context"
	"fmt"
	"slices"
)

// rates are the measured rates of one engine at one job, one per round.
type rates []float64

func (r rates) median() float64 {
	s := slices.Sorted(slices.Values(r))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func (r rates) String() string {
	return fmt.Sprintf("%.0f (%.0f-%.0f)", r.median(), slices.Min(r), slices.Max(r))
}

func (r rates) sum() (total float64) {
	for _, v := range r {
		total += v
	}
	return total
}

// over formats how much faster r is than other: the ratio of the medians, and the lowest and
// highest ratio of a round.
func (r rates) over(other rates) string {
	rounds := make(rates, len(r))
	for i := range r {
		rounds[i] = r[i] / other[i]
	}
	return fmt.Sprintf("**%.2f** (%.2f-%.2f)", r.median()/other.median(), slices.Min(rounds), slices.Max(rounds))
}

// engine is Warren on some device.
type engine interface {
	// rate runs the job for one turn and returns positions per second.
	rate(job) (float64, error)
	close() error
}

// interleave lets Warren and every way of every peer take turns at a job, and returns a row of
// the table. Every other round is in the opposite order. For each peer, the way with the
// highest median counts.
func interleave(ctx context.Context, j job, w engine, peers []*peer, rounds int) (string, error) {
	ways := []way{{"Warren", func() (float64, error) { return w.rate(j) }}}
	var owners [][2]int // for each peer, the index of its first way and the index after its last
	for _, p := range peers {
		first := len(ways)
		ways = append(ways, p.ways(j)...)
		owners = append(owners, [2]int{first, len(ways)})
	}
	measured := make([]rates, len(ways))
	for round := -1; round < rounds; round++ { // round -1 is a warm-up
		for i := range ways {
			if round%2 != 0 {
				i = len(ways) - 1 - i
			}
			if err := ctx.Err(); err != nil {
				return "", err
			}
			rate, err := ways[i].run()
			if err != nil {
				return "", err
			}
			if round >= 0 {
				measured[i] = append(measured[i], rate)
			}
		}
	}
	row := fmt.Sprintf("| %d | %d | %v |", j.threads, j.batch, measured[0])
	for k, o := range owners {
		best := o[0]
		for i := o[0]; i < o[1]; i++ {
			if measured[i].median() > measured[best].median() {
				best = i
			}
		}
		how := ""
		if o[1]-o[0] > 1 {
			how = ", " + ways[best].name
		}
		if peers[k].how != "" {
			how += ", " + peers[k].how
		}
		row += fmt.Sprintf(" %v%s | %s |", measured[best], how, measured[0].over(measured[best]))
	}
	return row, nil
}

// heading returns the head of the table.
func heading(peers []*peer) string {
	head, line := "| threads | batch | Warren |", "|--:|--:|---|"
	for _, p := range peers {
		head += fmt.Sprintf(" %s | Warren to that |", p.name)
		line += "---|---|"
	}
	return head + "\n" + line
}
