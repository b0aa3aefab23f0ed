package game

import (
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// The fuzzer plays random games and checks invariants of the rules in every state.
// Games on sparse boards often end by goal, elimination or immobilization. Games in
// which the players mostly undo their last step often repeat positions.

// playStyle is the way in which a random game begins and continues.
type playStyle int

const (
	fullGame  playStyle = iota // from the setup, all legal actions equally likely
	sparse                     // from a board with few pieces
	shuffling                  // few pieces, and players mostly undo their last step
)

// maxShuffled is the number of turns after which a shuffling game is stopped,
// because it may never end by itself.
const maxShuffled = 120

func TestRandomGamesHoldInvariants(t *testing.T) {
	games := int64(1_500)
	if testing.Short() {
		games = 600
	}
	var (
		next              atomic.Int64
		mu                sync.Mutex
		ended             = map[Reason]int{}
		refused, repeated int
	)
	t.Run("play", func(t *testing.T) {
		for w := range runtime.GOMAXPROCS(0) {
			t.Run(strconv.Itoa(w), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1); n <= games; n = next.Add(1) {
					f := newFuzzer(t, n)
					f.play()
					mu.Lock()
					ended[f.game.Result().Reason]++
					refused += f.refused
					repeated += f.repeated
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("ended: %v; steps refused as dead ends: %d; states where only the third repetition prevented the end of the turn: %d", ended, refused, repeated)
	for _, r := range []Reason{Goal, Elimination, Immobilization} {
		if ended[r] == 0 {
			t.Errorf("no game ended by %v", r)
		}
	}
	if refused == 0 || repeated == 0 {
		t.Errorf("%d steps refused as dead ends, %d turns that repetition prevented from ending: want some of each", refused, repeated)
	}
}

// fuzzer plays one random game alongside its mirror image, the same game with the
// colours exchanged, and the naive program.
type fuzzer struct {
	t       *testing.T
	rng     *rand.Rand
	style   playStyle
	number  int64
	game    *Game
	mirror  *Game // nil during the setup, as are flip and naive
	flip    *Game
	naive   *mailbox
	begin   *Game
	actions []Action
	undo    [2]Action // the reverse of each player's last step
	starts  []Board   // boards at the starts of turns
	hashes  map[uint64]state
	evals   map[uint64]evaluated

	refused  int // steps that obey the rules of movement but are a dead end
	repeated int // states in which only repetition prevents the end of the turn
}

func newFuzzer(t *testing.T, number int64) *fuzzer {
	style := fullGame
	switch number % 10 {
	case 7, 8:
		style = sparse
	case 9:
		style = shuffling
	}
	f := &fuzzer{t: t, rng: rand.New(rand.NewPCG(0x5741_5252, uint64(number))), style: style, number: number,
		hashes: map[uint64]state{}, evals: map[uint64]evaluated{}}
	if style == fullGame {
		f.begin = New()
	} else {
		f.begin = FromBoard(sparseBoard(f.rng), Color(f.rng.IntN(2)))
	}
	f.game = f.begin.Clone()
	f.shadow()
	return f
}

// sparseBoard returns a board with a few pieces of each side. Each side has at
// least one rabbit. No piece is on a trap, and no rabbit on a goal rank.
func sparseBoard(rng *rand.Rand) (b Board) {
	for c := Gold; c <= Silver; c++ {
		for k := Rabbit; k <= Elephant; k++ {
			n := rng.IntN(2)
			if k == Rabbit {
				n = 1 + rng.IntN(3)
			}
			for n > 0 {
				s := Square(rng.IntN(64))
				bit := uint64(1) << s
				if (b.Occupied()|Traps)&bit != 0 || k == Rabbit && (rank1|rank8)&bit != 0 {
					continue
				}
				b.Put(s, c, k)
				n--
			}
		}
	}
	return b
}

// shadow starts the games that are played alongside once the setup is over.
func (f *fuzzer) shadow() {
	if f.game.InSetup() || f.mirror != nil {
		return
	}
	b, side := f.game.board, f.game.side
	f.mirror = FromBoard(b.Mirror(), side)
	f.flip = FromBoard(b.Flip(), side.Other())
	f.naive = newMailbox(&b, side)
	f.starts = append(f.starts, b)
}

func (f *fuzzer) fatalf(format string, args ...any) {
	f.t.Helper()
	f.t.Logf("game %d (style %d), after %d actions, in the turn that began on\n%snow\n%s", f.number, f.style, len(f.actions),
		FormatDiagram(f.game.Start(), f.game.TurnLabel()), FormatDiagram(f.game.Board(), f.game.TurnLabel()))
	f.t.Fatalf(format, args...)
}

func (f *fuzzer) play() {
	var buf [MaxLegal]Action
	for !f.game.Result().Over() {
		if f.style == shuffling && f.game.Turns() >= maxShuffled {
			break
		}
		legal := f.game.Legal(buf[:0])
		f.check(legal)
		if f.rng.IntN(16) == 0 {
			f.checkUndo()
		}
		f.act(f.choose(legal))
	}
	if n := len(f.game.Legal(nil)); (n == 0) != f.game.Result().Over() {
		f.fatalf("a game with the result %v has %d legal actions", f.game.Result(), n)
	}
	if r := f.game.Result(); r.Over() {
		if f.mirror.Result() != r || f.flip.Result() != (Result{r.Winner.Other(), r.Reason}) || f.naive.result() != r {
			f.fatalf("result %v, mirrored %v, colour-swapped %v, by the naive program %v", r, f.mirror.Result(), f.flip.Result(), f.naive.result())
		}
	}
	f.checkReplay()
}

func (f *fuzzer) choose(legal []Action) Action {
	if f.style == shuffling && f.rng.IntN(10) > 0 {
		if f.game.StepsLeft() < stepsPerTurn && slices.Contains(legal, Pass) {
			return Pass
		}
		if back := f.undo[f.game.side]; slices.Contains(legal, back) {
			return back
		}
	}
	return legal[f.rng.IntN(len(legal))]
}

// act plays a in every game and checks that no piece has appeared.
func (f *fuzzer) act(a Action) {
	before, side := f.game.board, f.game.side
	setup := f.game.InSetup()
	f.game.Play(a)
	f.actions = append(f.actions, a)
	if a.IsStep() {
		f.undo[side] = StepAction(a.To(), a.Direction()^2)
	}
	if setup {
		f.shadow()
		return
	}
	f.mirror.Play(a.Mirror())
	f.flip.Play(a.Flip())
	f.naive.play(a)
	if f.game.StepsLeft() == stepsPerTurn {
		f.starts = append(f.starts, f.game.board)
	}
	for c := Gold; c <= Silver; c++ {
		for k := Rabbit; k <= Elephant; k++ {
			if bits.OnesCount64(f.game.board.Pieces(c, k)) > bits.OnesCount64(before.Pieces(c, k)) {
				f.fatalf("%v: a %v %v has appeared", a, c, k)
			}
		}
	}
}

// check tests the current state, whose legal actions are given, without playing
// on.
func (f *fuzzer) check(legal []Action) {
	g := f.game
	if len(legal) == 0 || len(legal) > MaxLegal {
		f.fatalf("%d legal actions in an unfinished game", len(legal))
	}
	if g.hash != g.board.hash() || g.startHash != g.start.hash() {
		f.fatalf("the hash of the board differs from the one computed from scratch")
	}
	if g.InSetup() {
		return
	}
	f.checkHistory()
	if f.number%8 == 1 {
		f.checkEvalKey(legal)
	}

	// The fast path must remove exactly the steps that a full search removes.
	var pseudo [MaxLegal]Action
	all := g.pseudoSteps(pseudo[:0])
	n := len(all)
	kept := g.keep(all, 0, ^uint64(0))
	if !slices.Equal(legal, kept) {
		f.fatalf("legal actions %v, by full search %v", legal, kept)
	}
	f.refused += n - len(kept)
	if g.EndRepetitions() == 2 {
		f.repeated++
	}

	legal = slices.Clone(legal)
	slices.Sort(legal)
	f.compare("mirrored", legal, f.mirror, Action.Mirror)
	f.compare("colour-swapped", legal, f.flip, Action.Flip)
	mirrored, flipped := g.board.Mirror(), g.board.Flip()
	if f.mirror.board != mirrored || f.flip.board != flipped {
		f.fatalf("the mirrored or colour-swapped game has another board")
	}
	if f.mirror.side != g.side || f.flip.side == g.side {
		f.fatalf("the mirrored or colour-swapped game has the wrong side to move")
	}

	if f.rng.IntN(8) == 0 || f.style != fullGame {
		if naive := f.naive.legal(); !slices.Equal(legal, naive) {
			f.fatalf("legal actions %v, by the naive program %v", legal, naive)
		}
		for s := range Square(64) {
			var letter byte
			if c, k, ok := g.board.At(s); ok {
				letter = PieceLetter(c, k)
			}
			if letter != f.naive.squares[s] {
				f.fatalf("%v holds %q, by the naive program %q", s, letter, f.naive.squares[s])
			}
		}
	}
	if want := f.naive.result(); g.Result() != want {
		f.fatalf("result %v, by the naive program %v", g.Result(), want)
	}
}
