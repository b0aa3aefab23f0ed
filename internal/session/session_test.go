package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/arena"
	"warren/internal/durable"
	"warren/internal/eval"
	"warren/mcts"
)

const goldSetup = "Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Rh2"

// stub is an opponent that plays by chance and records its calls.
type stub struct {
	seeds []uint64 // that it was seated with
	sits  int      // seats in use
	told  []game.Action
	last  *game.Game // before the last of them
	// act, if not nil, chooses the actions.
	act func(ctx context.Context, g *game.Game) (game.Action, error)
}

func (p *stub) Name() string { return "stub" }

func (p *stub) Sit(ctx context.Context, seed uint64) (arena.Seat, error) {
	p.seeds = append(p.seeds, seed)
	p.sits++
	p.told = nil
	return &stubSeat{p, rand.New(rand.NewPCG(seed, 0))}, nil
}

type stubSeat struct {
	*stub
	rng *rand.Rand
}

func (s *stubSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	if s.act != nil {
		return s.act(ctx, g)
	}
	legal := g.Legal(nil)
	return legal[s.rng.IntN(len(legal))], nil
}

func (s *stubSeat) Watch(before *game.Game, a game.Action) error {
	s.told, s.last = append(s.told, a), before.Clone()
	return nil
}

func (s *stubSeat) Close() error {
	s.sits--
	return nil
}

// begun returns a session with the person as Gold and both sides set up.
func begun(t *testing.T, p *stub) *Session {
	t.Helper()
	s := New(Config{Opponent: p, Seed: 1})
	t.Cleanup(func() { s.Close() })
	if err := s.PlayTurn(goldSetup); err != nil {
		t.Fatal(err)
	}
	reply(t, s)
	return s
}

func reply(t *testing.T, s *Session) Reply {
	t.Helper()
	r, err := s.Reply(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func steps(t *testing.T, s *Session, text string) {
	t.Helper()
	if _, err := s.PlaySteps(text); err != nil {
		t.Fatal(err)
	}
}

// stands fails unless the game has that hash.
func stands(t *testing.T, s *Session, hash uint64) {
	t.Helper()
	if s.Game().Hash() != hash {
		t.Errorf("the game stands at %s\n%s", s.Game().TurnLabel(), s.MoveList())
	}
}

func TestGameToItsEnd(t *testing.T) {
	p := &stub{}
	s := New(Config{Opponent: p, Side: game.Silver, Seed: 3})
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	for s.Game().Turns() < 2000 && !s.Result().Over() {
		if s.Game().Side() != s.Side() {
			side, most := s.Game().Side(), 0
			r, err := s.Reply(t.Context(), func(done, m int) { most = max(most, done+1) })
			if err != nil || len(r.Turn) == 0 || r.Forfeit != nil || most != len(r.Turn) || !s.Result().Over() && s.Game().Side() == side {
				t.Fatalf("%+v, %v; %d actions reported", r, err, most)
			}
			continue
		}
		legal, err := s.Legal()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Play(legal[rng.IntN(len(legal))]); err != nil {
			t.Fatal(err)
		}
	}
	if !s.Result().Over() || s.Result() != s.Game().Result() {
		t.Fatalf("after %d turns: %v", s.Game().Turns(), s.Result())
	}
	if _, err := game.ParseMoveList(s.MoveList()); err != nil {
		t.Error(err)
	}
	_, err := s.Legal()
	_, err2 := s.PlaySteps("Ee2n")
	_, err3 := s.Reply(t.Context(), nil)
	for _, err := range []error{err, err2, err3, s.EndTurn(), s.Resign(), s.Play(game.Pass)} {
		if !errors.Is(err, ErrOver) {
			t.Errorf("in a game that is over: %v", err)
		}
	}
}

func TestWhatCannotBePlayed(t *testing.T) {
	s := begun(t, &stub{})
	hash := s.Game().Hash()
	north, south := game.StepAction(12, game.North), game.StepAction(48, game.South) // Ee2n, a7s
	next := s.Game().Clone()
	next.Play(north)
	next.Play(game.Pass)
	if !slices.Contains(next.Legal(nil), south) {
		t.Fatal("the opponent could not play its step")
	}
	for name, err := range map[string]error{
		"an illegal action":     s.Play(north, north),
		"more than a turn":      s.Play(north, game.Pass, north),
		"the opponent's turn":   s.Play(north, game.Pass, south),
		"a turn that is none":   s.PlayTurn("Ee2n Ee3s"),
		"a turn without a step": s.EndTurn(),
		"a second setup":        s.SetUp(),
	} {
		if err == nil {
			t.Errorf("%s was played", name)
		}
		stands(t, s, hash)
	}
	if _, err := s.Reply(t.Context(), nil); err == nil {
		t.Error("the opponent played the person's turn")
	}
	if err := s.PlayTurn("Ee2n"); err != nil {
		t.Fatal(err)
	}
	hash = s.Game().Hash()
	if legal, err := s.Legal(); err != nil || s.Play(legal[0]) != errOpponentsTurn || s.Resign() != errOpponentsTurn {
		t.Errorf("the person played the opponent's turn; legal actions: %v", err)
	}
	stands(t, s, hash)
}

func TestUndo(t *testing.T) {
	p := &stub{}
	s := begun(t, p)
	var hashes []uint64
	for _, act := range []func() error{
		func() error { return s.PlayTurn("Ee2n Ee3n") },
		func() error { _, err := s.Reply(t.Context(), nil); return err },
		func() error { _, err := s.PlaySteps("Hb2n"); return err },
		func() error { _, err := s.PlaySteps("Hb3n"); return err },
	} {
		hashes = append(hashes, s.Game().Hash())
		if err := act(); err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range []int{3, 2, 0} {
		if err := s.Undo(); err != nil {
			t.Fatal(err)
		}
		stands(t, s, hashes[i])
	}
	if p.sits != 0 {
		t.Errorf("%d seats are in use in a game that has become another", p.sits)
	}
	// A resignation gives up an open turn and can be taken back; so can the setup.
	steps(t, s, "Ee2n")
	if err := s.Resign(); err != nil {
		t.Fatal(err)
	}
	if want := (game.Result{Winner: game.Silver, Reason: game.Resignation}); s.Result() != want || len(s.OpenTurn()) > 0 {
		t.Errorf("%v, open turn %v", s.Result(), s.OpenTurn())
	}
	if err := s.Undo(); err != nil || s.Result().Over() {
		t.Errorf("%v, %v", err, s.Result())
	}
	stands(t, s, hashes[0])
	if err := s.Undo(); err != nil || s.Game().Hash() != game.New().Hash() {
		t.Errorf("the setup stays: %v", err)
	}
	if err := s.Undo(); err == nil {
		t.Error("nothing was taken back")
	}
}

// pupil is an opponent that adapts.
type pupil struct{ stub }

type pupilSeat struct{ arena.Seat }

func (pupilSeat) Level() arena.Level { return arena.Levels()[2] }

func (p *pupil) Sit(ctx context.Context, seed uint64) (arena.Seat, error) {
	seat, err := p.stub.Sit(ctx, seed)
	return pupilSeat{seat}, err
}

// An opponent that adapts keeps its seat, and so its level, where a turn or a reply is taken back.
func TestAdaptingOpponentStays(t *testing.T) {
	p := &pupil{}
	s := New(Config{Opponent: p, Seed: 1})
	defer s.Close()
	for range 2 {
		if err := s.SetUp(); err != nil {
			t.Fatal(err)
		}
		reply(t, s)
		if err := s.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetUp(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p.act = func(context.Context, *game.Game) (game.Action, error) {
		cancel()
		return 0, ctx.Err()
	}
	if _, err := s.Reply(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a reply that is cancelled: %v", err)
	}
	p.act = nil
	reply(t, s)
	for _, end := range []func() error{s.LoseOnTime, s.Stop} {
		if err := errors.Join(end(), s.Undo()); err != nil {
			t.Fatal(err)
		}
	}
	if level, ok := s.OpponentLevel(); !ok || level.Number != 3 || len(p.seeds) != 1 {
		t.Errorf("it sat down %d times, and plays at %+v", len(p.seeds), level)
	}
}

// TestSeatIsToldEverything: an opponent that sits down in the middle of a game is
// told what has been played.
func TestSeatIsToldEverything(t *testing.T) {
	p := &stub{}
	s := begun(t, p)
	told := func() {
		t.Helper()
		if !slices.Equal(p.told, s.history.actions) || p.sits != 1 {
			t.Errorf("%d seats, told %v of %v", p.sits, p.told, s.history.actions)
		}
	}
	told()
	for range 2 {
		if err := s.PlayTurn("Ee2n"); err != nil {
			t.Fatal(err)
		}
		reply(t, s)
		told()
		if err := s.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Swap(); err != nil || s.Side() != game.Silver {
		t.Error("the sides are as before")
	}
	reply(t, s)
	told()
	s.NewGame()
	reply(t, s)
	told()
	if s.Game().TurnLabel() != "1s" || p.seeds[0] != 1 || p.seeds[len(p.seeds)-1] != 2 {
		t.Errorf("at %s; seeds %v", s.Game().TurnLabel(), p.seeds)
	}
	if s.Close(); p.sits != 0 {
		t.Errorf("%d seats are left", p.sits)
	}
}

// TestReplyThatFails: after an error the game stands as before, and the opponent
// can be asked again.
func TestReplyThatFails(t *testing.T) {
	p := &stub{}
	s := begun(t, p)
	if err := s.PlayTurn("Ee2n"); err != nil {
		t.Fatal(err)
	}
	hash, broken, forfeit := s.Game().Hash(), errors.New("out of memory"), &arena.Forfeit{Cause: "it was stopped"}
	for _, c := range []struct {
		second error // of the second action
		late   bool  // whether the context ends then
		want   error
	}{
		{broken, false, broken},
		{broken, true, broken},
		{context.Canceled, true, context.Canceled},
		{forfeit, true, forfeit},
		{nil, true, context.Canceled}, // it plays on
	} {
		asked := 0
		ctx, cancel := context.WithCancel(t.Context())
		p.act = func(_ context.Context, g *game.Game) (game.Action, error) {
			if asked++; asked == 2 {
				if c.late {
					cancel()
				}
				return g.Legal(nil)[0], c.second
			}
			return g.Legal(nil)[0], nil
		}
		r, err := s.Reply(ctx, nil)
		cancel()
		if r.Forfeit != nil || !errors.Is(err, c.want) {
			t.Errorf("got %v, %v, want %v", r.Forfeit, err, c.want)
		}
		if p.sits != 0 || s.Result().Over() {
			t.Errorf("%d seats, %v", p.sits, s.Result())
		}
		stands(t, s, hash)
	}
	p.act = nil
	if r := reply(t, s); len(r.Turn) == 0 {
		t.Error("the opponent does not continue")
	}
}

func TestForfeit(t *testing.T) {
	for cause, answer := range map[string]func() (game.Action, error){
		"the engine resigned":    func() (game.Action, error) { return 0, &arena.Forfeit{Cause: "the engine resigned"} },
		"the illegal action 999": func() (game.Action, error) { return 999, nil },
	} {
		p := &stub{}
		s := begun(t, p)
		if err := s.PlayTurn("Ee2n"); err != nil {
			t.Fatal(err)
		}
		hash, asked := s.Game().Hash(), 0
		p.act = func(_ context.Context, g *game.Game) (game.Action, error) {
			if asked++; asked == 2 {
				return answer()
			}
			return g.Legal(nil)[0], nil
		}
		r := reply(t, s)
		if r.Forfeit == nil || r.Forfeit.Cause != cause || r.Turn != nil {
			t.Errorf("%s: %+v", cause, r)
		}
		if want := (game.Result{Winner: game.Gold, Reason: game.Resignation}); s.Result() != want {
			t.Errorf("%s: %v", cause, s.Result())
		}
		stands(t, s, hash)
		if !strings.HasSuffix(s.MoveList(), "2s resigns\n") {
			t.Errorf("%s: the move list ends %q", cause, s.MoveList())
		}
	}
}

// An external engine cannot continue within a turn.
func TestExternalEnginesTakeOverWholeTurns(t *testing.T) {
	s := New(Config{Opponent: &arena.External{Label: "bot"}, Side: game.Gold})
	defer s.Close()
	if err := s.Resume("1g " + goldSetup + "\n1s ra8 rb8 rc8 dd8 de8 rf8 rg8 rh8 ra7 hb7 cc7 md7 ee7 cf7 hg7 rh7\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PlaySteps("Ee2n"); err != nil {
		t.Fatal(err)
	}
	if err := s.Swap(); err == nil || !strings.Contains(err.Error(), "bot can only play whole turns") || s.Side() != game.Gold {
		t.Errorf("got %v, and the person plays %v", err, s.Side())
	}
	if err := s.Undo(); err != nil {
		t.Fatal(err)
	}
	if err := s.Swap(); err != nil || s.Side() != game.Silver {
		t.Errorf("got %v, and the person plays %v", err, s.Side())
	}
}

// absent is an opponent that does not take its seat.
type absent struct{ stub }

func (*absent) Sit(context.Context, uint64) (arena.Seat, error) {
	return nil, &arena.Forfeit{Cause: "it ended"}
}

func TestOpponentThatDoesNotComeIsNamed(t *testing.T) {
	s := New(Config{Opponent: &absent{}, Side: game.Silver})
	defer s.Close()
	if _, err := s.Reply(t.Context(), nil); err == nil || err.Error() != "asking stub: forfeits: it ended" {
		t.Errorf("got %v", err)
	}
}

func TestWinIsAdvised(t *testing.T) {
	board, side, err := game.ParsePosition("g [        R      r                                              E ]")
	if err != nil {
		t.Fatal(err)
	}
	want := game.Result{Winner: game.Gold, Reason: game.Goal}
	g := game.FromBoard(board, side)
	advice, err := adviser(t, 2).Advise(t.Context(), g, 2, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range advice.Turn {
		g.Play(a)
	}
	if !advice.Wins || g.Result() != want {
		t.Errorf("the advice is %+v", advice)
	}
}

// A turn that ends the game with a loss is no win: here the last rabbit must step into a trap.
func TestLossIsAdvised(t *testing.T) {
	board, side, err := game.ParsePosition("g [" + strings.Repeat(" ", 49) + "rRr" + strings.Repeat(" ", 12) + "]")
	if err != nil {
		t.Fatal(err)
	}
	g := game.FromBoard(board, side)
	advice, err := adviser(t, 2).Advise(t.Context(), g, 2, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range advice.Turn {
		g.Play(a)
	}
	if advice.Wins || g.Result().Winner != game.Silver {
		t.Errorf("the advice is %+v, and %v", advice, g.Result())
	}
}

// The position is from a game that was lost by the step ra6s: after it the opponent reaches
// the goal next turn, whatever the rest of the turn is. Some thirty thousand steps are needed
// to see that, so a search whose evaluator likes the step plays it.
func TestLevelsAndHintsRefuseBlunders(t *testing.T) {
	board, side, err := game.ParsePosition("s [        dHr ccr rR r MHr    Ch    rEr        D   Re  R R  R RR R]")
	if err != nil {
		t.Fatal(err)
	}
	g, blunder := game.FromBoard(board, side), game.StepAction(40, game.South)
	likes := eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			for i := range b.Len() {
				priors := b.Priors(i)
				at := max(0, slices.Index(b.Legal(i), blunder))
				for j := range priors {
					priors[j] = 0.1 / float32(len(priors))
				}
				priors[at] += 0.9
				b.SetValue(i, 0.5)
			}
			return nil
		}, nil
	})
	loses := func(turn []game.Action) bool {
		after := g.Clone()
		for _, a := range turn {
			after.Play(a)
		}
		return after.Side() == side || tactics.Winning(after) != nil
	}
	played := func(how arena.SearchSettings) (turn []game.Action) {
		seat, err := (&arena.Searcher{SearchSettings: how, Backend: likes}).Sit(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		for after := g.Clone(); after.Side() == side && !after.Result().Over(); after.Play(turn[len(turn)-1]) {
			a, err := seat.Act(t.Context(), after)
			if err != nil {
				t.Fatal(err)
			}
			turn = append(turn, a)
		}
		return turn
	}
	for _, level := range arena.Levels() {
		if level.Temperature > 0.8 || level.Time > 0 { // at which the move that the network likes is not sure, or the search long
			continue
		}
		how := level.Over(arena.DefaultSearch())
		if turn := played(how); loses(turn) {
			t.Errorf("level %d plays %s, which loses", level.Number, game.FormatTurn(g, turn))
		}
		how.Tactics = false
		if turn := played(how); !loses(turn) {
			t.Errorf("level %d without tests plays %s: the position tells nothing", level.Number, game.FormatTurn(g, turn))
		}
	}
	a, err := NewAdviser(likes, mcts.MatchConfig(), 60)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	advice, err := a.Advise(t.Context(), g, 60, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	last := advice.Steps[len(advice.Steps)-1]
	if loses(advice.Turn) || advice.Line[0] != advice.Turn[0] || advice.Steps[0].Action == blunder || last.Proof != mcts.Lost {
		t.Errorf("the hint is %s; the line begins with %d, the steps are %+v", game.FormatTurn(g, advice.Turn), advice.Line[0], advice.Steps)
	}
}

// even evaluates without a preference.
func even(b *eval.Batch) error {
	for i := range b.Len() {
		priors := b.Priors(i)
		for j := range priors {
			priors[j] = 1 / float32(len(priors))
		}
		b.SetValue(i, 0.5)
	}
	return nil
}

func adviser(t *testing.T, visits int) *Adviser {
	t.Helper()
	backend := eval.Func(func(int) (func(*eval.Batch) error, error) { return even, nil })
	a, err := NewAdviser(backend, mcts.AlphaZeroConfig(), visits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func TestAdvice(t *testing.T) {
	s := begun(t, &stub{})
	if _, err := s.Hint(t.Context(), 0, nil); err != ErrNoAdviser || s.HasAdviser() {
		t.Errorf("without an adviser: %v", err)
	}
	s.adviser = adviser(t, 20)
	steps(t, s, "Ee2n")
	hash := s.Game().Hash()
	for visits, want := range map[int]int{0: 20, 30: 30} {
		last := 0
		advice, err := s.Hint(t.Context(), visits, func(done, total int) {
			if done < last || done > total || total != 3*want {
				t.Fatalf("%d of %d done, before %d", done, total, last)
			}
			last = done
		})
		if err != nil {
			t.Fatal(err)
		}
		visited := 0
		for _, step := range advice.Steps {
			visited += step.Visits
		}
		if advice.Visits != want || visited != want-1 || advice.Network != 0.5 || advice.Value <= 0 || advice.Value >= 1 || advice.Wins {
			t.Errorf("%d visits: %+v", visits, advice)
		}
		if !slices.IsSortedFunc(advice.Steps, func(x, y mcts.ActionStats) int { return y.Visits - x.Visits }) {
			t.Errorf("%d visits: the steps with the most are not the first of %+v", visits, advice.Steps)
		}
		stands(t, s, hash)
		if err := s.Play(advice.Turn...); err != nil || s.Game().Side() == s.Side() {
			t.Errorf("%v is not the rest of a turn: %v", advice.Turn, err)
		}
		if err := s.Undo(); err != nil {
			t.Fatal(err)
		}
		steps(t, s, "Ee2n")
	}
	if chance, err := s.Evaluate(); chance != 0.5 || err != nil {
		t.Errorf("%g, %v", chance, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Hint(ctx, 5, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled hint: %v", err)
	}
	for _, visits := range []int{-1, MaxVisits + 1} {
		if _, err := s.Hint(t.Context(), visits, nil); err == nil {
			t.Errorf("a hint of %d visits", visits)
		}
	}
	stands(t, s, hash)
}

// TestAdviceBeginsWithWhatIsPlayed: the first of the listed steps is the first of the turn to play, also where another has
// more visits or the turn wins at once.
func TestAdviceBeginsWithWhatIsPlayed(t *testing.T) {
	swings := eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			err := even(b)
			for i := range b.Len() {
				b.SetValue(i, float32(b.Position(i).Hash()%1000)/1000)
			}
			return err
		}, nil
	})
	a, err := NewAdviser(swings, mcts.MatchConfig(), 60)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	rng := rand.New(rand.NewPCG(4, 4))
	g, others := game.New(), 0 // positions in which not the step with the most visits is played
	for at := 0; at < 100; at++ {
		if at%7 == 0 && !g.InSetup() {
			advice, err := a.Advise(t.Context(), g, 60, nil)
			if err != nil {
				t.Fatal(err)
			}
			if advice.Steps[0].Action != advice.Turn[0] {
				t.Errorf("the steps begin with %+v, and the turn is %s", advice.Steps[0], game.FormatTurn(g, advice.Turn))
			}
			if slices.ContainsFunc(advice.Steps, func(m mcts.ActionStats) bool { return m.Visits > advice.Steps[0].Visits }) {
				others++
			}
		}
		legal := g.Legal(nil)
		g.Play(legal[rng.IntN(len(legal))])
	}
	if others == 0 {
		t.Error("the step with the most visits is always played: the positions do not tell the order")
	}
	board, side, err := game.ParsePosition("g [" + strings.Repeat(" ", 10) + "R    r" + strings.Repeat(" ", 48) + "]")
	if err != nil {
		t.Fatal(err)
	}
	wins := game.FromBoard(board, side)
	advice, err := adviser(t, 1).Advise(t.Context(), wins, 1, nil)
	if err != nil || !advice.Wins || advice.Steps[0].Action != advice.Turn[0] {
		t.Errorf("%v; the advice to win at once is %+v", err, advice)
	}
}

func TestSavedGames(t *testing.T) {
	folder := t.TempDir()
	if err := New(Config{Opponent: &stub{}}).Save(filepath.Join(folder, "none.txt")); err == nil {
		t.Error("a game without a turn is saved")
	}
	s := begun(t, &stub{})
	if !s.Unsaved() {
		t.Error("a new game counts as saved")
	}
	path := filepath.Join(folder, "game-1.txt")
	if err := s.Save(path); err != nil || s.Unsaved() {
		t.Fatal(err)
	}
	hash := s.Game().Hash()
	steps(t, s, "Ee2n")
	if s.Unsaved() {
		t.Error("the steps of an unfinished turn can be saved")
	}
	if err := s.EndTurn(); err != nil || !s.Unsaved() {
		t.Errorf("a further turn counts as saved: %v", err)
	}
	if err := s.Save(filepath.Join(folder, "game-2.txt")); err != nil {
		t.Error(err)
	}
	if _, err := s.Load(path); err != nil || s.Unsaved() {
		t.Fatal(err)
	}
	stands(t, s, hash)
	if err := s.Save(path); err != nil {
		t.Errorf("a saved game cannot be replaced: %v", err)
	}
	other := filepath.Join(folder, "notes")
	if err := os.WriteFile(other, []byte("buy milk"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(other); err == nil || !strings.Contains(err.Error(), "is not a saved game") {
		t.Errorf("a file that is no game was replaced: %v", err)
	}
	if _, err := s.Load(other); err == nil || !strings.Contains(err.Error(), "notes") {
		t.Errorf("loading what is no game: %v", err)
	}
	stands(t, s, hash)
	// A resignation is saved too.
	if err := s.Resign(); err != nil || !s.Unsaved() {
		t.Fatalf("a resignation counts as saved, %v", err)
	}
	if err := s.Save(path); err != nil || s.Unsaved() {
		t.Fatal(err)
	}
	again := New(Config{Opponent: &stub{}})
	if _, err := again.Load(path); err != nil || again.Result() != s.Result() || again.Unsaved() {
		t.Errorf("%v, %v", again.Result(), err)
	}
}

// Files of other programs and files of many games are loaded, and are never replaced.
func TestFilesFromElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	s := begun(t, &stub{})
	steps(t, s, "Ee2n")
	if err := s.EndTurn(); err != nil {
		t.Fatal(err)
	}
	list := s.MoveList()
	archived := "id\tresult\ttermination\tmovelist\n1\td\tg\t1g\n2\tw\tr\t1g Ra1\n3\tw\tg\t" + strings.ReplaceAll(strings.TrimSpace(list), "\n", `\n`) + "\n"
	for name, file := range map[string]struct {
		content string
		games   int
	}{
		"tags":            {"Gold: alice\nResult: 1-0\n\n" + list, 1},
		"mark":            {"\ufeff" + list, 1},
		"CRLF":            {strings.ReplaceAll(list, "\n", "\r\n"), 1},
		"two games":       {list + list, 2},
		"an illegal game": {"1g Ra8\n" + list, 2},
		"an archive":      {archived, 3},
	} {
		if err := os.WriteFile(name, []byte(file.content), 0o666); err != nil {
			t.Fatal(err)
		}
		again := New(Config{Opponent: &stub{}})
		games, err := again.Load(name)
		if err != nil || games != file.games || again.MoveList() != list {
			t.Errorf("%s: %d games, %v; the game is\n%s", name, games, err, again.MoveList())
		}
		if err := again.Save(name); err == nil {
			t.Errorf("%s: the file was replaced", name)
		}
	}
	if _, err := s.Load("."); !errors.Is(err, durable.ErrSpecial) {
		t.Errorf("a directory gave %v", err)
	}
}

// TestUnsavedAfterTakingBack: what is taken back is not saved, and what replaces it is not.
func TestUnsavedAfterTakingBack(t *testing.T) {
	s := begun(t, &stub{})
	turn := func(text string) {
		t.Helper()
		if err := s.PlayTurn(text); err != nil {
			t.Fatal(err)
		}
	}
	undo := func() {
		t.Helper()
		if err := s.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	turn("Ee2n Ee3n")
	undo()
	if !s.Unsaved() {
		t.Error("setups that are in no file count as saved because a turn was taken back")
	}
	turn("Ee2n Ee3n")
	if err := s.Save(filepath.Join(t.TempDir(), "game.txt")); err != nil {
		t.Fatal(err)
	}
	undo()
	if s.Unsaved() {
		t.Error("the setups, which are in the file, count as unsaved")
	}
	turn("Ee2n Ee3n Ee4n")
	undo()
	turn("Md2n")
	if !s.Unsaved() {
		t.Error("a turn in the place of a saved one counts as saved")
	}
}

// TestAnotherGameStays: a game replaces only itself in a file, and nothing that others have written there.
func TestAnotherGameStays(t *testing.T) {
	t.Chdir(t.TempDir())
	s := begun(t, &stub{})
	for range 2 { // the second time the game is in the file
		if err := s.Save("keep.txt"); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile("keep.txt")
	if err != nil {
		t.Fatal(err)
	}
	stays := func() {
		t.Helper()
		for _, replace := range []func(string) error{s.Save, s.Remove} {
			if err := replace("./keep.txt"); err == nil || err.Error() != "./keep.txt holds something else; choose another name" {
				t.Errorf("another game is replaced: %v", err)
			}
		}
		if now, err := os.ReadFile("keep.txt"); err != nil || string(now) != string(before) {
			t.Errorf("the file is another: %v", err)
		}
	}
	s.NewGame()
	if err := s.PlayTurn(goldSetup); err != nil {
		t.Fatal(err)
	}
	stays()
	if err := s.Resume(string(before)); err != nil {
		t.Fatal(err)
	}
	stays()
	if _, err := s.Load("keep.txt"); err != nil {
		t.Fatal(err)
	}
	if err := s.PlayTurn("Ee2n"); err != nil {
		t.Fatal(err)
	}
	if err := s.Save("./keep.txt"); err != nil {
		t.Errorf("a loaded game does not return to its file: %v", err)
	}
	for range 2 { // the second time it is gone
		if err := s.Remove("keep.txt"); err != nil {
			t.Error(err)
		}
	}
	// Another program has written to the file since.
	before = []byte("Gold: alice\n\n" + s.MoveList())
	if err := os.WriteFile("keep.txt", before, 0o666); err != nil {
		t.Fatal(err)
	}
	reply(t, s)
	stays()
}

// Another opponent takes over the game where it stands, and the one before leaves its seat.
func TestReplace(t *testing.T) {
	before, after := &stub{}, &stub{}
	s := begun(t, before)
	moves := s.MoveList()
	s.Replace(after)
	if before.sits != 0 || s.MoveList() != moves {
		t.Errorf("%d seats are in use, and the game is %q", before.sits, s.MoveList())
	}
	if err := s.Play(game.StepAction(on(t, "e2"), game.North), game.Pass); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Reply(t.Context(), nil); err != nil || len(r.Turn) == 0 || after.sits != 1 || before.sits != 0 {
		t.Errorf("the reply is %+v, %v, with %d seats", r, err, after.sits)
	}
	if len(after.told) < game.Placements+2 {
		t.Errorf("it was told %d actions", len(after.told))
	}
}

// The line of a hint continues after its turn. The tree, which has it, is not kept.
func TestLineOfHint(t *testing.T) {
	board, side, err := game.ParsePosition("g [" + strings.Repeat(" ", 8) + "r" + strings.Repeat(" ", 27) + "E" + strings.Repeat(" ", 15) + "R" + strings.Repeat(" ", 10) + "e]")
	if err != nil {
		t.Fatal(err)
	}
	g := game.FromBoard(board, side)
	a := adviser(t, 2)
	advice, err := a.Advise(t.Context(), g, 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(advice.Turn); len(advice.Line) <= n || !slices.Equal(advice.Line[:n], advice.Turn) {
		t.Errorf("the turn is %v, the line %v", advice.Turn, advice.Line)
	}
	for i, action := range advice.Line {
		if !slices.Contains(g.Legal(nil), action) {
			t.Fatalf("action %d of the line is not legal", i)
		}
		if g.Play(action); a.engine.Line(g) != nil {
			t.Errorf("after action %d there is still a tree", i)
		}
	}
}
