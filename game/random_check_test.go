package game

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// compare requires the legal actions of image, a mirrored or colour-swapped game,
// to be legal once each of them is mapped back by of.
func (f *fuzzer) compare(what string, legal []Action, image *Game, of func(Action) Action) {
	var buf [MaxLegal]Action
	actions := image.Legal(buf[:0])
	for i, a := range actions {
		actions[i] = of(a)
	}
	slices.Sort(actions)
	if !slices.Equal(legal, actions) {
		f.fatalf("legal actions %v, in the %s game %v", legal, what, actions)
	}
}

// inForce returns the hashes, computed from scratch, of the positions at the starts
// of turns that can still recur: those since the last capture.
func (f *fuzzer) inForce() (seen []uint64) {
	last := f.starts[len(f.starts)-1]
	side := f.game.side
	for i := len(f.starts) - 1; i >= 0; i-- {
		if bits.OnesCount64(f.starts[i].Occupied()) != bits.OnesCount64(last.Occupied()) {
			break
		}
		seen = append(seen, positionHash(f.starts[i].hash(), side))
		side = side.Other()
	}
	slices.Reverse(seen)
	return seen
}

// checkHistory compares the hashes and the numbers of repetitions with those
// computed from the boards at the starts of all turns.
func (f *fuzzer) checkHistory() {
	g := f.game
	var seenHash, twiceHash uint64
	counts := map[uint64]int{}
	for _, h := range f.inForce() {
		seenHash ^= mix(h + uint64(counts[h]))
		if counts[h] == 1 {
			twiceHash ^= mix(h)
		}
		counts[h]++
		if counts[h] > 2 {
			f.fatalf("a position has occurred for the third time")
		}
	}
	if n := counts[positionHash(g.startHash, g.side)] - 1; g.Repetitions() != n {
		f.fatalf("Repetitions %d, counted %d", g.Repetitions(), n)
	}
	ending := 0
	if g.StepsLeft() < stepsPerTurn && g.context != pushing {
		ending = counts[positionHash(g.board.hash(), g.side.Other())]
	}
	if g.EndRepetitions() != ending {
		f.fatalf("EndRepetitions %d, counted %d", g.EndRepetitions(), ending)
	}
	turn := positionHash(g.board.hash(), g.side) ^ mix(g.start.hash()^0x5bd1) ^
		mix(1<<40|uint64(g.left)<<24|uint64(g.context)<<16|uint64(g.hole)<<8|uint64(g.holeCode))
	if want := mix(turn ^ seenHash); g.Hash() != want {
		f.fatalf("Hash %x, from scratch %x", g.Hash(), want)
	}
	if want := mix(turn ^ twiceHash ^ uint64(g.repetitions)<<2 ^ uint64(ending)); g.EvalKey() != want {
		f.fatalf("EvalKey %x, from scratch %x", g.EvalKey(), want)
	}
	if f.number%8 == 1 {
		f.checkHash(counts)
	}
}

// state is everything that determines how the game can continue.
type state struct {
	turn    turnState
	start   Board
	side    Color
	left    uint8
	history string
}

// checkHash requires two states of a game with the same hash to be equal.
func (f *fuzzer) checkHash(counts map[uint64]int) {
	g := f.game
	var history strings.Builder
	for _, h := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprint(&history, h, counts[h], " ")
	}
	now := state{g.turnState(), g.start, g.side, g.left, history.String()}
	if old, ok := f.hashes[g.Hash()]; ok && old != now {
		f.fatalf("two states have the hash %x:\n%+v\n%+v", g.Hash(), old, now)
	}
	f.hashes[g.Hash()] = now
}

// evaluated is everything that an evaluation depends on.
type evaluated struct {
	turn                 turnState
	start                Board
	side                 Color
	left                 uint8
	repetitions, endings int
	legal                string
}

// checkEvalKey requires states with the same key to be equal for an evaluator.
func (f *fuzzer) checkEvalKey(legal []Action) {
	g := f.game
	now := evaluated{g.turnState(), g.start, g.side, g.left, g.Repetitions(), g.EndRepetitions(), fmt.Sprint(legal)}
	if old, ok := f.evals[g.EvalKey()]; ok && old != now {
		f.fatalf("two states have the key %x:\n%+v\n%+v", g.EvalKey(), old, now)
	}
	f.evals[g.EvalKey()] = now
}

// checkUndo plays random actions in the game and in a copy, compares the two, and
// takes the actions back with Mark and Restore.
func (f *fuzzer) checkUndo() {
	g := f.game
	if len(f.actions) == 0 {
		return
	}
	before := g.Clone()
	twin := &Game{seen: make([]uint64, 3), twice: make([]uint64, 1)}
	twin.CopyFrom(g)
	var (
		marks []Mark
		after []*Game
		buf   [MaxLegal]Action
	)
	for range 1 + f.rng.IntN(10) {
		legal := g.Legal(buf[:0])
		if len(legal) == 0 {
			break
		}
		marks, after = append(marks, g.Mark()), append(after, g.Clone())
		a := legal[f.rng.IntN(len(legal))]
		g.Play(a)
		twin.Play(a)
		if !same(g, twin) {
			f.fatalf("after %v a copy differs from its original", a)
		}
	}
	for i := len(marks) - 1; i >= 0; i -= 1 + f.rng.IntN(2) {
		g.Restore(marks[i])
		if !same(g, after[i]) {
			f.fatalf("Restore did not bring back the state after %d actions", i)
		}
	}
	g.Restore(marks[0])
	if !same(g, before) {
		f.fatalf("Restore did not bring back the state")
	}
}

// same reports whether a and b are the same state with the same history.
func same(a, b *Game) bool {
	return a.position == b.position && a.Hash() == b.Hash() &&
		slices.Equal(a.seen[:a.seenLen], b.seen[:b.seenLen]) && slices.Equal(a.twice[:a.twiceLen], b.twice[:b.twiceLen])
}

// checkReplay replays the whole game from its actions and from its text.
func (f *fuzzer) checkReplay() {
	again := f.begin.Clone()
	for _, a := range f.actions {
		again.Play(a)
	}
	if !same(again, f.game) {
		f.fatalf("the replayed game ends in another state")
	}
	score := Silver
	for _, b := range f.starts {
		gold, silver := bits.OnesCount64(b.Color(Gold)), bits.OnesCount64(b.Color(Silver))
		switch {
		case gold > silver:
			score = Gold
		case silver > gold:
			score = Silver
		}
	}
	// The first board of a game made by FromBoard does not follow a turn, so it does
	// not count for the score.
	if g := f.game; f.style == fullGame && g.ScoreWinner() != score {
		f.fatalf("%v wins by the score, want %v", g.ScoreWinner(), score)
	}
	if f.style != fullGame {
		return
	}
	text := FormatMoveList(f.actions)
	m, err := ParseMoveList(text)
	if err != nil {
		f.fatalf("the text of the game is refused: %v\n%s", err, text)
	}
	if !same(m.Game, f.game) || !slices.Equal(m.Actions, f.actions) {
		f.fatalf("the text of the game is read as another game:\n%s", text)
	}
}
