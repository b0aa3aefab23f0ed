package train

import (
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
	"warren/data/datatest"
	"warren/data/replay"
	"warren/game"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/net"
)

// allHeads is tiny with every auxiliary head, and with games that end on the board.
func allHeads(mode string) recipe.Config {
	c := tiny(mode)
	c.Network.Auxiliary = strings.Join(net.AuxiliaryHeads(), " ")
	c.Learner.DormantResetInterval = 5
	c.SelfPlay.TurnLimit = 300
	return c
}

func TestRunWithAuxiliaryHeads(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "run")
	work(t, whole, allHeads(recipe.Sync), -1)
	points, err := metrics.ReadLines(filepath.Join(whole, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range net.AuxiliaryHeads() {
		for _, series := range []string{"loss/", "held_out/"} {
			if len(metrics.Series(points, series+name)) == 0 {
				t.Errorf("there is no series %s%s", series, name)
			}
		}
	}

	broken := filepath.Join(t.TempDir(), "run")
	interrupt(t, broken, allHeads(recipe.Sync), upTo(6, 5, 6))
	if final(t, broken) != final(t, whole) {
		t.Error("an interrupted run gave another network")
	}

	dir, err := OpenDir(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if _, err := Open(t.Context(), dir, tiny(recipe.Sync), observe.Nobody, nil, slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), "network.heads") || strings.Contains(err.Error(), "\n") {
		t.Errorf("continuing without the heads: error %v", err)
	}
}

// A run with a head that was removed cannot continue, and says how its network can.
func TestRunWithARemovedHead(t *testing.T) {
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	before, c := tiny(recipe.Sync), tiny(recipe.Sync)
	before.Network.Auxiliary = "lead"
	if err := dir.accept([]recipe.Stage{{Config: c}}, &before, &state{}); err == nil || !strings.Contains(err.Error(), "--from") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line that names --from", err)
	}
}

// race is the record of a game. After the setups, Gold steps a2 north and passes, Silver steps a7 south
// and passes, and so on. Every decision is trained on.
func race(turns int) *data.Record {
	r := &data.Record{Run: "race", Result: game.Result{Winner: game.Gold, Reason: game.Resignation}}
	g := game.New()
	play := func(a game.Action) {
		d := data.Decision{Action: a}
		if !g.InSetup() {
			d.Value, d.PolicyWeight, d.ValueWeight = 0.75, 1, 1
			d.Visits = []data.Visit{{Action: a, Count: 3}}
		}
		r.Decisions = append(r.Decisions, d)
		g.Play(a)
	}
	for range 2 {
		for _, k := range []game.Kind{game.Cat, game.Dog, game.Horse, game.Camel, game.Elephant, game.Horse, game.Dog, game.Cat} {
			play(game.PlaceAction(k))
		}
		for range 8 {
			play(game.PlaceAction(game.Rabbit))
		}
	}
	for i := range turns {
		step := game.StepAction(game.Square(8*(1+i/2)), game.North) // a2, then a3
		if i%2 == 1 {
			step = step.Flip()
		}
		play(step)
		play(game.Pass)
	}
	r.Turns = int32(turns)
	return r
}

// wild is the record of a game of random actions, played to its end. Every decision after the setups is
// trained on.
func wild(seed uint64) *data.Record {
	rng := rand.New(rand.NewPCG(seed, 1))
	r := &data.Record{Run: "wild", Game: seed}
	g := game.New()
	for legal := g.Legal(nil); len(legal) > 0; legal = g.Legal(legal[:0]) {
		d := data.Decision{Action: legal[rng.IntN(len(legal))]}
		if !g.InSetup() {
			d.PolicyWeight, d.ValueWeight = 1, 1
			d.Visits = []data.Visit{{Action: d.Action, Count: 3}}
		}
		r.Decisions = append(r.Decisions, d)
		g.Play(d.Action)
	}
	r.Result, r.Turns = g.Result(), int32(g.Turns())
	return r
}

// In a finished game the fate target is set on exactly the squares where the input has a piece, for
// both players and with and without mirroring.
func TestSurvivalIsWhereThePiecesAre(t *testing.T) {
	w := replay.NewWindow(1_000_000, replay.DefaultConfig())
	for seed := range uint64(3) {
		w.Add(0, wild(seed))
	}
	c := tiny(recipe.Sync).Network
	c.Auxiliary = "survival"
	m, err := newMinibatch(c, 64)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.sample(w, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for i := range m.samples {
		for j, fate := range b.Targets[2].Values[i*128:][:128] {
			piece := false
			for _, squares := range b.Bits[i].Squares[:12] {
				piece = piece || squares>>(j%64)&1 != 0
			}
			if known := fate >= 0; known != piece {
				t.Fatalf("sample %d: piece on square %d: %t; its fate is %g", i, j%64, piece, fate)
			}
			if fate == 0 {
				lost++
			}
		}
	}
	if lost == 0 {
		t.Error("no piece was lost")
	}
}

// In each position of a game of three turns the reply target is at the action as the network sees it,
// for both players and with and without mirroring.
func TestAuxiliaryReplyIsInTheMoversFrame(t *testing.T) {
	r := race(3)
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	w := replay.NewWindow(1000, replay.DefaultConfig())
	w.Add(0, r)
	c := tiny(recipe.Sync).Network
	c.Auxiliary = "reply"
	m, err := newMinibatch(c, 32)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.sample(w, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(c, 32); err != nil {
		t.Fatal(err)
	}
	kinds := map[[2]bool]int{}
	for i := range m.samples {
		s := &m.samples[i]
		kinds[[2]bool{s.Mirror, s.Game.Side() == game.Silver}]++

		// The opponent's rabbit comes down the a-file, as each mover sees it, or the h-file in the mirror.
		reply, weight := b.Targets[2].Values[i*game.NumActions:][:game.NumActions], b.Targets[2].Weight[i]
		turn := s.Game.Turns()
		if turn == 2 {
			if weight != 0 {
				t.Errorf("sample %d: a reply after the end of the game", i)
			}
			continue
		}
		from := game.Square(8 * 6) // a7
		if turn == 1 {
			from = 8 * 5 // where Silver sees the rabbit on a3
		}
		if s.Mirror {
			from ^= 7
		}
		if a := game.StepAction(from, game.South); weight != 1 || reply[a] != 1 {
			t.Errorf("sample %d, turn %d, mirrored %t: weight %g, reply %g for action %d", i, turn, s.Mirror, weight, reply[a], a)
		}
	}
	if len(kinds) != 4 {
		t.Errorf("the samples are of %v", kinds)
	}
}

// The soft policy target is the fourth root of the policy target, action by action as the network sees
// them, and has the same weight, also where the window or the draw has changed it.
func TestSoftPolicyIsTheRootOfThePolicy(t *testing.T) {
	c := tiny(recipe.Sync)
	c.Network.Auxiliary = "soft_policy"
	c.Data.PolicyShare, c.Data.PolicyWindow = 0.5, 300
	w := replay.NewWindow(100_000, c.Data)
	for _, r := range datatest.Records(0, 20, 120) {
		w.Add(0, r)
	}
	m, err := newMinibatch(c.Network, 256)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.sample(w, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(c.Network, 256); err != nil {
		t.Fatal(err)
	}
	hard, soft := b.Targets[0], b.Targets[2]
	mirrored, weights := 0, map[float32]int{}
	for i, weight := range hard.Weight {
		if soft.Weight[i] != weight {
			t.Fatalf("position %d: the soft policy weighs %g, the policy %g", i, soft.Weight[i], weight)
		}
		weights[weight]++
		if weight == 0 {
			continue
		}
		if m.samples[i].Mirror {
			mirrored++
		}
		sum := 0.0
		for a := range game.NumActions {
			sum += math.Pow(float64(hard.Values[i*game.NumActions+a]), 0.25)
		}
		for a := range game.NumActions {
			want := math.Pow(float64(hard.Values[i*game.NumActions+a]), 0.25) / sum
			if got := soft.Values[i*game.NumActions+a]; !(math.Abs(float64(got)-want) < 1e-6) {
				t.Fatalf("position %d: action %d has a share of %g, want %g", i, a, got, want)
			}
		}
	}
	if mirrored < 20 || weights[0] < 20 || weights[1] < 20 {
		t.Errorf("%d mirrored positions, and of each weight %v", mirrored, weights)
	}
}

func TestEveryAuxiliaryHeadHasATarget(t *testing.T) {
	for _, name := range net.AuxiliaryHeads() {
		c := tiny(recipe.Sync).Network
		c.Auxiliary = name
		if _, err := newMinibatch(c, 1); err != nil {
			t.Error(err)
		}
	}
}
