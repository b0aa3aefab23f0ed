package mcts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// A simulation that comes to a position that another order of the same steps has
// proven ends there, whether the tree continues below it or not.
func TestOrdersShareProofs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	config := AlphaZeroConfig()
	config.Proofs = true
	ends, inside := 0, 0
	for i := range 100 {
		config.WinTestSteps = 1000 * (1 - i%2)
		s := New(config, 2000)
		s.Reset(duel(rng))
		run(s, 600, uniform)
		if s.Proof() != Unproven {
			continue
		}
		var walk func(g *game.Game, path []choice)
		walk = func(g *game.Game, path []choice) {
			at := int32(0)
			if len(path) > 1 {
				at = s.edges[path[len(path)-1].edge].node()
			}
			first, end := s.nodes[at].span()
			for e := first; e < end; e++ {
				next, line := g.Clone(), append(path[:len(path):len(path)], choice{at, e})
				next.Play(s.actions[e])
				if next.Result().Over() || s.edges[e].decided() {
					continue
				}
				child := s.edges[e].node()
				if winner, ok := s.proofs.find(next.Hash()); ok {
					s.path = append(s.path[:0], line...)
					if child > 0 {
						s.path = append(s.path, choice{child, s.nodes[child].first})
						inside++
					} else {
						ends++
					}
					before := s.Simulations()
					s.line.rewind()
					leaf, status := s.reach()
					if leaf != nil || status != Finished || !s.edges[e].decided() || s.edges[e].winner() != winner {
						t.Fatalf("a position that %v is known to win: status %v, edge %+v", winner, status, s.edges[e])
					}
					if n := s.Simulations() - before; n < 0 || n > 1 {
						t.Fatalf("one simulation counts %d visits", n)
					}
				} else if child > 0 {
					walk(next, line)
				}
			}
		}
		walk(s.game, []choice{{}})
	}
	if ends < 20 || inside < 20 {
		t.Errorf("%d ends and %d positions inside: too few to tell", ends, inside)
	}
}

// The table of proofs keeps what it holds as it grows, except where two hashes
// share a place.
func TestTableOfProofs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var p proofs
	if _, ok := p.find(0); ok {
		t.Error("an empty table knows a winner")
	}
	hashes := make([]uint64, 1000)
	for i := range hashes {
		hashes[i] = rng.Uint64()
		p.add(hashes[i], game.Color(i%2), 2*i)
	}
	kept := 0
	for i, h := range hashes {
		if winner, ok := p.find(h); ok {
			kept++
			if winner != game.Color(i%2) {
				t.Fatalf("hash %d is won by %v", i, winner)
			}
		}
		if _, ok := p.find(h ^ 1<<63); ok {
			t.Fatalf("hash %d: another hash is known too", i)
		}
	}
	if kept < 500 {
		t.Errorf("%d of %d hashes are kept", kept, len(hashes))
	}
	if p.clear(); *p.place(hashes[999]) != 0 {
		t.Error("a cleared table is not empty")
	}
}

// TestProofsOfUsedSearches: what a search proves does not depend on what it searched before, other positions or the same.
// Otherwise a game could not be played again.
func TestProofsOfUsedSearches(t *testing.T) {
	proving := AlphaZeroConfig()
	proving.Proofs = true
	tests := DefaultConfig()
	tests.WinTestSteps = 20 // so that tests give up, unless they know more
	for _, config := range []Config{proving, tests} {
		used := New(config, 20000)
		rng := rand.New(rand.NewPCG(15, 16))
		for range 100 {
			g := duel(rng)
			fresh := New(config, 20000)
			used.Reset(g)
			run(used, 300, hashed)
			for _, s := range []*Search{used, fresh} {
				s.Reset(g)
			}
			for range 12 {
				var found [2][]ActionStats
				for i, s := range []*Search{used, fresh} {
					run(s, 100, hashed)
					found[i] = s.Root(nil)
				}
				if !slices.Equal(found[0], found[1]) || used.Proof() != fresh.Proof() {
					t.Fatal("a search that was used before finds something else than a new one")
				}
				out, ok := fresh.Outcome(0, nil)
				if !ok {
					break
				}
				used.Advance(out.Action)
				fresh.Advance(out.Action)
			}
			used.Reset(duel(rng))
			run(used, 1000, hashed) // more than above
		}
	}
}
