package game

import (
	"slices"
	"strings"
	"testing"
)

// TestResults tests the six ways a game ends and their order. The opponent of the
// side to move has just played.
func TestResults(t *testing.T) {
	const rest = none + none + none + none
	tests := []struct {
		name, board string
		side        Color // to move
		want        Result
	}{
		{"ongoing", none + "...r.... " + none + none + rest[:18] + "..R..... ........", Gold, Result{}},
		{"a rabbit of the player who moved is on its goal", "R....... r....... " + rest + none + none, Silver, Result{Gold, Goal}},
		{"a rabbit of the other player was brought to its goal", none + "R....... " + rest + none + "r.......", Silver, Result{Silver, Goal}},
		{"both are: the player who moved wins (gold)", "R....... " + none + rest + none + "r.......", Silver, Result{Gold, Goal}},
		{"both are: the player who moved wins (silver)", "R....... " + none + rest + none + "r.......", Gold, Result{Silver, Goal}},
		{"a rabbit on its own home rank is no goal", "r..e.... " + none + rest + none + "R.......", Silver, Result{}},
		{"the other player has no rabbit", none + "e....... R....... " + rest + none, Silver, Result{Gold, Elimination}},
		{"the player who moved has no rabbit", none + "e....... r....... " + rest + none, Silver, Result{Silver, Elimination}},
		{"neither has: the player who moved wins", none + "e....... E....... " + rest + none, Silver, Result{Gold, Elimination}},
		{"goal comes before elimination", "R..e.... " + none + rest, Silver, Result{Gold, Goal}},
		{"elimination comes before immobilization", "c....... ED...... " + rest + none + "R.......", Silver, Result{Gold, Elimination}},
		{"all pieces are frozen", "r....... H....... " + rest + none + "R.......", Silver, Result{Gold, Immobilization}},
		{"a rabbit may step onto its goal", none + none + rest + "r....... RR......", Silver, Result{}},
		{"a rabbit is blocked on all sides", none + none + rest + "rC...... RR......", Silver, Result{Gold, Immobilization}},
		{"a piece that can only push can move", "dC...... CR....Hr " + rest, Silver, Result{}},
		{"a piece that can only push, but has nowhere to push to, cannot move", "dCD..... CR....Hr R.......", Silver, Result{Gold, Immobilization}},
		{"a friend beside it unfreezes a rabbit", "rr...... H....... " + rest + none + "R.......", Silver, Result{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := rows(t, test.board)
			if got := FromBoard(b, test.side).Result(); got != test.want {
				t.Errorf("result %v, want %v\n%s", got, test.want, FormatDiagram(&b, "2"+string(test.side.Letter())))
			}
		})
	}
}

// playTurns plays whole turns, which must be legal.
func playTurns(t *testing.T, g *Game, turns ...string) {
	t.Helper()
	for _, turn := range turns {
		actions, err := ParseTurn(g, turn)
		if err != nil {
			t.Fatalf("turn %s, %s: %v", g.TurnLabel(), turn, err)
		}
		for _, a := range actions {
			g.Play(a)
		}
	}
}

// TestRabbitLeavesGoalWithinTurn tests that only the board after the whole turn
// decides.
func TestRabbitLeavesGoalWithinTurn(t *testing.T) {
	board := "........ r......R " + none + none + none + "...E.... ...r.... ........"
	tests := []struct {
		turn string
		want Result
	}{
		{"rd2s Ed3s", Result{Silver, Goal}},
		{"rd2s Ed3s Ed2e rd1n", Result{}},
		{"rd2s Ed3s Rh7n", Result{Gold, Goal}}, // both: the player who moved wins
	}
	for _, test := range tests {
		g := FromBoard(rows(t, board), Gold)
		playTurns(t, g, test.turn)
		if g.Result() != test.want {
			t.Errorf("%s: result %v, want %v", test.turn, g.Result(), test.want)
		}
	}
}

// TestThirdRepetition tests that a position may occur twice but not three times,
// that the first position counts, and that the side to move distinguishes
// positions.
func TestThirdRepetition(t *testing.T) {
	g := FromBoard(rows(t, far8+"...e.... "+none+none+none+none+"...E.... "+far1), Gold)
	playTurns(t, g, "Ed2n", "ed7s", "Ed3s")
	if g.Repetitions() != 0 {
		t.Errorf("%d repetitions of the first board with the other side to move, want 0", g.Repetitions())
	}
	playTurns(t, g, "ed6n")
	if g.Repetitions() != 1 {
		t.Errorf("%d repetitions of the first position, want 1", g.Repetitions())
	}
	playTurns(t, g, "Ed2n", "ed7s", "Ed3s")
	refused(t, g, "ed6n", "repeats a position for the third time")
	refused(t, g, "ed6ne", "") // it may continue from there
	refused(t, g, "ed6ewn", "repeats a position for the third time")

	g.Play(StepAction(43, North))
	if g.EndRepetitions() != 2 {
		t.Errorf("EndRepetitions %d where the turn may not end, want 2", g.EndRepetitions())
	}
	if actions := g.Legal(nil); slices.Contains(actions, Pass) {
		t.Errorf("legal actions %v include Pass, which repeats a position for the third time", actions)
	}
}

// TestThirdRepetitionAsLastStep tests that a fourth step is illegal if it produces
// a position for the third time.
func TestThirdRepetitionAsLastStep(t *testing.T) {
	g := FromBoard(rows(t, far8+"...e.... "+none+none+none+none+"...E.... "+far1), Gold)
	playTurns(t, g, "Ed2n", "ed7ss", "Ed3s", "ed5nn", "Ed2n", "ed7ss", "Ed3s")
	refused(t, g, "ed5neenw", "one to four directions")
	refused(t, g, "ed5nn", "repeats a position for the third time")
	refused(t, g, "ed5ennw", `only restore the board it began with or repeat a position for the third time`)
	refused(t, g, "ed5enn", "")
}

// refused requires the turn to fail with an error that contains why, or to be
// legal if why is empty.
func refused(t *testing.T, g *Game, turn, why string) {
	t.Helper()
	_, err := ParseTurn(g, turn)
	switch {
	case why == "" && err != nil:
		t.Errorf("turn %s, %s: %v", g.TurnLabel(), turn, err)
	case why != "" && (err == nil || !strings.Contains(err.Error(), why)):
		t.Errorf("turn %s, %s: error %v, want one with %q", g.TurnLabel(), turn, err, why)
	}
}

// TestCaptureForgetsPositions tests that positions from before a capture, which
// can no longer recur, no longer restrict the turns.
func TestCaptureForgetsPositions(t *testing.T) {
	g := FromBoard(rows(t, far8+"...e.... "+none+none+none+".D...... ...E.... "+far1), Gold)
	for range 2 {
		playTurns(t, g, "Ed2e", "ed7s", "Ee2w")
		if g.turns < 5 {
			playTurns(t, g, "ed6n")
		}
	}
	refused(t, g, "ed6n", "third time")
	before := g.EvalKey()
	playTurns(t, g, "ed6e", "Db3e Dc3x", "ee6w", "Ed2e")
	if g.Repetitions() != 0 || g.EvalKey() == before {
		t.Errorf("%d repetitions after a capture, want 0", g.Repetitions())
	}
	refused(t, g, "ed6n", "")
}

// TestRepetitionEndsGame tests a game in which Silver can only move the cat between
// a8 and b8. Silver loses when the next turn would repeat a position for the third
// time.
func TestRepetitionEndsGame(t *testing.T) {
	g := FromBoard(rows(t, "c.E..... rrD..... RR...... "+none+none+none+none+".......H"), Gold)
	cycle := []string{"Hh1n", "ca8e", "Hh2s", "cb8w"}
	playTurns(t, g, cycle...)
	playTurns(t, g, cycle[:3]...)
	if want := (Result{Gold, Repetition}); g.Result() != want {
		t.Fatalf("result %v, want %v", g.Result(), want)
	}
	if actions := g.Legal(nil); len(actions) != 0 {
		t.Errorf("legal actions %v in a game that is over", actions)
	}
	refused(t, g, "cb8w", "the game is over: gold has won by repetition")
}

// TestScoreWinner tests that the last turn after which the numbers of pieces
// differed decides a stopped game, and that Silver wins if they never differed.
func TestScoreWinner(t *testing.T) {
	g := FromBoard(rows(t, far8+none+none+none+none+".D....d. "+none+far1), Gold)
	if g.ScoreWinner() != Silver || g.Led() {
		t.Errorf("%v wins by the score before any capture, want silver; led: %t", g.ScoreWinner(), g.Led())
	}
	playTurns(t, g, "Db3e Dc3x")
	if g.ScoreWinner() != Silver || !g.Led() {
		t.Errorf("%v wins by the score with fewer gold pieces, want silver; led: %t", g.ScoreWinner(), g.Led())
	}
	g = FromBoard(rows(t, far8+none+none+none+none+".D..d... "+none+far1), Silver)
	playTurns(t, g, "de3e df3x")
	if g.ScoreWinner() != Gold {
		t.Errorf("%v wins by the score with fewer silver pieces, want gold", g.ScoreWinner())
	}
	playTurns(t, g, "Db3e Dc3x")
	if g.ScoreWinner() != Gold {
		t.Errorf("%v wins by the score with equal numbers after Gold led, want gold", g.ScoreWinner())
	}
}
