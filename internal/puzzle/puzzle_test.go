package puzzle_test

import (
	"bytes"
	"flag"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/puzzle"
)

var all = flag.Bool("all", false, "verify all puzzles, which takes long")

func shipped(t testing.TB) *puzzle.File {
	t.Helper()
	f, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The answers are right and complete, as another search finds them.
func TestVerified(t *testing.T) {
	f := shipped(t)
	for i := range f.Puzzles {
		if p := &f.Puzzles[i]; *all || strings.HasSuffix(p.ID, "-017") {
			t.Run(p.ID, func(t *testing.T) {
				t.Parallel()
				if err := new(brute).verify(p); err != nil {
					t.Errorf("%v in %s: %v", p.Kind, game.FormatPosition(&p.Board, p.Side), err)
				}
			})
		}
	}
}

// The second search notices answers that are wrong, and positions with several right ones.
func TestVerifierNotices(t *testing.T) {
	f := shipped(t)
	for k := range puzzle.Kind(puzzle.NumKinds) {
		p := f.Puzzles[slices.IndexFunc(f.Puzzles, func(p puzzle.Puzzle) bool { return p.Kind == k })]
		wrong := p
		for after, turn := range ends(p.Game()) {
			if !after.Result().Over() && !p.Right(turn) {
				wrong.Answer = slices.Clone(turn)
				break
			}
		}
		if new(brute).verify(&wrong) == nil {
			t.Errorf("%s: another answer is accepted", p.ID)
		}
		if k == puzzle.Trap {
			wrong.Answer, wrong.Losing = p.Answer, append(slices.Clone(p.Losing), p.Answer)
			if new(brute).verify(&wrong) == nil {
				t.Errorf("%s: a losing turn that does not lose is accepted", p.ID)
			}
		}
	}
	// With steps to spare there are several ways to end the turn.
	several := puzzle.Puzzle{Kind: puzzle.Goal, Side: game.Gold, Answer: []game.Action{game.StepAction(48, game.North), game.Pass}}
	several.Board.Put(48, game.Gold, game.Rabbit)
	several.Board.Put(0, game.Gold, game.Rabbit)
	several.Board.Put(63, game.Silver, game.Elephant)
	several.Board.Put(62, game.Silver, game.Rabbit)
	if err := new(brute).verify(&several); err == nil || !strings.Contains(err.Error(), "is an answer: true") {
		t.Errorf("a second answer is not noticed: %v", err)
	}
}

// The file has what the documents say of it.
func TestShipped(t *testing.T) {
	f := shipped(t)
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		t.Fatal(err)
	}
	if text.Len() > 100_000 {
		t.Errorf("the file has %d bytes", text.Len())
	}
	var counts [puzzle.NumKinds]int
	levels := map[string]int{}
	for i := range f.Puzzles {
		p := &f.Puzzles[i]
		counts[p.Kind]++
		levels[f.Difficulty(p)]++
		if !p.Right(p.Answer) {
			t.Errorf("%s: its answer is called wrong", p.ID)
		}
		for _, turn := range p.Losing {
			if p.Right(turn) || p.Refutation(turn) == nil {
				t.Errorf("%s: a losing turn is called right, or has no refutation", p.ID)
			}
		}
	}
	if slices.Min(counts[:]) < 60 || len(f.Puzzles) < 600 {
		t.Errorf("%v puzzles of each kind", counts)
	}
	if f.Trials == 0 || levels["easy"] < 50 || levels["medium"] < 50 || levels["hard"] < 50 {
		t.Errorf("after %d trials: %v", f.Trials, levels)
	}
}

// Another order of the steps is the same answer.
func TestOrderDoesNotMatter(t *testing.T) {
	f := shipped(t)
	seen := 0
	for i := range f.Puzzles {
		p := &f.Puzzles[i]
		end := *puzzle.End(p.Game(), p.Answer).Board()
		for first := range p.Answer {
			turn := slices.Clone(p.Answer)
			turn[0], turn[first] = turn[first], turn[0]
			if after := replay(p.Game(), turn); first > 0 && after != nil && *after.Board() == end {
				if seen++; !p.Right(turn) {
					t.Errorf("%s: %s is called wrong", p.ID, game.FormatTurn(p.Game(), turn))
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d answers have another order", seen)
	}
}

const head = "id\tkind\tposition\tanswer\tlosing\tsource\tfailures/3\n"

func TestReadRefuses(t *testing.T) {
	f := shipped(t)
	f.Trials, f.Puzzles = 3, f.Puzzles[:1]
	f.Puzzles[0].Failures = 3
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		t.Fatal(err)
	}
	line := strings.TrimPrefix(text.String(), head)
	for _, c := range []struct{ text, want string }{
		{"", "no puzzles"},
		{head, "no puzzles"},
		{"x\n", "line 1: the columns"},
		{head + "x\n", "line 2: it has 1 columns"},
		{head + line + line, "line 3: the id goal-001 stands twice"},
		{head + strings.Replace(line, "\tgoal\t", "\tgaol\t", 1), `no kind of puzzle "gaol": the kinds are goal, forced, defence, capture, trap, gain`},
		{head + strings.Replace(line, "[", "[x", 1), "the position"},
		{head + strings.Replace(line, "\t3\n", "\t4\n", 1), `"4" failures of 3`},
		{head + strings.Replace(line, "\tgoal\t", "\ttrap\t", 1), "losing turns"},
		{head + strings.Replace(line, "]\t", "]\tEa1n ", 1), "line 2: the answer"},
	} {
		if _, err := puzzle.Read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80q: %v, want %q", c.text, err, c.want)
		}
	}
}

// Whatever the bytes, they are refused, or are puzzles that are written and read again.
func FuzzRead(f *testing.F) {
	s := shipped(f)
	for k := range puzzle.Kind(puzzle.NumKinds) {
		i := slices.IndexFunc(s.Puzzles, func(p puzzle.Puzzle) bool { return p.Kind == k })
		var text bytes.Buffer
		if err := (&puzzle.File{Trials: s.Trials, Puzzles: s.Puzzles[i : i+2]}).Write(&text); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := puzzle.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		if err := read.Write(&once); err != nil {
			t.Fatal(err)
		}
		again, err := puzzle.Read(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("%q is written as %q, which is not read: %v", text, once.String(), err)
		}
		if err := again.Write(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Fatalf("%q is written as %q, and then as %q", text, once.String(), twice.String())
		}
	})
}
