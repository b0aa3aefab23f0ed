package game

import (
	_ "embed"
	"encoding/hex"
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
