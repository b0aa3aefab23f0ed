package net

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// board returns a board with the given pieces. A piece is a letter as in the notation, in
// upper case for Gold, followed by its square.
func board(t testing.TB, pieces ...string) game.Board {
	t.Helper()
	var b game.Board
	for _, p := range pieces {
		c, letter := game.Gold, p[0]
		if letter >= 'a' {
			c, letter = game.Silver, letter-'a'+'A'
		}
		k := slices.Index([]byte("RCDHME"), letter)
		if k < 0 {
			t.Fatalf("no such piece: %q", p)
		}
		b.Put(square(p[1:]), c, game.Kind(k))
	}
	return b
}

func square(s string) game.Square { return game.Square(s[1]-'1')*8 + game.Square(s[0]-'a') }

func set(squares ...string) (b uint64) {
	for _, s := range squares {
		b |= 1 << square(s)
	}
	return b
}

func step(from string, d game.Direction) game.Action { return game.StepAction(square(from), d) }

const everywhere = ^uint64(0)

// plane is the expected content of an input plane: a value on some squares, 0 elsewhere.
type plane struct {
	on    uint64
	value float32
}

func checkPlanes(t *testing.T, g *game.Game, want map[int]plane) {
	t.Helper()
	x := make([]float32, InputSize)
	for i := range x {
		x[i] = 77 // Encode must overwrite everything
	}
	Encode(g, x)
	want[planeOnes] = plane{everywhere, 1}
	want[planeTraps] = plane{set("c3", "f3", "c6", "f6"), 1}
	for p := range NumPlanes {
		for s := range game.Square(64) {
			w := float32(0)
			if want[p].on>>s&1 == 1 {
				w = want[p].value
			}
			if got := x[int(s)*NumPlanes+p]; got != w {
				t.Errorf("plane %d on %v is %v, want %v", p, s, got, w)
			}
		}
	}
}

func TestEncodePieces(t *testing.T) {
	b := board(t, "Ra1", "Rh2", "Cb1", "Dc1", "Hd1", "Me1", "Ed4", "rd5", "ra8", "ch8", "dg8", "hf8", "me8", "ed8")
	checkPlanes(t, game.FromBoard(b, game.Gold), map[int]plane{
		planeOwn:           {set("a1", "h2"), 1},
		planeOwn + 1:       {set("b1"), 1},
		planeOwn + 2:       {set("c1"), 1},
		planeOwn + 3:       {set("d1"), 1},
		planeOwn + 4:       {set("e1"), 1},
		planeOwn + 5:       {set("d4"), 1},
		planeEnemy:         {set("d5", "a8"), 1},
		planeEnemy + 1:     {set("h8"), 1},
		planeEnemy + 2:     {set("g8"), 1},
		planeEnemy + 3:     {set("f8"), 1},
		planeEnemy + 4:     {set("e8"), 1},
		planeEnemy + 5:     {set("d8"), 1},
		planeEnemyFrozen:   {set("d5"), 1}, // by the elephant
		planeStepsLeft + 3: {everywhere, 1},
	})
	// The same board from Silver's side, with the ranks reversed.
	checkPlanes(t, game.FromBoard(b, game.Silver), map[int]plane{
		planeEnemy:         {set("a8", "h7"), 1},
		planeEnemy + 1:     {set("b8"), 1},
		planeEnemy + 2:     {set("c8"), 1},
		planeEnemy + 3:     {set("d8"), 1},
		planeEnemy + 4:     {set("e8"), 1},
		planeEnemy + 5:     {set("d5"), 1},
		planeOwn:           {set("d4", "a1"), 1},
		planeOwn + 1:       {set("h1"), 1},
		planeOwn + 2:       {set("g1"), 1},
		planeOwn + 3:       {set("f1"), 1},
		planeOwn + 4:       {set("e1"), 1},
		planeOwn + 5:       {set("d1"), 1},
		planeOwnFrozen:     {set("d4"), 1},
		planeStepsLeft + 3: {everywhere, 1},
	})
}

func TestEncodePushAndPull(t *testing.T) {
	b := board(t, "Ra1", "Hd4", "cd5", "rh8")
	g := game.FromBoard(b, game.Gold)
	g.Play(step("d5", game.North))
	checkPlanes(t, g, map[int]plane{
		planeOwn:           {set("a1"), 1},
		planeOwn + 3:       {set("d4"), 1},
		planeEnemy:         {set("h8"), 1},
		planeEnemy + 1:     {set("d6"), 1},
		planeStepsLeft + 2: {everywhere, 1},
		planeChanged:       {set("d5", "d6"), 1},
		planePushHole:      {set("d5"), 1},
		planePushed:        {set("d5"), 2. / 6},
	})
	g = game.FromBoard(b, game.Gold)
	g.Play(step("d4", game.South))
	checkPlanes(t, g, map[int]plane{
		planeOwn:           {set("a1"), 1},
		planeOwn + 3:       {set("d3"), 1},
		planeEnemy:         {set("h8"), 1},
		planeEnemy + 1:     {set("d5"), 1},
		planeStepsLeft + 2: {everywhere, 1},
		planeChanged:       {set("d3", "d4"), 1},
		planePullHole:      {set("d4"), 1},
		planePullable:      {set("d5"), 1},
	})
	// Silver's horse on d5 pushes the cat on d4. In Silver's frame the horse is on d4 and
	// the cat on d5.
	b = board(t, "Ra1", "Cd4", "hd5", "rh8")
	g = game.FromBoard(b, game.Silver)
	g.Play(step("d4", game.South))
	checkPlanes(t, g, map[int]plane{
		planeOwn:           {set("h1"), 1},
		planeOwn + 3:       {set("d4"), 1},
		planeEnemy:         {set("a8"), 1},
		planeEnemy + 1:     {set("d6"), 1},
		planeStepsLeft + 2: {everywhere, 1},
		planeChanged:       {set("d5", "d6"), 1},
		planePushHole:      {set("d5"), 1},
		planePushed:        {set("d5"), 2. / 6},
	})
}

func TestEncodeSetup(t *testing.T) {
	g := game.New()
	left := func(rabbits, elephants float32, want map[int]plane) map[int]plane {
		for k := 1; k < 5; k++ {
			want[planeSetupLeft+k] = plane{everywhere, 1}
		}
		want[planeSetupLeft] = plane{everywhere, rabbits}
		want[planeSetupLeft+5] = plane{everywhere, elephants}
		want[planeSetup] = plane{everywhere, 1}
		return want
	}
	checkPlanes(t, g, left(1, 1, map[int]plane{planeSetupNext: {set("a1"), 1}}))
	g.Play(game.PlaceAction(game.Rabbit))
	g.Play(game.PlaceAction(game.Elephant))
	checkPlanes(t, g, left(7./8, 0, map[int]plane{
		planeSetupNext: {set("c1"), 1},
		planeOwn:       {set("a1"), 1},
		planeOwn + 5:   {set("b1"), 1},
	}))
	for g.Side() == game.Gold {
		g.Play(g.Legal(nil)[0])
	}
	x := make([]float32, InputSize)
	Encode(g, x)
	if x[planeSetupNext] != 1 || x[planeSetup] != 1 || x[planeSetupLeft] != 1 {
		t.Error("the first square of the setup of Silver is not at the lower left")
	}
	for range 16 {
		g.Play(g.Legal(nil)[0])
	}
	Encode(g, x)
	if x[planeSetup] != 0 || x[planeStepsLeft+3] != 1 {
		t.Error("after both setups the input still shows a setup")
	}
}

func TestEncodeRepetition(t *testing.T) {
	g := game.FromBoard(board(t, "Ra1", "Ed4", "rh8", "ee7"), game.Gold)
	turn := func(from string, d game.Direction) {
		g.Play(step(from, d))
		g.Play(game.Pass)
	}
	constant := func(p int) float32 {
		x := make([]float32, InputSize)
		Encode(g, x)
		for s := range 64 {
			if x[s*NumPlanes+p] != x[p] {
				t.Fatalf("plane %d is not constant", p)
			}
		}
		return x[p]
	}
	cycle := func() {
		turn("d4", game.North)
		turn("e7", game.West)
		turn("d5", game.South)
		turn("d7", game.East)
	}
	if constant(planeRepeated) != 0 {
		t.Error("the planes show a new position as a repetition")
	}
	cycle()
	if constant(planeRepeated) != 1 {
		t.Error("the planes do not show the second occurrence of the position")
	}
	g.Play(step("d4", game.North))
	if constant(planeEndTwice) != 1 || constant(planeEndThrice) != 0 {
		t.Error("the planes do not show that ending the turn would repeat a position")
	}
	g.Play(game.Pass)
	turn("e7", game.West)
	turn("d5", game.South)
	g.Play(step("d7", game.East))
	if constant(planeEndTwice) != 0 || constant(planeEndThrice) != 1 {
		t.Error("the planes do not show that ending the turn would repeat a position for the third time")
	}
}

// walk plays random actions on a random board with few pieces, where positions often
// repeat. It calls visit after each action with the game, its mirror image and the game
// with the colours exchanged.
func walk(seed uint64, visit func(g, mirrored, flipped *game.Game)) {
	r := rand.New(rand.NewPCG(seed, 5))
	var b game.Board
	free := r.Perm(64)
	put := func(c game.Color, k game.Kind) {
		for _, s := range free {
			sq := game.Square(s)
			if game.Traps>>sq&1 == 1 || k == game.Rabbit && (sq.Rank() == 0 || sq.Rank() == 7) {
				continue
			}
			if _, _, taken := b.At(sq); !taken {
				b.Put(sq, c, k)
				return
			}
		}
	}
	for c := range game.Color(2) {
		put(c, game.Rabbit)
		for range 1 + r.IntN(4) + r.IntN(2)*6 {
			put(c, game.Kind(r.IntN(game.NumKinds)))
		}
	}
	side := game.Color(r.IntN(2))
	g := game.FromBoard(b, side)
	mirrored := game.FromBoard(b.Mirror(), side)
	flipped := game.FromBoard(b.Flip(), side.Other())
	var buf []game.Action
	for range 60 {
		visit(g, mirrored, flipped)
		if buf = g.Legal(buf[:0]); len(buf) == 0 {
			return
		}
		a := buf[r.IntN(len(buf))]
		g.Play(a)
		mirrored.Play(a.Mirror())
		flipped.Play(a.Flip())
	}
}

func TestEncodeSymmetries(t *testing.T) {
	x, y, z := make([]float32, InputSize), make([]float32, InputSize), make([]float32, InputSize)
	var b Bits
	for seed := range uint64(150) {
		walk(seed, func(g, mirrored, flipped *game.Game) {
			Encode(g, x)
			Encode(mirrored, y)
			EncodeBits(g, &b) // overwrites that of the state before
			b.Mirror()
			b.Expand(z)
			if !slices.Equal(y, z) {
				t.Fatalf("seed %d: the planes of the mirrored position are not the mirrored planes", seed)
			}
			Encode(flipped, y)
			if !slices.Equal(x, y) {
				t.Fatalf("seed %d: the position with colours exchanged has other planes", seed)
			}
			indices := func(g *game.Game) (is []int) {
				for _, a := range g.Legal(nil) {
					is = append(is, PolicyIndex(a, g.Side()))
				}
				slices.Sort(is)
				return is
			}
			if !slices.Equal(indices(g), indices(flipped)) {
				t.Fatalf("seed %d: the position with colours exchanged has other policy indices", seed)
			}
		})
	}
}

// TestEncodeSharesByEvalKey checks the promise of package game that states with equal keys
// may share an evaluation: states with equal keys must have equal inputs.
func TestEncodeSharesByEvalKey(t *testing.T) {
	seen := map[uint64][InputSize]float32{}
	shared := 0
	var visit func(g *game.Game, depth int)
	visit = func(g *game.Game, depth int) {
		var x [InputSize]float32
		Encode(g, x[:])
		if old, ok := seen[g.EvalKey()]; !ok {
			seen[g.EvalKey()] = x
		} else if shared++; old != x {
			t.Fatal("two states with one EvalKey are encoded differently")
		}
		if depth == 0 {
			return
		}
		for _, a := range g.Legal(nil) {
			next := g.Clone()
			next.Play(a)
			visit(next, depth-1)
		}
	}
	// States recur because steps of a turn commute, and because turns with two pieces lead
	// back to earlier positions.
	visit(game.FromBoard(board(t, "Ra2", "Ed4", "cd5", "rh7"), game.Gold), 3)
	g := game.FromBoard(board(t, "Ra1", "Ed4", "rh8", "ee7"), game.Gold)
	for range 3 {
		for _, a := range []game.Action{step("d4", game.North), step("e7", game.West), step("d5", game.South), step("d7", game.East)} {
			if slices.Contains(g.Legal(nil), a) {
				g.Play(a)
				visit(g, 2)
				if slices.Contains(g.Legal(nil), game.Pass) {
					g.Play(game.Pass)
				}
			}
		}
	}
	if shared < 100 {
		t.Errorf("only %d keys occurred twice, too few for a test", shared)
	}
}

func TestPolicyIndex(t *testing.T) {
	seen := map[int]bool{}
	for a := range game.Action(game.NumActions) {
		if PolicyIndex(a, game.Gold) != int(a) {
			t.Errorf("Gold's action %d has index %d", a, PolicyIndex(a, game.Gold))
		}
		seen[PolicyIndex(a, game.Silver)] = true
	}
	if len(seen) != game.NumActions {
		t.Errorf("Silver's actions have %d different indices", len(seen))
	}
	if got, want := PolicyIndex(step("d7", game.South), game.Silver), int(step("d2", game.North)); got != want {
		t.Errorf("Silver's step d7 south has index %d, want %d", got, want)
	}
	if PolicyIndex(game.Pass, game.Silver) != 256 || PolicyIndex(game.PlaceAction(game.Elephant), game.Silver) != 262 {
		t.Error("pass and placements depend on the side")
	}
}

func TestEncodeDoesNotAllocate(t *testing.T) {
	g, x := played(1, 100), make([]float32, InputSize)
	if a := testing.AllocsPerRun(10, func() { Encode(g, x) }); a != 0 {
		t.Errorf("Encode allocates %v times", a)
	}
}

func TestPlanesAreWithinTheInput(t *testing.T) {
	if numPlanesUsed > NumPlanes || NumPlanes%8 != 0 {
		t.Errorf("%d planes in use, %d in the input", numPlanesUsed, NumPlanes)
	}
	if bits.OnesCount64(game.Traps) != 4 {
		t.Errorf("%d traps", bits.OnesCount64(game.Traps))
	}
}
