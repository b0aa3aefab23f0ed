package alphabeta

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"warren/game"
)

// setups holds the sixteen pieces of some good setups, from the player's left:
// the front rank, then the rank behind it. Each is among the most frequent
// setups of strong players on arimaa.com. The strong pieces are in front, with
// the elephant in the middle and a horse or the camel on each wing.
var setups = [...]string{
	"RHCEMCHR" + "RRRDDRRR", // "99of9": cats behind the traps, dogs in the middle
	"RHDEMDHR" + "RRRCCRRR", // dogs behind the traps, cats at home
	"DHCEMCHD" + "RRRRRRRR", // every rabbit behind
	"HMREDRCH" + "RCRDRRRR", // camel on a wing, rabbits behind the traps
	"RDHEMHDR" + "RRRCCRRR", // strong in the middle
	"HCREMRCH" + "RRRDDRRR",
}

// Setup returns the placements that complete the setup of the side to act. It
// chooses one of several good setups at random. Gold's setup is mirrored at
// random. Silver's is mirrored so that the elephants face each other. If some
// pieces are already placed, the rest follow the setup as closely as the
// remaining pieces allow. Setup returns nil if the setup is over.
func Setup(g *game.Game, rng *rand.Rand) []game.Action {
	if !g.InSetup() {
		return nil
	}
	side := g.Side()
	pieces := []byte(setups[rng.IntN(len(setups))])
	mirror := rng.IntN(2) == 1
	if side == game.Silver {
		gold := bits.TrailingZeros64(g.Board().Pieces(game.Gold, game.Elephant)) % 8
		mirror = (gold < 4) != (slices.Index(pieces, 'E') < 4)
	}
	if mirror {
		slices.Reverse(pieces[:8])
		slices.Reverse(pieces[8:])
	}
	return complete(g, pieces)
}

// complete returns the placements of the pieces on the free squares. The pieces
// are given front rank first, from file a to h. If no piece of a kind is left,
// the weakest remaining piece replaces it.
func complete(g *game.Game, pieces []byte) []game.Action {
	var left [game.NumKinds]int
	free := 0
	for k := game.Rabbit; k <= game.Elephant; k++ {
		left[k] = g.SetupLeft(k)
		free += left[k]
	}
	const missing = game.Kind(game.NumKinds)
	var kinds [16]game.Kind // the back rank first, as the rules fill it
	for i := 16 - free; i < 16; i++ {
		kinds[i] = kindOf(pieces[(i+8)%16])
		if left[kinds[i]] == 0 {
			kinds[i] = missing
			continue
		}
		left[kinds[i]]--
	}
	var actions []game.Action
	for i := 16 - free; i < 16; i++ {
		for k := game.Rabbit; kinds[i] == missing; k++ {
			if left[k] > 0 {
				left[k]--
				kinds[i] = k
			}
		}
		actions = append(actions, game.PlaceAction(kinds[i]))
	}
	return actions
}

func kindOf(letter byte) game.Kind {
	k := game.Rabbit
	for game.PieceLetter(game.Gold, k) != letter {
		k++
	}
	return k
}
