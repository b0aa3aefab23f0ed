package arena

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/arena/alphabeta"
	"warren/internal/eval"
)

// setupsOf returns the setups of a player for both sides.
func setupsOf(t *testing.T, p Player, seed uint64) []game.Action {
	t.Helper()
	g := game.New()
	seat, err := p.Sit(seed)
	if err != nil {
		t.Fatal(err)
	}
	var all []game.Action
	for g.InSetup() {
		a, err := seat.Act(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(g.Legal(nil), a) {
			t.Fatalf("placement %d is %d, which is not legal", len(all), a)
		}
		g.Play(a)
		all = append(all, a)
	}
	return all
}

// TestUsualSetups: a network that sets up as usual does so as the hand-written players do, and differs from game to game.
func TestUsualSetups(t *testing.T) {
	p := searcher("usual", 2)
	p.Setups = UsualSetups
	usual := map[string]bool{}
	for seed := range uint64(200) {
		usual[text(alphabeta.Setup(game.New(), rand.New(rand.NewPCG(seed, 9))))] = true
	}
	own := map[string]bool{}
	for seed := range uint64(20) {
		gold := text(setupsOf(t, p, seed)[:16])
		if own[gold] = true; !usual[gold] {
			t.Errorf("seed %d: not a usual setup", seed)
		}
	}
	if len(own) < 5 {
		t.Errorf("%d different setups in 20 games", len(own))
	}
}

func text(actions []game.Action) string {
	var b strings.Builder
	for _, a := range actions {
		b.WriteRune(rune(a))
	}
	return b.String()
}

// TestWholeSetups: of as many samples as visits, a network plays one of those that it values most. It values the file of
// its elephant.
func TestWholeSetups(t *testing.T) {
	files := map[string][]int{}
	for _, setups := range []string{SearchedSetups, WholeSetups} {
		p := searcher("whole", 16)
		p.Setups, p.Search.PolicyTargetScale, p.Backend = setups, 80, eval.Func(elephantsEast)
		for seed := range uint64(10) {
			all := setupsOf(t, p, seed)
			for side := range 2 {
				at := slices.Index(all[16*side:16*side+16], game.PlaceAction(game.Elephant))
				files[setups] = append(files[setups], at%8)
			}
		}
	}
	if whole := files[WholeSetups]; slices.Min(whole) < 5 {
		t.Errorf("the elephants of whole setups are on the files %v", whole)
	}
	if searched := files[SearchedSetups]; slices.Min(searched) >= 5 {
		t.Errorf("setups that are searched are no worse, so the test shows nothing: %v", searched)
	}
}

// TestWholeSetupsAreBounded: many visits do not ask for more samples than help.
func TestWholeSetupsAreBounded(t *testing.T) {
	p, judged := searcher("whole", 1500), 0
	p.Setups, p.Backend = WholeSetups, eval.Func(func(batch int) (func(*eval.Batch) error, error) {
		evaluate, err := even(batch)
		return func(b *eval.Batch) error {
			for i := range b.Len() {
				if !b.Position(i).InSetup() {
					judged++
				}
			}
			return evaluate(b)
		}, err
	})
	setupsOf(t, p, 1)
	if judged != 4*1000+1000 { // Gold's against four answers, Silver's against Gold's
		t.Errorf("%d values of complete positions", judged)
	}
}

// elephantsEast is an evaluator that values complete setups by the files of the elephants, and nothing else.
func elephantsEast(batch int) (func(*eval.Batch) error, error) {
	evaluate, err := even(batch)
	return func(b *eval.Batch) error {
		if err := evaluate(b); err != nil {
			return err
		}
		for i := range b.Len() {
			g := b.Position(i)
			if g.InSetup() || g.Turns() > 0 {
				continue
			}
			files := [2]int{}
			for s := game.Square(0); s < 64; s++ {
				if c, k, ok := g.Board().At(s); ok && k == game.Elephant {
					files[c] = s.File()
				}
			}
			b.SetValue(i, 0.5+float32(files[game.Gold]-files[game.Silver])/20)
		}
		return nil
	}, err
}
