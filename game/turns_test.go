package game

import (
	_ "embed"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/turns.tsv
var turnsTSV string

// reference is a position with the number and the digest of its distinct turns.
type reference struct {
	line   int
	game   *Game
	turns  int
	digest string
}

func references(t testing.TB) (positions []reference) {
	t.Helper()
	line := 0
	for text := range strings.Lines(turnsTSV) {
		line++
		if text[0] == '#' {
			continue
		}
		fields := strings.Fields(text)
		side, err := ParseColor(fields[0])
		if err != nil {
			t.Fatalf("turns.tsv:%d: %v", line, err)
		}
		board, err := ParseBoard(fields[1])
		if err != nil {
			t.Fatalf("turns.tsv:%d: %v", line, err)
		}
		n, err := strconv.Atoi(fields[2])
		if err != nil {
			t.Fatalf("turns.tsv:%d: %v", line, err)
		}
		positions = append(positions, reference{line, FromBoard(board, side), n, fields[3]})
	}
	if len(positions) != 173 {
		t.Fatalf("turns.tsv has %d positions, want 173", len(positions))
	}
	return positions
}

func TestDistinctTurnsAgreeWithOtherImplementations(t *testing.T) {
	for _, r := range references(t) {
		boards := r.game.DistinctTurns()
		digest := DigestBoards(boards)
		if len(boards) != r.turns || hex.EncodeToString(digest[:]) != r.digest {
			t.Errorf("turns.tsv:%d: %d turns, digest %x; want %d, %s", r.line, len(boards), digest, r.turns, r.digest)
		}
	}
}

// TestDistinctTurnsWithinATurn compares the boards on which a begun turn may end with those that all orders
// of its last step or two lead to.
func TestDistinctTurnsWithinATurn(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	begun := 0
	for i, r := range references(t) {
		if i%4 > 0 {
			continue
		}
		g := r.game
		for left := 1 + i/4%2; g.StepsLeft() > left; {
			steps := slices.DeleteFunc(g.Legal(nil), func(a Action) bool { return a == Pass })
			if len(steps) == 0 {
				break
			}
			g.Play(steps[rng.IntN(len(steps))])
		}
		if g.StepsLeft() > 2 {
			continue
		}
		begun++
		want, got := map[Board]bool{}, g.DistinctTurns()
		endings(g, want)
		if len(got) != len(want) {
			t.Errorf("turns.tsv:%d, %d steps left: %d boards, want %d", r.line, g.StepsLeft(), len(got), len(want))
		}
		for _, b := range got {
			if !want[b] {
				t.Fatalf("turns.tsv:%d, %d steps left: the turn cannot end on\n%v", r.line, g.StepsLeft(), &b)
			}
		}
	}
	if begun < 30 {
		t.Errorf("%d turns begun: too few to tell", begun)
	}
}

// endings adds the boards on which the turn can end.
func endings(g *Game, ends map[Board]bool) {
	mark, turns := g.Mark(), g.Turns()
	for _, a := range g.Legal(nil) {
		g.Play(a)
		if g.Turns() > turns {
			ends[*g.Board()] = true
		} else {
			endings(g, ends)
		}
		g.Restore(mark)
	}
}

func BenchmarkDistinctTurns(b *testing.B) {
	positions := references(b)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range positions {
			r.game.DistinctTurns()
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(n), "ms/position")
}
