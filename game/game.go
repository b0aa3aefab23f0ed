package game

import "math/bits"

const stepsPerTurn = 4

// A context says how the square that the last step left may still be used.
const (
	noContext uint8 = iota
	pushing         // a piece stronger than the pushed one must step into it
	pulling         // a weaker enemy piece may be pulled into it
)

// Game is the complete state of a game: everything that the rules depend on.
// The zero value is a new game, as [New] returns it; [FromBoard] begins on a board.
// Copy a game with [Game.Clone] or [Game.CopyFrom], or take actions back with
// [Game.Mark] and [Game.Restore]. A Game is not safe for concurrent use.
type Game struct {
	position
	// seen holds the position hash at the start of every turn; twice holds the
	// hashes that have occurred a second time. Only seen[seenFrom:seenLen] and
	// twice[twiceFrom:twiceLen] are in force: those positions can still recur.
	seen  []uint64
	twice []uint64
}

// position is the part of a state that Mark copies and Restore brings back. It
// contains no pointers.
type position struct {
	board, start    Board
	hash, startHash uint64
	// seenHash and twiceHash combine the hashes in seen and twice that are in force.
	seenHash, twiceHash uint64

	seenFrom, seenLen   int32
	twiceFrom, twiceLen int32
	turns               int32

	side        Color
	left        uint8
	context     uint8
	hole        Square
	holeCode    uint8  // code of the pushed piece, or of the puller
	last        Action // an own piece's last step; Pass if it captured or finished a push
	placed      uint8
	repetitions uint8
	leads       bool
	leader      Color
	result      Result
}

// New returns a new game: the board is empty and Gold is to set up.
func New() *Game { return &Game{} }

// FromBoard returns a game that begins on b with a turn of side. It has no
// earlier positions. Its result is judged as if the opponent had just moved, so
// the game may be over at once. FromBoard does not check the board: [ParseBoard]
// says which ones no game has.
func FromBoard(b Board, side Color) *Game {
	g := &Game{}
	g.begin(b, side)
	return g
}

// begin makes g the game that [FromBoard] returns.
func (g *Game) begin(b Board, side Color) {
	g.position = position{board: b, side: side, placed: Placements, hash: b.hash()}
	g.beginTurn()
	g.result = g.judge()
}

// Clone returns an independent copy of g.
func (g *Game) Clone() *Game {
	c := &Game{}
	c.CopyFrom(g)
	return c
}

// CopyFrom makes g an independent copy of src. It reuses the memory of g, so
// that repeated copying into the same Game does not allocate.
func (g *Game) CopyFrom(src *Game) {
	g.position = src.position
	g.seen = append(g.seen[:0], src.seen[:src.seenLen]...)
	g.twice = append(g.twice[:0], src.twice[:src.twiceLen]...)
}

// Mark is a state of a game that [Game.Restore] can bring back.
type Mark struct{ position }

// Mark returns the current state.
func (g *Game) Mark() Mark { return Mark{g.position} }

// Restore takes back every action that was played since m was taken from g. The
// game must not have been restored to a state before m in the meantime.
func (g *Game) Restore(m Mark) { g.position = m.position }

// Play makes the action a. The action must be legal; Play does not check it. The
// turn ends with the fourth step or with Pass, and the game may end with the
// turn.
func (g *Game) Play(a Action) {
	switch {
	case a < Pass:
		g.step(a)
		if g.left == 0 {
			g.endTurn()
		}
	case a == Pass:
		g.endTurn()
	default:
		g.place(a.Kind())
	}
}

// step moves a piece and removes captured pieces. It does not end the turn. The
// use of the square that the piece leaves depends on whose piece it is:
//
//   - If an enemy piece steps where the last piece can pull it, the step finishes
//     the pull and nothing must follow, even if the step could also begin a push.
//     Any other step of an enemy piece begins a push, which the very next step
//     must finish.
//   - If one of the mover's own pieces finishes a push, it begins no pull. Any
//     other step of an own piece allows a pull if a weaker enemy piece stood next
//     to it. The next step may finish the pull, even if the puller was captured
//     or frozen by its own step; later steps may not.
//
// Pieces are captured after every single step. A piece pushed into a trap is
// therefore gone before the push is finished, and a piece may step into its own
// capture.
func (g *Game) step(a Action) {
	from, to := a.From(), a.To()
	piece := g.board.pieceAt(from)
	g.board.move(piece, from, to)
	keys := &pieceKeys[piece&15]
	g.hash ^= keys[from&63] ^ keys[to&63]

	code := piece & 7
	g.last = a
	switch {
	case Color(piece>>3) != g.side:
		g.last = Pass
		if g.context == pulling && to == g.hole && code < g.holeCode {
			g.clearContext()
		} else {
			g.setContext(pushing, from, code)
		}
	case g.context == pushing:
		g.clearContext()
		g.last = Pass
	case g.board.besideWeaker(from, g.side.Other(), code):
		g.setContext(pulling, from, code)
	default:
		g.clearContext()
	}

	for dead := g.board.trapped(); dead != 0; dead &= dead - 1 {
		s := Square(bits.TrailingZeros64(dead))
		g.hash ^= pieceKeys[g.board.pieceAt(s)][s]
		g.board.Remove(s)
		g.last = Pass
	}
	g.left--
}

func (g *Game) setContext(context uint8, hole Square, code uint8) {
	g.context, g.hole, g.holeCode = context, hole, code
}

func (g *Game) clearContext() { g.setContext(noContext, 0, 0) }

func (g *Game) endTurn() {
	gold, silver := bits.OnesCount64(g.board.Color(Gold)), bits.OnesCount64(g.board.silver)
	if gold != silver {
		g.leads, g.leader = true, Gold
		if silver > gold {
			g.leader = Silver
		}
	}
	if gold+silver < bits.OnesCount64(g.start.Occupied()) {
		// A capture cannot be undone: no earlier position can occur again.
		g.seenFrom, g.twiceFrom = g.seenLen, g.twiceLen
		g.seenHash, g.twiceHash = 0, 0
	}
	g.turns++
	g.side = g.side.Other()
	g.beginTurn()
	g.result = g.judge()
}

// beginTurn starts a turn on the current board and counts its position. The first
// position that counts is the one after the setup, or the one given to FromBoard.
func (g *Game) beginTurn() {
	g.start, g.startHash = g.board, g.hash
	g.left = stepsPerTurn
	g.clearContext()

	h := positionHash(g.hash, g.side)
	g.repetitions = g.occurrences(h)
	g.seen = append(g.seen[:g.seenLen], h)
	g.seenLen++
	g.seenHash ^= mix(h + uint64(g.repetitions))
	if g.repetitions == 1 {
		g.twice = append(g.twice[:g.twiceLen], h)
		g.twiceLen++
		g.twiceHash ^= mix(h)
	}
}

// occurrences returns how often a turn has begun with the position h.
func (g *Game) occurrences(h uint64) (n uint8) {
	for _, seen := range g.seen[g.seenFrom:g.seenLen] {
		if seen == h {
			n++
		}
	}
	return n
}

// Board returns the current board. The caller must not change it; it changes as
// the game continues.
func (g *Game) Board() *Board { return &g.board }

// Start returns the board at the start of the turn. The caller must not change
// it; it changes as the game continues.
func (g *Game) Start() *Board { return &g.start }

// Side returns the player who is to act.
func (g *Game) Side() Color { return g.side }

// StepsLeft returns the number of steps left in the turn, 4 to 1; it is 0 during
// the setup.
func (g *Game) StepsLeft() int { return int(g.left) }

// Turns returns the number of completed turns of both sides, not counting the
// setups.
func (g *Game) Turns() int { return int(g.turns) }

// Result returns the result of the game so far: its Reason is [Ongoing] until
// the game ends on the board.
func (g *Game) Result() Result { return g.result }

// ScoreWinner returns the winner by the official score, which decides a game that
// is stopped. It is the side that had more pieces after the last turn at which the
// numbers of pieces differed, or Silver if they never differed.
func (g *Game) ScoreWinner() Color {
	if g.leads {
		return g.leader
	}
	return Silver
}

// Led reports whether the numbers of pieces have differed after any turn. If not,
// the official score goes to Silver by default.
func (g *Game) Led() bool { return g.leads }

// Push returns the unfinished push, if there is one: a piece stronger than pushed
// must now step to hole. Otherwise ok is false.
func (g *Game) Push() (hole Square, pushed Kind, ok bool) {
	if g.context != pushing {
		return 0, 0, false
	}
	return g.hole, Kind(g.holeCode - 1), true
}

// Pull returns the possible pull, if there is one: an enemy piece weaker than
// puller may now be pulled to hole. Otherwise ok is false. The squares of those
// pieces are [Game.Pullable].
func (g *Game) Pull() (hole Square, puller Kind, ok bool) {
	if g.context != pulling {
		return 0, 0, false
	}
	return g.hole, Kind(g.holeCode - 1), true
}

// Pullable returns the squares of the enemy pieces that may now be pulled.
func (g *Game) Pullable() uint64 {
	if g.context != pulling {
		return 0
	}
	return g.board.Color(g.side.Other()) & Neighbors(1<<g.hole) & g.board.below(g.holeCode)
}

// Changed returns the squares on which the board differs from the board at the
// start of the turn.
func (g *Game) Changed() uint64 { return g.board.Differs(&g.start) }

// Reversal returns the step that only takes back the one before, if there is one: it
// brings back the board of two steps ago, not in the middle of a push, and allows no
// pull. Whatever the turn can reach after it, a shorter turn could have reached. The
// step need not be legal.
func (g *Game) Reversal() (a Action, ok bool) {
	if g.last == Pass || g.left == stepsPerTurn || g.InSetup() {
		return 0, false
	}
	at := g.last.To()
	return StepAction(at, g.last.Direction()^2), !g.board.besideWeaker(at, g.side.Other(), g.board.codeAt(at))
}

// Repetitions returns how often the position at the start of the turn had
// occurred before: 0 or 1.
func (g *Game) Repetitions() int { return int(g.repetitions) }

// EndRepetitions returns how often the position that would arise if the turn
// ended now has already occurred: 0, 1 or 2. At 2 the turn may not end here. It
// is 0 during the setup, before the first step and during an unfinished push.
func (g *Game) EndRepetitions() int {
	if g.left == stepsPerTurn || g.context == pushing || g.InSetup() {
		return 0
	}
	return int(g.occurrences(positionHash(g.hash, g.side.Other())))
}
