package page

import (
	"strings"

	"warren/game"
	"warren/internal/session"
)

// handicap lists the pieces that the sides play without, as letters such as "mr".
type handicap struct {
	Gold   string `json:"gold"`
	Silver string `json:"silver"`
}

// mostHandicap bounds the pieces that a side may play without.
const mostHandicap = 6

func (h handicap) kinds() (session.Handicap, error) {
	var all session.Handicap
	for color, letters := range [2]string{h.Gold, h.Silver} {
		if len(letters) > mostHandicap {
			return all, wrong("a handicap of %d pieces: at most %d", len(letters), mostHandicap)
		}
		for _, letter := range letters {
			k := strings.IndexRune("rcdhme", letter)
			if k < 0 {
				return all, wrong("the handicap is %.20q, must have letters of pieces, r c d h m e", letters)
			}
			all[color] = append(all[color], game.Kind(k))
		}
	}
	return all, nil
}
