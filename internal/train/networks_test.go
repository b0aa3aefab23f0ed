package train

import (
	"testing"

	"warren/internal/eval"
	"warren/net"
)

// saturated opens networks that limit an activation in as many positions as their generation says.
type saturated struct{}

func (saturated) Play(_ *net.Network, origin eval.Origin) (*eval.Network, error) {
	s := &eval.Saturation{}
	for range origin.Generation {
		s.Count(true)
	}
	return &eval.Network{Backend: limits{saturation: s}, Origin: origin}, nil
}

func (saturated) Lost(n *eval.Network, err error) (*eval.Network, error) { return nil, err }

// limits is a back end with a saturation.
type limits struct {
	eval.Uniform
	saturation *eval.Saturation
}

func (l limits) Attributes() eval.Attributes { return eval.Attributes{Saturation: l.saturation} }

// The saturation is of the network that has played since the last report, even if another has been looked at
// since: without a gatekeeper the one that was replaced, with one the one that plays until the new one has passed.
func TestSaturationIsOfTheNetworkThatPlayed(t *testing.T) {
	n := &networks{dir: &Dir{}, devices: saturated{}}
	for _, c := range []struct {
		replaced bool
		now      int
		want     int64
	}{{true, 0, 0}, {true, 1, 0}, {true, 2, 1}, {true, 3, 2}, {false, 3, 3}, {false, 3, 3}, {true, 5, 3}} {
		if c.replaced {
			if err := n.use(nil, c.now, 0); err != nil {
				t.Fatal(err)
			}
		}
		if _, got := n.saturation().Counts(); got != c.want {
			t.Errorf("when generation %d plays, the saturation is that of %d, want %d", c.now, got, c.want)
		}
	}
}
