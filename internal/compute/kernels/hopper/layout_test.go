package hopper_test

import (
	"testing"

	"warren/internal/compute/kernels/hopper"
)

// TestTaps checks that a matrix of wgmma at the place of a tap has the squares next to those of the
// matrix itself, and zeros where there are none.
func TestTaps(t *testing.T) {
	for _, tower := range towers(t) {
		octets := tower.Channels / 8
		type square struct{ octet, board, rank, file int }
		at := map[int]square{}
		unit := func(s square) int {
			return hopper.First + s.octet*hopper.Octet + s.rank*hopper.Ranks + s.board*hopper.Rank + s.file
		}
		for octet := range octets {
			for i := range 256 {
				s := square{octet, i / 64, i / 8 % 8, i % 8}
				if _, ok := at[unit(s)]; ok {
					t.Fatalf("%s: two squares are at %d", tower.Kernel, unit(s))
				}
				at[unit(s)] = s
			}
		}
		for _, s := range at {
			for tap := range 9 {
				want := s
				want.rank, want.file = s.rank+tap/3-1, s.file+tap%3-1
				// The matrices of an octet begin at start. The next one is Rank units further.
				start := tap/3*hopper.Ranks + tap%3 + s.octet*hopper.Octet
				place := start + (s.rank*4+s.board)*hopper.Rank + s.file
				got, ok := at[place]
				if on := want.rank&^7 == 0 && want.file&^7 == 0; ok != on || on && got != want {
					t.Fatalf("%s: tap %d of %v is %v (%v)", tower.Kernel, tap, s, got, ok)
				}
				if place < 0 || (place+1)*hopper.Unit > tower.Activations() {
					t.Fatalf("%s: tap %d of %v is outside at %d", tower.Kernel, tap, s, place)
				}
			}
		}
	}
}
