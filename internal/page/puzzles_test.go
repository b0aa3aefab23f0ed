package page

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/puzzle"
)

// The page gets puzzles without their answers, and learns whether a turn is right.
func TestPuzzles(t *testing.T) {
	s := serverOf(t, Config{})
	file, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var listed struct{ Puzzles []task }
	if code := s.ask(t, "GET", "/api/puzzles", nil, &listed); code != http.StatusOK || len(listed.Puzzles) != len(file.Puzzles) {
		t.Fatalf("the list: %d, %d puzzles", code, len(listed.Puzzles))
	}
	for i := range file.Puzzles {
		p := &file.Puzzles[i]
		if !strings.HasSuffix(p.ID, "-001") {
			continue
		}
		got := listed.Puzzles[i]
		if got.ID != p.ID || got.Kind != p.Kind.String() || got.Position != game.FormatPosition(&p.Board, p.Side) || len(got.Choices) != len(p.Choices()) {
			t.Errorf("%s is listed as %+v", p.ID, got)
		}
		var answer choice
		if code := s.ask(t, "POST", "/api/puzzles/"+p.ID, map[string]any{}, &answer); code != http.StatusOK || !slices.Equal(answer.Actions, p.Answer) {
			t.Errorf("%s: %d, the answer is %+v", p.ID, code, answer)
		}
		var judged struct {
			Right bool
			Reply *choice
		}
		if code := s.ask(t, "POST", "/api/puzzles/"+p.ID, map[string]any{"actions": answer.Actions}, &judged); code != http.StatusOK || !judged.Right || judged.Reply != nil {
			t.Errorf("%s: %d, the right turn is judged %+v", p.ID, code, judged)
		}
		for _, turn := range p.Losing {
			if code := s.ask(t, "POST", "/api/puzzles/"+p.ID, map[string]any{"actions": turn}, &judged); code != http.StatusOK || judged.Right || judged.Reply == nil {
				t.Errorf("%s: %d, a losing turn is judged %+v", p.ID, code, judged)
			}
		}
		for _, turn := range p.Losing { // and the opponent's first step
			longer := slices.Concat(turn, puzzle.End(p.Game(), turn).Legal(nil)[:1])
			if _, body := s.problemOf(t, "POST", "/api/puzzles/"+p.ID, map[string]any{"actions": longer}); !strings.Contains(body, "one whole turn") {
				t.Errorf("%s with a step after the turn: %s", p.ID, body)
			}
		}
		for want, actions := range map[string][]game.Action{"one whole turn": answer.Actions[:1], "not legal": {999}} {
			if _, body := s.problemOf(t, "POST", "/api/puzzles/"+p.ID, map[string]any{"actions": actions}); !strings.Contains(body, want) {
				t.Errorf("%s with %v: %s, want %q", p.ID, actions, body, want)
			}
		}
	}
	if code := s.ask(t, "POST", "/api/puzzles/none", map[string]any{}, nil); code != http.StatusNotFound {
		t.Errorf("no puzzle: %d", code)
	}
}
