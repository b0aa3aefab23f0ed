package data

import (
	"testing"

	"warren/game"
)

// TestDrawn: only a placement with one visit, no full search and no policy target of its own was drawn.
func TestDrawn(t *testing.T) {
	rabbit, cat := game.PlaceAction(game.Rabbit), game.PlaceAction(game.Cat)
	visit := func(a game.Action, n uint32) Visit { return Visit{Action: a, Count: n} }
	for name, c := range map[string]struct {
		Decision
		drawn bool
	}{
		"drawn":                      {Decision{Action: cat, Visits: []Visit{visit(cat, 1)}}, true},
		"forced or at random":        {Decision{Action: cat}, false},
		"a full search":              {Decision{Action: cat, Full: true, Visits: []Visit{visit(cat, 1)}}, false},
		"two visits":                 {Decision{Action: cat, Visits: []Visit{visit(cat, 2)}}, false},
		"visits of two placements":   {Decision{Action: cat, Visits: []Visit{visit(rabbit, 1), visit(cat, 1)}}, false},
		"a target of its own":        {Decision{Action: cat, Visits: []Visit{visit(cat, 1)}, Policy: []Share{{rabbit, 0.5}, {cat, 0.5}}}, false},
		"a step with a quick search": {Decision{Action: 0, Visits: []Visit{visit(0, 1)}}, false},
	} {
		if got := c.Drawn(); got != c.drawn {
			t.Errorf("%s: %t", name, got)
		}
	}
}
