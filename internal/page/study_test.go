package page

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/session"
	"warren/mcts"
)

// actionsOf returns the actions of a move list.
func actionsOf(t testing.TB, moves string) []game.Action {
	t.Helper()
	list, err := game.ParseMoveList(moves)
	if err != nil {
		t.Fatal(err)
	}
	return list.Actions
}

// endgame has a gold elephant on a5 that can push a silver camel.
const endgame = "g [........r.......m.......E...........................R..........e]"

// A variation is tried out from any position: of a game, within a turn and within a push, and from
// a position without a game.
func TestTryOut(t *testing.T) {
	s := serverOf(t, Config{})
	begin := actionsOf(t, "1g "+goldSetup+"\n1s "+silverSetup)
	e2 := game.Action(square(t, "e2"))
	var p position
	if code := s.ask(t, "POST", "/api/position", map[string]any{"actions": append(slices.Clone(begin), e2)}, &p); code != http.StatusOK {
		t.Fatalf("a step of a game: %d", code)
	}
	if p.Label != "2g" || p.Left != 3 || p.ToMove != "gold" || !slices.Contains(p.Legal, game.Pass) || p.Pushed != -1 || len(p.Slides) == 0 {
		t.Errorf("after Ee2n: %+v", p)
	}
	p = position{}
	push := 64 + int(square(t, "a6")) // the elephant on a5 pushes the camel to b6
	if code := s.ask(t, "POST", "/api/position", map[string]any{"position": endgame, "actions": []int{push}}, &p); code != http.StatusOK {
		t.Fatalf("a push from a position: %d", code)
	}
	if p.Left != 3 || p.Pushed != int(square(t, "a6")) || !slices.Equal(p.Legal, []game.Action{game.Action(square(t, "a5"))}) {
		t.Errorf("within a push: %+v", p)
	}
	p = position{}
	if code := s.ask(t, "POST", "/api/position", map[string]any{"position": strings.Replace(endgame, "........r", "R.......r", 1)}, &p); code != http.StatusOK || p.Winner != "gold" || len(p.Legal) > 0 {
		t.Errorf("a rabbit at its goal: %d, %+v", code, p)
	}
	for want, body := range map[string]map[string]any{
		"step 1 of the game":         {"position": endgame, "actions": []int{0}},
		"not a position in Arimaa's": {"position": "g [E]"},
		"no square 64":               {"missing": []int{64}},
		"longer than any game":       {"actions": make([]int, maxActions+1)},
	} {
		for _, path := range []string{"/api/position", "/api/why", "/api/analyse"} {
			if code, text := s.problemOf(t, "POST", path, body); code != http.StatusBadRequest || !strings.Contains(text, want) {
				t.Errorf("%s: got %d %s, want %s", path, code, text, want)
			}
		}
	}
	var answer struct{ Text string }
	s.ask(t, "POST", "/api/why", map[string]any{"position": endgame, "from": square(t, "e2"), "to": square(t, "e1")}, &answer)
	if !strings.Contains(answer.Text, "Rabbits") {
		t.Errorf("a rabbit back: %q", answer.Text)
	}
}

// A game, a part of a turn and a position are opened again from what the page shares.
func TestShared(t *testing.T) {
	s := serverOf(t, Config{})
	moves := "1g " + goldSetup + "\n1s " + silverSetup + "\n2g Ee2n Ee3n\n"
	actions := actionsOf(t, moves)
	var f replayed
	if code := s.ask(t, "POST", "/api/analyse", map[string]any{"actions": append(slices.Clone(actions), 0)}, &f); code != http.StatusBadRequest {
		t.Errorf("an illegal step: %d", code)
	}
	actions = append(actions, 128+game.Action(square(t, "a7"))) // in an open turn
	if code := s.ask(t, "POST", "/api/analyse", map[string]any{"actions": actions}, &f); code != http.StatusOK || len(f.Frames) != len(actions) || f.Position != "" {
		t.Fatalf("%d, %d frames", code, len(f.Frames))
	}
	mustBe(t, "the moves of a game within a turn", strings.TrimSpace(f.Moves), strings.TrimSpace(moves))
	var p replayed
	if code := s.ask(t, "POST", "/api/analyse", map[string]string{"moves": " " + endgame + "\n"}, &p); code != http.StatusOK || len(p.Frames) != 0 || p.Final != endgame[3:67] || p.FinalLabel != "2g" || p.Title != "A position" {
		t.Fatalf("a pasted position: %d, %+v", code, p)
	}
	var again replayed
	push := []int{64 + int(square(t, "a6")), int(square(t, "a5"))}
	if code := s.ask(t, "POST", "/api/analyse", map[string]any{"position": p.Position, "actions": push}, &again); code != http.StatusOK || again.Position != p.Position || len(again.Frames) != 2 || again.Moves != "" {
		t.Errorf("steps from a position: %d, %+v", code, again)
	}
	if code, text := s.problemOf(t, "POST", "/api/analyse", map[string]string{"moves": "x [" + strings.Repeat(" ", 64) + "]"}); code != http.StatusBadRequest || !strings.Contains(text, "side to move") {
		t.Errorf("a wrong position: %d %s", code, text)
	}
}

// What a search expects begins with the turn that it plays, and can be stepped through.
func TestSearchedLine(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	var a advice
	if code := s.ask(t, "POST", "/api/search", map[string]any{"position": endgame, "network": "0/1", "visits": 60}, &a); code != http.StatusOK {
		t.Fatal(code)
	}
	if len(a.Frames) <= len(a.Turn) || len(a.Frames) > maxLine || a.Frames[0].Board != endgame[3:67] || !strings.HasPrefix(a.Line, "2g "+a.Text) {
		t.Fatalf("the turn is %v, the line %q of %d steps", a.Turn, a.Line, len(a.Frames))
	}
	g := game.FromBoard(mustParse(t, endgame), game.Gold)
	for i, f := range a.Frames {
		if f.Board != g.Board().String() || i < len(a.Turn) && f.Action != a.Turn[i] {
			t.Fatalf("frame %d is %+v", i, f)
		}
		g.Play(f.Action)
	}
	mustBe(t, "the board at the end of the line", a.Final, g.Board().String())
	goal := strings.Replace(endgame, "........r", "R.......r", 1)
	for visits, want := range map[int]string{0: "from 1 to 5000", maxVisits + 1: "from 1 to 5000", 1: "over"} {
		if code, text := s.problemOf(t, "POST", "/api/search", map[string]any{"position": goal, "network": "0/1", "visits": visits}); code != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%d visits: %d %s", visits, code, text)
		}
	}
}

// The shares of a search are of all its steps, though only the first are sent.
func TestTotalOfSearch(t *testing.T) {
	g := game.FromBoard(mustParse(t, endgame), game.Gold)
	found := &session.Advice{}
	for range topPriors + 3 {
		found.Steps = append(found.Steps, mcts.ActionStats{Action: g.Legal(nil)[0], Visits: 5})
	}
	a := adviceOf(found, g, false)
	mustBe(t, "the steps that are sent", len(a.Steps), topPriors)
	mustBe(t, "the visits of all steps", a.Total, 5*(topPriors+3))

	found.Steps = found.Steps[:3]
	found.Steps[2].Proof = mcts.Lost
	a = adviceOf(found, g, false)
	mustBe(t, "the visits of the steps that do not lose", a.Total, 10)
	mustBe(t, "the visits of the step that loses", a.Steps[2].Visits, 0)
	found.Steps[0].Proof, found.Steps[1].Proof = mcts.Lost, mcts.Lost
	mustBe(t, "the visits where all lose", adviceOf(found, g, false).Total, 15)
}

func mustParse(t testing.TB, position string) game.Board {
	t.Helper()
	b, _, err := game.ParsePosition(position)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The opponent of a game continues at another level, and one without a network has none.
func TestLevelOfGame(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	moves := "1g " + goldSetup + "\n1s " + silverSetup
	st := s.begin(t, map[string]string{"player": "0/1", "level": "1", "side": "silver", "moves": moves})
	mustBe(t, "the level", st.Level, "1")
	st = s.move(t, st, "level", map[string]string{"level": "4"})
	mustBe(t, "the level", st.Level, "4")
	if st = s.move(t, st, "reply", nil); st.Label != "2s" {
		t.Errorf("at another level the game stands at %s", st.Label)
	}
	for level, want := range map[string]string{"13": "1 to 12", "": "no level"} {
		if code, text := s.problemOf(t, "POST", "/api/play/"+st.ID+"/level", map[string]string{"level": level}); code != http.StatusNotFound || !strings.Contains(text, want) {
			t.Errorf("level %q: %d %s", level, code, text)
		}
	}
	st = s.begin(t, map[string]string{"player": "random", "side": "silver", "moves": moves})
	if code, text := s.problemOf(t, "POST", "/api/play/"+st.ID+"/level", map[string]string{"level": "4"}); code != http.StatusConflict || !strings.Contains(text, "no levels") {
		t.Errorf("a level of random: %d %s", code, text)
	}
}

// The page counts captured pieces from those that the sides play with.
func TestPieces(t *testing.T) {
	s := serverOf(t, Config{})
	var st state
	s.ask(t, "POST", "/api/play", map[string]any{"player": "random", "side": "gold", "handicap": map[string]string{"silver": "mrr"}}, &st)
	mustBe(t, "the pieces", st.Pieces, "RRRRRRRRCCDDHHMErrrrrrccddhhe")
}

func TestSettingsOfRun(t *testing.T) {
	dir := fixture(t)
	s := serverOf(t, Config{Runs: []string{dir}})
	file := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(file, []byte("seed: 7 # a comment\nlearner:\n  batch: 64\n  rate: {peak: 1e-3}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var list []setting
	s.ask(t, "GET", "/api/runs/0/settings", nil, &list)
	mustBe(t, "the settings", list, "[{seed 7} {learner.batch 64} {learner.rate.peak 1e-3}]")
	if err := os.WriteFile(file, []byte("a: ["), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, text := s.problemOf(t, "GET", "/api/runs/0/settings", nil); code != http.StatusInternalServerError || !strings.Contains(text, "settings of fixture") {
		t.Errorf("a damaged file: %d %s", code, text)
	}
}

// The page is small: everything that a browser loads stays under 600 kB.
func TestPageIsSmall(t *testing.T) {
	var size int64
	err := fs.WalkDir(files, "assets", func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		size += info.Size()
		return err
	})
	if err != nil || size < 100_000 || size > 600_000 {
		t.Errorf("the page has %d bytes, %v", size, err)
	}
}

// A level that adapts has a name, and says at which level it played last.
func TestAdaptingLevel(t *testing.T) {
	s := serverOf(t, Config{Runs: []string{fixture(t)}})
	st := s.begin(t, map[string]string{"player": "0/1", "level": "adapt", "side": "silver", "moves": "1g " + goldSetup + "\n1s " + silverSetup})
	mustBe(t, "the opponent", st.Opponent+" "+st.Level, "fixture, generation 1 adapt")
	if st = s.move(t, st, "reply", nil); st.Present < 1 || st.Present > 10 {
		t.Errorf("it has played at level %d", st.Present)
	}
}
