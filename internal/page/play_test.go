package page

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warren/game"
	"warren/internal/arena"
	"warren/net/bundled"
)

const (
	goldSetup   = "Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Rh2"
	silverSetup = "ra8 rb8 rc8 cd8 ce8 rf8 rg8 rh8 ra7 hb7 dc7 md7 ee7 df7 hg7 rh7"
)

func (s *Server) begin(t testing.TB, settings map[string]string) *state {
	t.Helper()
	var st state
	if code := s.ask(t, "POST", "/api/play", settings, &st); code != http.StatusOK {
		t.Fatalf("beginning a game: %d", code)
	}
	return &st
}

func (s *Server) move(t testing.TB, st *state, what string, body any) *state {
	t.Helper()
	var next state
	if code := s.ask(t, "POST", "/api/play/"+st.ID+"/"+what, body, &next); code != http.StatusOK {
		_, text := s.problemOf(t, "POST", "/api/play/"+st.ID+"/"+what, body)
		t.Fatalf("%s: %d %s", what, code, text)
	}
	return &next
}

// A game is played to its end over the page's requests alone, from both sides.
func TestGameToItsEnd(t *testing.T) {
	s := serverOf(t, Config{})
	for _, side := range []string{"gold", "silver"} {
		rng := rand.New(rand.NewPCG(1, uint64(len(side))))
		st := s.begin(t, map[string]string{"player": "greedy", "side": side})
		for n := 0; st.Winner == ""; n++ {
			switch {
			case n > 3000:
				t.Fatal("the game does not end")
			case st.ToMove != side:
				before := st.Board
				st = s.move(t, st, "reply", nil)
				if len(st.Played) == 0 || st.Played[0].Board != before {
					t.Fatalf("the reply is shown as %+v", st.Played)
				}
			case st.Setup:
				if len(st.Setups) < 4 {
					t.Fatalf("%d setups are offered", len(st.Setups))
				}
				st = s.move(t, st, "setup", map[string]string{"pieces": map[string]string{"gold": goldSetup, "silver": silverSetup}[side]})
			default:
				turn := []game.Action{st.Legal[rng.IntN(len(st.Legal))]}
				for key, ways := range st.Pushes { // pushes as the page makes them
					if rng.IntN(3) == 0 {
						if len(ways[0]) != 2 {
							t.Fatalf("the push %s is %v", key, ways)
						}
						turn = ways[0]
						break
					}
				}
				st = s.move(t, st, "play", map[string]any{"actions": turn})
			}
		}
		list, err := game.ParseMoveList(st.Moves)
		if err != nil || list.Game.Result().Winner.String() != st.Winner || list.Game.Result().Reason.String() != st.Reason {
			t.Errorf("%s has won by %s, and the moves say %v, %v", st.Winner, st.Reason, list.Game.Result(), err)
		}
		if code, text := s.problemOf(t, "POST", "/api/play/"+st.ID+"/reply", nil); code != http.StatusConflict || !strings.Contains(text, "over") {
			t.Errorf("a reply after the end: %d %s", code, text)
		}
	}
}

func TestTable(t *testing.T) {
	s := serverOf(t, Config{})
	st := s.begin(t, map[string]string{"player": "random", "side": "gold", "moves": "1g " + goldSetup + "\n1s " + silverSetup})
	if st.Label != "2g" || st.Setup || st.Left != 4 || st.Side != "gold" || st.Advice {
		t.Fatalf("the game continues as %+v", st)
	}
	e2, e4 := square(t, "e2"), square(t, "e4")
	way := st.Slides[fmt.Sprintf("%d-%d", e2, e4)]
	if len(way) != 2 {
		t.Fatalf("from e2 to e4 by %v", way)
	}
	st = s.move(t, st, "play", map[string]any{"actions": way})
	mustBe(t, "the open turn", st.Open, "[Ee2n Ee3n]")
	mustBe(t, "the steps left", st.Left, 2)
	var shown state
	s.ask(t, "GET", "/api/play/"+st.ID, nil, &shown)
	mustBe(t, "the game after a reload", shown.Board, st.Board)
	st = s.move(t, st, "undo", nil)
	mustBe(t, "the steps left after taking back", st.Left, 3)
	for what, body := range map[string]any{
		"play": map[string]any{"actions": []int{5}}, "setup": map[string]string{"pieces": goldSetup}, "reply": nil, "hint": nil, "evaluate": nil,
	} {
		if code, text := s.problemOf(t, "POST", "/api/play/"+st.ID+"/"+what, body); code != http.StatusConflict || text == "" {
			t.Errorf("%s: %d %s", what, code, text)
		}
	}
	st = s.move(t, st, "resign", nil)
	mustBe(t, "the winner", st.Winner+" "+st.Reason, "silver resignation")
	for body, want := range map[string]string{"hello": "not a game", "1g Ra9": "not a game", "1g " + goldSetup + "\n1s " + silverSetup + "\n2g Ea1n": "2g"} {
		code, text := s.problemOf(t, "POST", "/api/play", map[string]string{"player": "random", "side": "gold", "moves": body})
		if code != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("the file %.10q: %d %s", body, code, text)
		}
	}
}

// A piece that cannot be moved as the visitor wants has a reason.
func TestWhyNot(t *testing.T) {
	s := serverOf(t, Config{})
	st := s.begin(t, map[string]string{"player": "random", "side": "gold", "moves": "1g " + goldSetup + "\n1s " + silverSetup})
	for move, want := range map[string]string{"e2 e1": "E1 is occupied.", "e2 e3": "", "a1 a1": "No square next to the rabbit on a1 is free.", "a7 a7": "No gold piece can push or pull the rabbit on a7 now"} {
		from, to, _ := strings.Cut(move, " ")
		var answer struct{ Text string }
		s.ask(t, "POST", "/api/play/"+st.ID+"/why", map[string]any{"from": square(t, from), "to": square(t, to)}, &answer)
		if !strings.HasPrefix(answer.Text, want) || (want == "") != (answer.Text == "") {
			t.Errorf("%s: %q, want %q", move, answer.Text, want)
		}
	}
	for _, body := range []map[string]any{{"from": -1, "to": 3}, {"from": 3, "to": 64}} {
		if code, text := s.problemOf(t, "POST", "/api/play/"+st.ID+"/why", body); code != http.StatusBadRequest || !strings.Contains(text, "no square") {
			t.Errorf("%v: %d %s", body, code, text)
		}
	}
}

// After a win against a level the next one is named, if there is one. Only the levels of the bundled network
// have a known strength, so only they are opponents by that name.
func TestNextLevel(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}, Network: bundled.Name})
	won := "1g " + goldSetup + "\n1s " + silverSetup + "\n2g Ee2n\n2s resigns"
	for _, c := range []struct{ player, level, side, next string }{
		{given, "3", "gold", "4"}, {"0/1", "3", "gold", "4"}, {"0/1", "12", "gold", ""}, {"0/1", "3", "silver", ""}, {"random", "3", "gold", ""},
	} {
		st := s.begin(t, map[string]string{"player": c.player, "level": c.level, "side": c.side, "moves": won})
		if st.Winner != "gold" || st.Next != c.next {
			t.Errorf("%+v: %s has won, and the next level is %q", c, st.Winner, st.Next)
		}
		if want := map[string]string{given: "Level " + c.level, "0/1": "fixture, generation 1", "random": "random"}[c.player]; st.Opponent != want {
			t.Errorf("%+v: against %s, want %s", c, st.Opponent, want)
		}
	}
}

// Steps are made only in the position that they are meant for: another tab may have
// continued with the game.
func TestStepsForAnotherPosition(t *testing.T) {
	s := serverOf(t, Config{})
	first := s.begin(t, map[string]string{"player": "random", "side": "gold", "moves": "1g " + goldSetup + "\n1s " + silverSetup})
	north, south, camel := int(square(t, "e2")), 128+int(square(t, "e3")), int(square(t, "d2")) // steps
	play := func(seen *state, step int) map[string]any {
		return map[string]any{"actions": []int{step}, "board": seen.Board, "left": seen.Left}
	}
	refused := func(seen *state, why string) {
		t.Helper()
		code, text := s.problemOf(t, "POST", "/api/play/"+seen.ID+"/play", play(seen, camel))
		if code != http.StatusConflict || !strings.Contains(text, why) {
			t.Errorf("a step on an old board: %d %s", code, text)
		}
	}
	second := s.move(t, first, "play", play(first, north))
	refused(first, "changed")
	third := s.move(t, second, "play", play(second, south))
	mustBe(t, "the board after two steps", third.Board, first.Board)
	refused(first, "changed") // it is the same board, with fewer steps left
	fourth := s.move(t, third, "play", play(third, camel))
	mustBe(t, "the open turn", fourth.Open, "[Ee2n Ee3s Md2n]")
	s.move(t, fourth, "play", play(fourth, int(game.Pass)))
	refused(fourth, "opponent's turn")
	s.move(t, s.move(t, fourth, "reply", nil), "resign", nil)
	refused(fourth, "over")
}

func square(t testing.TB, name string) game.Square {
	n, err := game.ParseSquare(name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNetworkPlaysAndAdvises(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	st := s.begin(t, map[string]string{"player": "0/1", "level": "1", "side": "silver", "moves": "1g " + goldSetup + "\n1s " + silverSetup})
	st = s.move(t, st, "reply", nil)
	if st.Label != "2s" || !st.Advice {
		t.Fatalf("after the reply: %+v", st)
	}
	var value struct{ Value float32 }
	if code := s.ask(t, "POST", "/api/play/"+st.ID+"/evaluate", nil, &value); code != 200 || !(value.Value > 0 && value.Value < 1) {
		t.Errorf("the evaluation: %d, %v", code, value)
	}
	var hint advice
	if code := s.ask(t, "POST", "/api/play/"+st.ID+"/hint", nil, &hint); code != 200 || len(hint.Turn) == 0 || len(hint.Steps) == 0 || hint.Line == "" {
		t.Errorf("the hint: %d, %+v", code, hint)
	}
	s.move(t, st, "play", map[string]any{"actions": hint.Turn})

	var f replayed
	s.ask(t, "POST", "/api/analyse", map[string]string{"moves": st.Moves + "2s Xx9", "network": "0/1"}, &f)
	if f.Problem == "" || len(f.Frames) < 33 || f.Frames[32].Network == nil || f.Frames[32].Prior == nil || len(f.Frames[32].Priors) == 0 {
		t.Errorf("the analysis: %q, %d frames", f.Problem, len(f.Frames))
	}
	var actions []game.Action
	for _, frame := range f.Frames {
		actions = append(actions, frame.Action)
	}
	var same replayed
	if code := s.ask(t, "POST", "/api/analyse", map[string]any{"actions": actions, "network": "0/1"}, &same); code != 200 || len(same.Frames) != len(f.Frames) || *same.Frames[32].Network != *f.Frames[32].Network {
		t.Errorf("the analysis of the same game by its actions: %d, %d frames", code, len(same.Frames))
	}
	for _, n := range []int{0, 3, 32, 33, len(actions)} { // in the setup, at a turn, in a turn, at the end
		var a advice
		if code := s.ask(t, "POST", "/api/search", map[string]any{"actions": actions[:n], "network": "0/1", "visits": 4}, &a); code != 200 || a.Total != 3 || len(a.Steps) == 0 {
			t.Errorf("a search after %d actions: %d, %+v", n, code, a)
		}
	}
	if code, text := s.problemOf(t, "POST", "/api/search", map[string]any{"actions": []int{0}, "network": "0/1", "visits": 4}); code != http.StatusBadRequest || !strings.Contains(text, "step 1") {
		t.Errorf("a search of nonsense: %d %s", code, text)
	}
}

// The bundled network is on the page where there is no other.
func TestBoxedNetworkPlays(t *testing.T) {
	s := serverOf(t, Config{Network: bundled.Name})
	var players struct {
		Networks []networkInfo
		Levels   []levelInfo
	}
	s.ask(t, "GET", "/api/players", nil, &players)
	if len(players.Networks) != 1 || players.Networks[0].Title != "Warren" || players.Networks[0].Level != "1" || !slices.Equal(players.Levels, levels()) {
		t.Fatalf("the players are %+v", players)
	}
	st := s.begin(t, map[string]string{"player": players.Networks[0].ID, "level": "1", "side": "silver", "moves": "1g " + goldSetup + "\n1s " + silverSetup})
	if st = s.move(t, st, "reply", nil); st.Label != "2s" || !st.Advice {
		t.Errorf("after the reply: %+v", st)
	}
}

// A game with a handicap and a clock is played, saved, set up again and analysed.
func TestHandicapAndClock(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	settings := map[string]any{"player": "greedy", "side": "gold", "control": "2/2/100/10/8", "handicap": map[string]string{"silver": "mr"}}
	var st state
	if code := s.ask(t, "POST", "/api/play", settings, &st); code != 200 || st.Clock == nil || st.Clock.Limits != [2]int64{240_000, 240_000} {
		t.Fatalf("%d, the clock is %+v", code, st.Clock)
	}
	next := s.move(t, &st, "setup", map[string]string{"pieces": goldSetup})
	next = s.move(t, next, "reply", nil)
	mustBe(t, "the number of pieces", len(strings.NewReplacer(".", "", " ", "").Replace(next.Board)), 30)
	if next.Clock.Reserves != [2]int64{120_000, 120_000} || next.Clock.Used > 60_000 {
		t.Errorf("after the setups the clock is %+v", next.Clock)
	}
	settings["moves"], settings["clock"] = next.Moves, map[string]any{"control": "2/2/100/10/8", "reserves": []int{1000, 7_000}}
	var again state
	if code := s.ask(t, "POST", "/api/play", settings, &again); code != 200 || again.Board != next.Board || again.Clock.Reserves != [2]int64{1000, 7000} {
		t.Errorf("set up again: %d, %+v", code, again.Clock)
	}
	var f replayed
	if code := s.ask(t, "POST", "/api/analyse", map[string]string{"moves": next.Moves, "network": "0/1"}, &f); code != 200 || f.Problem != "" || len(f.Missing) != 2 || f.Final != next.Board {
		t.Errorf("the analysis: %d, %q, %v", code, f.Problem, f.Missing)
	}
	actions := []game.Action{}
	for _, frame := range f.Frames {
		actions = append(actions, frame.Action)
	}
	if code := s.ask(t, "POST", "/api/search", map[string]any{"actions": actions, "missing": f.Missing, "network": "0/1", "visits": 2}, nil); code != 200 {
		t.Errorf("a search: %d", code)
	}
	nine := []int{48, 49, 50, 51, 52, 53, 54, 55, 56}
	if code, text := s.problemOf(t, "POST", "/api/search", map[string]any{"actions": actions[:32], "missing": nine, "network": "0/1", "visits": 2}); code != http.StatusBadRequest || !strings.Contains(text, "9 pieces") {
		t.Errorf("a search of a game that no move list can hold: %d %s", code, text)
	}
	for _, wrong := range []map[string]any{
		{"player": "greedy", "side": "gold", "control": "soon"}, {"player": "greedy", "side": "gold", "handicap": map[string]string{"gold": "x"}},
		{"player": "greedy", "side": "gold", "handicap": map[string]string{"gold": "rrrrrrrr"}},
	} {
		if code, text := s.problemOf(t, "POST", "/api/play", wrong); code != http.StatusBadRequest || text == "" {
			t.Errorf("%v: %d %s", wrong, code, text)
		}
	}
}

// A request whose visitor has gone ends, and the game stands as before.
func TestReplyOfNobody(t *testing.T) {
	s := serverOf(t, Config{})
	st := s.begin(t, map[string]string{"player": "alphabeta:nodes=200000", "side": "silver", "moves": "1g " + goldSetup + "\n1s " + silverSetup})
	tab, err := s.open.get(context.Background(), st.ID)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := tab.session.Reply(ctx, nil); err == nil {
		t.Error("the reply was played for nobody")
	}
	if _, err := s.open.get(ctx, st.ID); err == nil {
		t.Error("two have taken the game")
	}
	tab.leave()
	mustBe(t, "the turn", tab.state().Label, "2g")
}

func TestTablesAreBounded(t *testing.T) {
	s := serverOf(t, Config{})
	first := s.begin(t, map[string]string{"player": "random", "side": "gold"})
	taken, err := s.open.get(context.Background(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	second := s.begin(t, map[string]string{"player": "random", "side": "gold"})
	removed := s.open.all[second.ID]
	for range maxOpenGames - 1 {
		s.begin(t, map[string]string{"player": "random", "side": "gold"})
	}
	mustBe(t, "the number of games", len(s.open.all), maxOpenGames)
	if code, _ := s.problemOf(t, "GET", "/api/play/"+second.ID, nil); code != http.StatusNotFound {
		t.Errorf("the oldest free game: %d", code)
	}
	select {
	case removed.place <- struct{}{}:
	default:
		t.Error("a request that waited for the oldest free game still waits")
	}
	taken.leave()
	if code := s.ask(t, "GET", "/api/play/"+first.ID, nil, nil); code != http.StatusOK {
		t.Errorf("the game in use: %d", code)
	}
}

// A request that waits for a game finds that it has been removed.
func TestGameThatIsRemovedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var games openGames
		g := &openGame{id: "game", place: make(chan struct{}, 1)}
		games.admit(g)
		g.place <- struct{}{}
		go func() {
			if _, err := games.get(t.Context(), "game"); err == nil {
				t.Error("a game that is over is on the board")
			}
			g.place <- struct{}{} // which get must have left
		}()
		synctest.Wait()
		games.mu.Lock()
		delete(games.all, "game")
		games.mu.Unlock()
		g.leave()
	})
}

// A new game waits for no request that holds another.
func TestAllBoardsInUse(t *testing.T) {
	s := serverOf(t, Config{})
	for range maxOpenGames {
		if _, err := s.open.get(context.Background(), s.begin(t, map[string]string{"player": "random", "side": "gold"}).ID); err != nil {
			t.Fatal(err)
		}
	}
	if code, text := s.problemOf(t, "POST", "/api/play", map[string]string{"player": "random", "side": "gold"}); code != http.StatusServiceUnavailable || text == "" {
		t.Errorf("%d %s", code, text)
	}
}

func TestSlidesAndPushes(t *testing.T) {
	board := strings.Repeat(".", 64)
	put := func(piece byte, at string) {
		n := int(square(t, at)) ^ 56
		board = board[:n] + string(piece) + board[n+1:]
	}
	put('E', "d4")
	put('h', "d5")
	put('R', "a2")
	put('r', "h7")
	b, err := game.ParseBoard(board)
	if err != nil {
		t.Fatal(err)
	}
	g := game.FromBoard(b, game.Gold)
	key := func(from, to string) string { return fmt.Sprintf("%d-%d", square(t, from), square(t, to)) }
	if ways := pushes(g); len(ways) != 1 || len(ways[key("d4", "d5")]) != 3 {
		t.Errorf("the pushes are %v", ways)
	}
	ways := slides(g)
	if len(ways[key("d4", "e5")]) != 2 || len(ways[key("a2", "a6")]) != 4 {
		t.Errorf("the slides are %v", ways)
	}
	for _, no := range []string{key("d4", "c3"), key("d4", "d5"), key("a2", "a1"), key("d4", "d4"), key("a2", "a3")} {
		if ways[no] != nil {
			t.Errorf("the slide %s is %v", no, ways[no])
		}
	}
	for name, way := range ways {
		at := g.Clone()
		for _, a := range way {
			if !slices.Contains(at.Legal(nil), a) {
				t.Fatalf("the slide %s is not legal: %v", name, way)
			}
			at.Play(a)
		}
	}
}

// guest is an opponent that plays the first legal action and counts its seats.
type guest struct{ seats int }

func (p *guest) Name() string { return "guest" }

func (p *guest) Sit(context.Context, uint64) (arena.Seat, error) {
	p.seats++
	return p, nil
}

func (p *guest) Act(_ context.Context, g *game.Game) (game.Action, error) {
	return g.Legal(nil)[0], nil
}

func (p *guest) Close() error {
	p.seats--
	return nil
}

// pupil is a guest that adapts.
type pupil struct{ guest }

func (p *pupil) Level() arena.Level { return arena.Level{} }

func (p *pupil) Sit(context.Context, uint64) (arena.Seat, error) {
	p.seats++
	return p, nil
}

// An opponent that adapts keeps its seat, which knows its level.
func TestAdaptingOpponentsStay(t *testing.T) {
	s := serverOf(t, Config{})
	p := &pupil{}
	st := s.against(t, p, "99/99", setUp)
	st = s.move(t, s.turn(t, st), "reply", nil)
	s.move(t, st, "resign", nil)
	mustBe(t, "the seats after a resignation", p.seats, 1)
}

// An opponent has no seat, and so no search tree, once the game is over or was left. Both games can go on.
func TestOpponentsLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(t, Config{})
		p := &guest{}
		st := s.against(t, p, "99/99", setUp)
		next := func() {
			t.Helper()
			st = s.move(t, s.turn(t, st), "reply", nil)
			mustBe(t, "the seats in a game", p.seats, 1)
		}
		next()
		s.move(t, st, "resign", nil)
		mustBe(t, "the seats after a resignation", p.seats, 0)
		st = s.move(t, st, "undo", nil)
		next()
		time.Sleep(unattended - time.Second)
		taken, err := s.open.get(t.Context(), "game")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(unattended)
		mustBe(t, "the seats in a game that a request has", p.seats, 1)
		taken.leave()
		synctest.Wait()
		mustBe(t, "the seats in a game that was left", p.seats, 0)
		next()
	})
}
