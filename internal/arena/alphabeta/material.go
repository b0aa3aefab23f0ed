package alphabeta

import (
	"math"
	"math/bits"

	"warren/game"
	"warren/internal/portable"
)

// HarLog is a measure of material used by several strong programs (published in
// the game's forum). An officer is worth more the fewer enemy pieces are
// stronger than it. Rabbits and the number of pieces count by their logarithm.
//
//	officer with n > 0 stronger enemies   1/(Q+n); 2/Q for n = 0
//	rabbits and all pieces of the side    G ln(rabbits * pieces)
//
// In these units, the loss of the first rabbit costs 0.125.
const (
	harlogQ = 1.447530126
	harlogG = 0.6314442034
	// rabbitUnit converts these units to centi-rabbits.
	rabbitUnit = 100 / 0.1250700
)

var (
	// officerValue is the worth of an officer, by the number of stronger enemies.
	officerValue = func() (v [9]int32) {
		v[0] = int32(math.Round(rabbitUnit * 2 / harlogQ))
		for n := 1; n < len(v); n++ {
			v[n] = int32(math.Round(rabbitUnit / (harlogQ + float64(n))))
		}
		return v
	}()
	// numbersValue is the worth of the numbers, by rabbits times pieces.
	numbersValue = func() (v [8*16 + 1]int32) {
		for n := 1; n < len(v); n++ {
			v[n] = int32(math.Round(rabbitUnit * harlogG * portable.Log(float64(n))))
		}
		return v
	}()
)

// counts holds the number of a side's pieces by kind.
type counts [game.NumKinds]uint8

// material returns the worth of own minus that of enemy, in centi-rabbits.
func material(own, enemy *counts) int32 {
	return worth(own, enemy) - worth(enemy, own)
}

func worth(own, enemy *counts) int32 {
	value, stronger, pieces := int32(0), uint8(0), own[game.Rabbit]
	for k := game.Elephant; k > game.Rabbit; k-- {
		value += int32(own[k]) * officerValue[stronger]
		stronger += enemy[k]
		pieces += own[k]
	}
	return value + numbersValue[int(own[game.Rabbit])*int(pieces)]
}

// count returns the number of c's pieces by kind.
func count(b *game.Board, c game.Color) (n counts) {
	for k := range n {
		n[k] = uint8(bits.OnesCount64(b.Pieces(c, game.Kind(k))))
	}
	return n
}
