package game

import "math/bits"

const (
	stepsPerTurn = 4
	setupPieces  = Placements
)

// What the square that the last step left may still be used for.
const (
	noContext uint8 = iota
	pushing         // a piece stronger than the pushed one must step into it
	pulling         // a weaker enemy piece may be pulled into it
)

// Game is a whole game state: all that the rules need to know to go on. Make
// one with [New] or [FromBoard]; copy it with [Game.Clone] or [Game.CopyFrom],
// or go back by [Game.Mark] and [Game.Restore]. It is not safe for concurrent
// use.
type Game struct {
	position
	// seen holds the position hash at the end of every turn, twice those that
	// occurred a second time; position knows which part of each is in force.
	seen  []uint64
	twice []uint64
}

// position is the part of a state that is copied to come back to it: a plain
// value, without pointers.
type position struct {
	board, start    Board
	hash, startHash uint64
	// seenHash and twiceHash sum up the positions in force of seen and twice.
	seenHash, twiceHash uint64

	seenFrom, seenLen   int32
	twiceFrom, twiceLen int32
	turns               int32

	side        Color
	left        uint8
	context     uint8
	hole        Square
	holeCode    uint8 // code of the pushed piece, or of the puller
	placed      uint8
	repetitions uint8
	leads       bool
	leader      Color
	result      Result
}

// New returns a game at its very beginning: the board empty and Gold to set up.
func New() *Game { return &Game{} }

// FromBoard returns a game in which side is to begin a turn on b, with no
// other position before it. It is judged as if the opponent had just moved.
func FromBoard(b Board, side Color) *Game {
	g := &Game{}
	g.board, g.side, g.placed = b, side, setupPieces
	g.hash = b.hash()
	g.beginTurn()
	g.result = g.judge()
	return g
}

// Clone returns an independent copy of g.
func (g *Game) Clone() *Game {
	c := &Game{}
	c.CopyFrom(g)
	return c
}

// CopyFrom makes g an independent copy of src. It reuses g's memory, so that
// copying into the same Game again and again does not allocate.
func (g *Game) CopyFrom(src *Game) {
	g.position = src.position
	g.seen = append(g.seen[:0], src.seen[:src.seenLen]...)
	g.twice = append(g.twice[:0], src.twice[:src.twiceLen]...)
}

// Mark is a state of a game to which [Game.Restore] goes back.
type Mark struct{ position }

// Mark returns the present state.
func (g *Game) Mark() Mark { return Mark{g.position} }

// Restore takes back every action played since m was taken from the same game.
// No state before m may have been restored in between.
func (g *Game) Restore(m Mark) { g.position = m.position }

// Play makes the action a, which must be legal; that is not checked. The turn
// ends with the fourth step or with Pass, and the game may end with it.
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

// step moves a piece, removes what is captured, and leaves the turn open. What
// the square it leaves may be used for next follows from whose piece moved:
//
//   - an enemy piece that steps where the last piece can pull it finishes the
//     pull and owes nothing, even if the step could also begin a push; any
//     other step of an enemy piece begins a push, which the very next step
//     must finish;
//   - an own piece that finishes a push begins no pull; any other step of an
//     own piece does, if a weaker enemy stood beside it. The pull stands
//     though the puller be captured or frozen by its step, for the next step
//     only.
//
// Captures follow every single step, so that a piece pushed into a trap is
// gone before the push is finished, and a piece may step into its own loss.
func (g *Game) step(a Action) {
	from, to := a.From(), a.To()
	piece := g.board.pieceAt(from)
	g.board.move(from, to)
	keys := &pieceKeys[piece&15]
	g.hash ^= keys[from&63] ^ keys[to&63]

	code := piece & 7
	switch {
	case Color(piece>>3) != g.side:
		if g.context == pulling && to == g.hole && code < g.holeCode {
			g.clearContext()
		} else {
			g.setContext(pushing, from, code)
		}
	case g.context == pushing:
		g.clearContext()
	case g.board.weaker(g.board.Color(g.side.Other())&Neighbors(1<<from), code) != 0:
		g.setContext(pulling, from, code)
	default:
		g.clearContext()
	}

	for dead := g.board.trapped(); dead != 0; dead &= dead - 1 {
		s := Square(bits.TrailingZeros64(dead))
		g.hash ^= pieceKeys[g.board.pieceAt(s)][s]
		g.board.Remove(s)
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

// beginTurn starts a turn on the present board and counts its position: the
// first is the one after the setup, or the one a game is given to begin with.
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

// occurrences counts how often the position h has begun a turn.
func (g *Game) occurrences(h uint64) (n uint8) {
	for _, seen := range g.seen[g.seenFrom:g.seenLen] {
		if seen == h {
			n++
		}
	}
	return n
}

// Board returns the present board, which must not be changed.
func (g *Game) Board() *Board { return &g.board }

// Start returns the board at the start of the turn, which must not be changed.
func (g *Game) Start() *Board { return &g.start }

// Side returns the player who is to act.
func (g *Game) Side() Color { return g.side }

// StepsLeft returns the steps left in the turn, 4 to 1, and 0 during the setup.
func (g *Game) StepsLeft() int { return int(g.left) }

// Turns returns the number of turns completed, the setups not counted.
func (g *Game) Turns() int { return int(g.turns) }

// Result returns how the game stands.
func (g *Game) Result() Result { return g.result }

// Score returns the winner by the official score of a stopped game: who had
// more pieces after the latest turn where the counts differed, else Silver.
func (g *Game) Score() Color {
	if g.leads {
		return g.leader
	}
	return Silver
}

// Led reports whether the piece counts have ever differed after a turn, so
// that the official score is more than Silver's by default.
func (g *Game) Led() bool { return g.leads }

// Push returns the unfinished push, if there is one: the square into which a
// piece stronger than the pushed one must now step.
func (g *Game) Push() (hole Square, pushed Kind, ok bool) {
	if g.context != pushing {
		return 0, 0, false
	}
	return g.hole, Kind(g.holeCode - 1), true
}

// Pull returns the possible pull, if there is one: the square into which a
// piece weaker than the puller may now be pulled.
func (g *Game) Pull() (hole Square, puller Kind, ok bool) {
	if g.context != pulling {
		return 0, 0, false
	}
	return g.hole, Kind(g.holeCode - 1), true
}

// Pullable returns the enemy pieces that may now be pulled.
func (g *Game) Pullable() uint64 {
	if g.context != pulling {
		return 0
	}
	return g.board.weaker(g.board.Color(g.side.Other())&Neighbors(1<<g.hole), g.holeCode)
}

// Changed returns the squares on which the board differs from the turn's start.
func (g *Game) Changed() uint64 { return g.board.differs(&g.start) }

// Repetitions returns how often the position at the turn's start had occurred
// before: 0 or 1.
func (g *Game) Repetitions() int { return int(g.repetitions) }

// EndRepetitions returns how often the position that ending the turn now would
// give has occurred: 0, 1, or 2, where the turn may not end. It is 0 during the
// setup, before the first step and with an unfinished push.
func (g *Game) EndRepetitions() int {
	if g.left == stepsPerTurn || g.context == pushing || g.InSetup() {
		return 0
	}
	return int(g.occurrences(positionHash(g.hash, g.side.Other())))
}
