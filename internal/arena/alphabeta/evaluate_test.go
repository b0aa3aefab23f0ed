package alphabeta

import (
	"testing"

	"warren/game"
)

func TestEvaluationIsSymmetric(t *testing.T) {
	seen := 0
	walk(1, 12, 60, func(g *game.Game) {
		if g.InSetup() {
			return
		}
		seen++
		b := g.Board()
		flip, mirror := b.Flip(), b.Mirror()
		for side := game.Gold; side <= game.Silver; side++ {
			score := evaluate(b, side)
			if f := evaluate(&flip, side.Other()); f != score {
				t.Fatalf("%v to move: %d, with the colours exchanged %d\n%s", side, score, f, b)
			}
			if m := evaluate(&mirror, side); m != score {
				t.Fatalf("%v to move: %d, mirrored %d\n%s", side, score, m, b)
			}
		}
		// The parts that do not depend on the turn sum to zero over both sides.
		gold, silver := judge(b, game.Gold), judge(b, game.Silver)
		if gold.quiet != -silver.quiet {
			t.Fatalf("quiet part %d for Gold, %d for Silver\n%s", gold.quiet, silver.quiet, b)
		}
	})
	if seen < 500 {
		t.Errorf("saw only %d states", seen)
	}
}

func TestMaterial(t *testing.T) {
	full := counts{8, 2, 2, 2, 1, 1}
	if m := material(&full, &full); m != 0 {
		t.Errorf("equal pieces are worth %d", m)
	}
	// The first rabbit is the unit; stronger officers are worth more.
	last := int32(0)
	for k := game.Rabbit; k <= game.Elephant; k++ {
		less := full
		less[k]--
		lost := material(&full, &less)
		if lost <= last || k == game.Rabbit && (lost < 98 || lost > 102) {
			t.Errorf("the loss of one %v is worth %d, of one weaker %d", k, lost, last)
		}
		if gain := material(&less, &full); gain != -lost {
			t.Errorf("the loss of one %v is worth %d to one and %d to the other", k, lost, gain)
		}
		last = lost
	}
}

func TestEvaluationSeesWhatHangs(t *testing.T) {
	hanging := position(t, game.Silver,
		"........",
		"rrrrrrrr",
		"........",
		"........",
		"..e.....",
		"...H....",
		"........",
		"RRRRRRRR").Board()
	guarded := position(t, game.Silver,
		"........",
		"rrrrrrrr",
		"........",
		"........",
		"..e.....",
		"...H....",
		"..R.....",
		"RR.RRRRR").Board()
	if h, s := judge(hanging, game.Silver), judge(guarded, game.Silver); h.threat != pieceWorth[game.Horse] || s.threat >= h.threat {
		t.Errorf("threats %d on a lone horse by a trap, %d on a guarded one", h.threat, s.threat)
	}
}

// Of the parts of a score only the threats of the side to move, and what is quiet, are good for it.
func TestParts(t *testing.T) {
	for want, j := range map[int32]judgement{100: {quiet: 100}, 60: {threat: 100}, -15: {next: 100}, -100: {goal: 100}, 0: {best: 100}} {
		if got := j.score(); got != want {
			t.Errorf("%+v has the score %d, want %d", j, got, want)
		}
	}
	b := position(t, game.Gold,
		"........",
		"rrrrrrrr",
		"........",
		"........",
		"..e.....",
		"...H....",
		"........",
		"RRRRRRRR").Board()
	var q squares
	q.read(b)
	gold, silver := q.side(game.Gold), q.side(game.Silver)
	// An elephant and a horse are beside c3, and a rabbit beside each of Silver's own traps.
	rest := material(&q.counts[game.Gold], &q.counts[game.Silver]) + gold - silver
	if got, want := judge(b, game.Gold).quiet-rest, int32(-60*5/11-2*(60*1/7)); got != want {
		t.Errorf("the traps are worth %d, want %d", got, want)
	}
	q.frozen[game.Gold] = q.kinds[game.Gold][game.Horse]
	if got, want := q.side(game.Gold)-gold, -pieceWorth[game.Horse]*8/100; got != want {
		t.Errorf("a frozen horse is worth %d, want %d", got, want)
	}
}
