package play

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/puzzle"
)

// solving lets a script solve the first puzzles of each kind, and returns what was said.
func solving(t *testing.T, ids []string, script func(p []*puzzle.Puzzle) string) string {
	t.Helper()
	file, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var chosen []*puzzle.Puzzle
	for _, id := range ids {
		i := slices.IndexFunc(file.Puzzles, func(p puzzle.Puzzle) bool { return p.ID == id })
		chosen = append(chosen, &file.Puzzles[i])
	}
	var out strings.Builder
	e := &exercise{in: readLines(strings.NewReader(script(chosen))), out: &out, file: file, puzzles: chosen}
	if err := e.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func written(p *puzzle.Puzzle, turn []game.Action) string { return game.FormatTurn(p.Game(), turn) }

func TestPuzzlesAsTheyAreSolved(t *testing.T) {
	said := solving(t, []string{"goal-001", "defence-001", "trap-001"}, func(p []*puzzle.Puzzle) string {
		right := slices.IndexFunc(p[2].Choices(), func(turn []game.Action) bool { return slices.Equal(turn, p[2].Answer) })
		return written(p[0], p[0].Answer) + "\n" + written(p[1], p[1].Answer) + " end\n" + fmt.Sprintln(right+1)
	})
	expect(t, said, "3 puzzles", "goal-001, ", "Score a goal this turn.", "Right.\n", "defence-001", "Right. That is 2 in a row.",
		"trap-001", "  3  ", "Right. That is 3 in a row.", "You solved 3 of 3 at the first try, and at most 3 in a row.")
}

func TestPuzzlesWithHelp(t *testing.T) {
	said := solving(t, []string{"goal-001", "trap-002", "defence-002", "goal-003", "goal-004"}, func(p []*puzzle.Puzzle) string {
		first := written(p[0], p[0].Answer[:1])
		wrong := slices.IndexFunc(p[1].Choices(), func(turn []game.Action) bool { return !slices.Equal(turn, p[1].Answer) })
		return strings.Join([]string{
			"step " + first, "undo", "undo", "gaol", "hint 3", "hint", "hint", "moves", "rules", "help",
			written(p[0], p[0].Answer), // after hints
			"9", fmt.Sprint(wrong + 1), written(p[1], p[1].Answer),
			"answer", "skip",
			"step " + written(p[4], p[4].Answer[:1]), game.FormatTurn(puzzle.End(p[4].Game(), p[4].Answer[:1]), p[4].Answer[1:]),
		}, "\n")
	})
	expect(t, said, "there is no step to take back", `"gaol" is neither a word nor a step`, `"3": nothing comes after hint`,
		"moves first.", "It begins with", "Aim: bring one", "skip, next", "Right.\n",
		`the turns are 1 to`, "Not so.", "wins by", "Right.\n", "The answer is", "goal-003", "goal-004", "Right.\n",
		"You solved 1 of 5 at the first try, and at most 1 in a row.")
}

// A wrong answer ends the row, even if the next is right.
func TestPuzzlesInARow(t *testing.T) {
	said := solving(t, []string{"goal-001", "trap-002", "goal-003", "goal-004"}, func(p []*puzzle.Puzzle) string {
		return strings.Join([]string{
			written(p[0], p[0].Answer), written(p[1], p[1].Losing[0]), written(p[1], p[1].Answer), written(p[2], p[2].Answer), written(p[3], p[3].Answer),
		}, "\n")
	})
	expect(t, said, "Right.\n", "Not so.", "Right.\n", "Right.\n", "Right. That is 2 in a row.", "You solved 3 of 4 at the first try, and at most 2 in a row.")
}

func TestPuzzlesThatThereAreNot(t *testing.T) {
	file, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, difficulty, want string }{
		{"gaol", "", "--kind: there is no kind"}, {"", "heavy", "must be one of easy, medium, hard"},
	} {
		if _, err := exercises(file, c.kind, c.difficulty, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	chosen, err := exercises(file, "trap", "easy", 1)
	if err != nil || len(chosen) == 0 {
		t.Fatal(len(chosen), err)
	}
	for _, p := range chosen {
		if p.Kind != puzzle.Trap || file.Difficulty(p) != "easy" {
			t.Errorf("%s is among the easy traps", p.ID)
		}
	}
	if again, _ := exercises(file, "trap", "easy", 2); slices.Equal(again, chosen) {
		t.Error("two seeds have the same order")
	}
	untried := &puzzle.File{Puzzles: file.Puzzles}
	if all, err := exercises(untried, "", "easy", 1); err != nil || len(all) != len(file.Puzzles) {
		t.Errorf("%d of %d puzzles that nobody has tried, %v", len(all), len(file.Puzzles), err)
	}
}
