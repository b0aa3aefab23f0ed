package dataset

import "warren/data/replay"

// Splits are the names of the splits, the largest first.
var Splits = []string{"train", "validation", "test"}

// share is the share of the games in the test split, and in the validation split. Data.held_out_fraction has the
// same default.
const share = 0.05

// Split returns the split of the game with this number. It depends on nothing else, so a game stays in its split
// when games are added. The test split has the games that a run holds out from training by default
// ([replay.HeldOut]).
func Split(number uint64) string {
	switch {
	case replay.HeldOut(number, share):
		return "test"
	case replay.HeldOut(number, 2*share):
		return "validation"
	}
	return "train"
}
