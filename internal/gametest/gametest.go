// Package gametest supplies positions to the tests of packages that stand on
// the rules: random boards and real games. Only tests import it.
package gametest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"warren/game"
)

// RandomBoard returns a board that a game might reach. Each side has 1 to 8
// rabbits and at most that many officers; no piece stands on a trap and no
// rabbit on its goal rank.
func RandomBoard(rng *rand.Rand, officers int) (b game.Board) {
	for c := game.Gold; c <= game.Silver; c++ {
		put := func(k game.Kind) {
			for {
				s := game.Square(rng.IntN(64))
				bit := uint64(1) << s
				if (b.Occupied()|game.Traps)&bit == 0 && (k != game.Rabbit || game.GoalRank(c)&bit == 0) {
					b.Put(s, c, k)
					return
				}
			}
		}
		for range 1 + rng.IntN(8) {
			put(game.Rabbit)
		}
		left := officers
		for k := game.Cat; k <= game.Elephant; k++ {
			for range game.SetupCount(k) {
				if left > 0 && rng.IntN(3) > 0 {
					put(k)
					left--
				}
			}
		}
	}
	return b
}

// ArchivePath returns the path of the archive of real games among the test data of
// package game.
func ArchivePath(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "game", "testdata", "archive-2026-02.tsv")
		}
		if dir == filepath.Dir(dir) {
			tb.Fatal("the test does not run in the module")
		}
		dir = filepath.Dir(dir)
	}
}

// Archive returns the games of ArchivePath.
func Archive(tb testing.TB) (games []*game.MoveList) {
	tb.Helper()
	f, err := os.Open(ArchivePath(tb))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	for a, err := range game.ReadGames(f) {
		if err != nil {
			tb.Fatal(err)
		}
		m, err := game.ParseMoveList(a.MoveList)
		if err != nil {
			tb.Fatalf("line %d: %v", a.Line, err)
		}
		games = append(games, m)
	}
	return games
}
