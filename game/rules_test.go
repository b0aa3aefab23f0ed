package game

import (
	"strings"
	"testing"
)

// rows reads a board drawn as eight ranks, from 8 down to 1, with '.' for an empty
// square. Ranks missing at the end are empty.
func rows(t testing.TB, ranks string) Board {
	t.Helper()
	text := strings.Join(strings.Fields(ranks), "")
	b, err := ParseBoard(text + strings.Repeat(".", max(0, 64-len(text))))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	// The far ranks hold a rabbit of each side, so that no side is eliminated.
	far8 = "r......."
	far1 = ".......R"
	none = "........ "
)

// Silver's rabbits step south.
func TestSilverRabbits(t *testing.T) {
	g := FromBoard(rows(t, none+none+none+"...r.... "+none+none+none+far1), Silver)
	if _, err := ParseTurn(g, "rd5n"); err == nil || !strings.Contains(err.Error(), "do not step backward") {
		t.Errorf("a step north: %v", err)
	}
	if _, err := ParseTurn(g, "rd5s"); err != nil {
		t.Errorf("a step south: %v", err)
	}
}

// TestTurns plays one turn per test. The turn must either fail with an error that
// contains refused, or lead to the board after.
func TestTurns(t *testing.T) {
	tests := []struct {
		name, before, turn string
		refused, after     string
	}{
		{"a piece next to a stronger enemy is frozen",
			far8 + none + none + "...e....  ...C.... " + none + none + far1, "Cd4s", "cat on d4 is frozen", ""},
		{"a friend beside it unfreezes it",
			far8 + none + none + "...e....  ..RC.... " + none + none + far1, "Cd4s", "",
			far8 + none + none + "...e....  ..R..... " + "...C.... " + none + far1},
		{"a friend that comes unfreezes it within the turn",
			far8 + none + none + "...e....  .R.C.... " + none + none + far1, "Rb4e Cd4s", "",
			far8 + none + none + "...e....  ..R..... " + "...C.... " + none + far1},
		{"a frozen piece still freezes",
			far8 + none + "...H.... ...d.... ...C.... " + none + none + far1, "Cd4s", "frozen", ""},
		{"an equal piece does not freeze",
			far8 + none + none + "...c....  ...C.... " + none + none + far1, "Cd4s", "",
			far8 + none + none + "...c....  ........ " + "...C.... " + none + far1},
		{"a frozen piece cannot push",
			far8 + none + none + "...e....  ...Dc... " + none + none + far1, "ce4e Dd4e", "can push or pull", ""},
		{"a frozen piece can be pushed",
			far8 + none + none + "...Hc... ...E.... " + none + none + far1, "ce5e Hd5e", "",
			far8 + none + none + "....Hc.. ...E.... " + none + none + far1},

		{"push", far8 + none + none + "...d.... ...E.... " + none + none + far1, "dd5n Ed4n", "",
			far8 + none + "...d.... ...E.... " + none + none + none + far1},
		{"any stronger piece may finish a push",
			far8 + none + none + "..Hd.... ...E.... " + none + none + far1, "dd5e Hc5e", "",
			far8 + none + none + "...Hd... ...E.... " + none + none + far1},
		{"a piece that is not stronger cannot finish a push",
			far8 + none + none + "..Dd.... ...E.... " + none + none + far1, "dd5e Dc5e", "push is unfinished: a piece stronger than the pushed dog must step to d5", ""},
		{"a frozen piece cannot finish a push",
			far8 + none + none + ".mHd.... ...E.... " + none + none + far1, "dd5e Hc5e", "horse on c5 is frozen", ""},
		{"an unfinished push must be finished at once",
			far8 + none + none + "...d.... ...E.... " + none + none + far1, "dd5n Rh1n", "push is unfinished", ""},
		{"a turn cannot end with an unfinished push",
			far8 + none + none + "...d.... ...E.... " + none + none + far1, "dd5n", "ends with an unfinished push", ""},
		{"no push begins on the last step",
			far8 + none + none + "...d.... ...E.... " + none + none + far1, "Rh1n Rh2n Rh3n dd5n", "a push cannot begin with the last step", ""},
		{"an equal piece cannot push",
			far8 + none + none + "...d.... ...D.... " + none + none + far1, "dd5n Dd4n", "can push or pull", ""},
		{"one push follows another",
			far8 + none + none + "...d.... ...E.... " + none + none + far1, "dd5n Ed4n dd6n Ed5n", "",
			far8 + "...d.... ...E.... " + none + none + none + none + far1},
		{"a push into a trap captures before it is finished",
			far8 + none + none + none + none + ".r...... .H...... " + far1, "rb3e rc3x Hb2n", "",
			far8 + none + none + none + none + ".H...... " + none + far1},
		{"a pusher may be captured by finishing its push",
			far8 + none + none + none + none + ".Er..... ..c..... " + far1, "rc3n Eb3e Ec3x", "",
			far8 + none + none + none + "..r..... ........ ..c..... " + far1},

		{"pull", far8 + none + none + "...d.... ...E.... " + none + none + far1, "Ed4s dd5s", "",
			far8 + none + none + none + "...d.... ...E.... " + none + far1},
		{"an equal piece cannot pull",
			far8 + none + none + "...d.... ...D.... " + none + none + far1, "Dd4s dd5s", "can push or pull", ""},
		{"a pull may be the last step",
			far8 + none + none + "...d.... ...E.... " + none + none + far1, "Rh1n Rh2n Ed4s dd5s", "",
			far8 + none + none + none + "...d.... ...E...R " + none + none},
		{"a pull must follow at once",
			far8 + none + none + "...d.... ...E.... " + none + none + far1, "Ed4s Rh1n dd5s", "can push or pull", ""},
		{"a pull may be finished although the puller was captured",
			far8 + none + none + none + none + "rD...... " + none + far1, "Db3e Dc3x ra3e", "",
			far8 + none + none + none + none + ".r...... " + none + far1},
		{"a pull may be finished although the puller is now frozen",
			far8 + none + none + "...c.... ...D.... ....h... " + none + far1, "Dd4s cd5s", "",
			far8 + none + none + none + "...c.... ...Dh... " + none + far1},
		{"a rabbit is pulled backward",
			none + none + none + "....E... ....r... " + none + none + far1, "Ee5n re4n", "",
			none + none + "....E... ....r... " + none + none + none + far1},
		{"the step that finishes a push begins no pull",
			far8 + none + none + "...d.... ..cE.... " + none + none + far1, "dd5n Ed4n cc4e", "can push or pull", ""},

		{"a step that can be read as a pull begins no push",
			far8 + none + none + "..Hd.... ...E.... " + none + none + far1, "Ed4s dd5s", "",
			far8 + none + none + "..H..... ...d.... ...E.... " + none + far1},
		{"a step that cannot be read as a pull begins a push",
			far8 + none + none + "..Hd.... ..RC.... " + none + none + far1, "Cd4s dd5s", "unfinished push", ""},
		{"a push after a step may be finished by another piece",
			far8 + none + none + "..Hd.... ..RC.... " + none + none + far1, "Cd4s dd5s Hc5e", "",
			far8 + none + none + "...H.... ..Rd.... ...C.... " + none + far1},

		{"gold rabbits do not step south",
			far8 + none + none + none + "...R.... " + none + none + none, "Rd4s", "do not step backward", ""},
		{"rabbits step sideways",
			far8 + none + none + none + "...R.... " + none + none + none, "Rd4ww", "",
			far8 + none + none + none + ".R...... " + none + none + none},
		{"pieces do not step onto others",
			far8 + none + none + none + "...RR... " + none + none + none, "Rd4e", "e4 is occupied", ""},
		{"an equal piece is not pushed by a step onto it",
			far8 + none + none + "...d.... ...D.... " + none + none + far1, "Dd4n", "the dog cannot push the dog there, which is not weaker", ""},
		{"a weaker piece is pushed by its own step first",
			far8 + none + none + "...d.... ...H.... " + none + none + far1, "Hd4n", "a push begins with the step of the dog there", ""},
		{"a step onto a weaker piece is no push on the last step",
			far8 + none + none + "...d.... " + none + "...H.... " + none + far1, "Rh1n Rh2n Hd3n Hd4n", "a push cannot begin with the last step", ""},
		{"pieces do not leave the board",
			far8 + none + none + none + none + none + none + far1, "Rh1e", "leaves the board", ""},

		{"a piece that leaves its friend on a trap loses it",
			far8 + none + none + none + none + "..CD.... " + none + far1, "Dd3n Cc3x", "",
			far8 + none + none + none + "...D.... " + none + none + far1},
		{"a piece on a trap beside a friend is safe",
			far8 + none + none + none + none + ".C.D.... ..R..... " + far1, "Dd3w Cb3w", "",
			far8 + none + none + none + none + "C.D..... ..R..... " + far1},
		{"a piece may step into its own capture",
			far8 + none + none + none + none + ".E...... " + none + far1, "Eb3e Ec3x", "",
			far8 + none + none + none + none + none + none + far1},
		{"a capture must be written",
			far8 + none + none + none + none + ".E...... " + none + far1, "Eb3e", "add Ec3x", ""},
		{"a capture must be written before the next step",
			far8 + none + none + none + none + ".E...... " + none + far1, "Eb3e Rh1n Ec3x", "write Ec3x first", ""},
		{"a capture that does not happen is refused",
			far8 + none + none + none + none + ".E...... " + none + far1, "Eb3n Eb4x", "does not capture this piece", ""},

		{"a turn must change the board",
			far8 + none + none + none + "...E.... " + none + none + far1, "Ed4ns", "leaves the board as it was", ""},
		{"the last of four steps that change nothing is illegal",
			far8 + none + none + none + "...E.... " + none + none + far1, "Ed4nnss", "only restore the board", ""},
		{"two steps that change nothing may be followed by others",
			far8 + none + none + none + "...E.... " + none + none + far1, "Ed4nsw", "",
			far8 + none + none + none + "..E..... " + none + none + far1},
		{"two pieces of a kind that exchange squares change nothing",
			far8 + none + none + none + none + none + "...CC... " + far1, "Cd2n Ce2w Cd3e Ce3s", `"Ce3s": after it the turn could only restore`, ""},
		{"a pull on the last step must not only restore the board",
			far8 + none + none + "...d.... ...E.... " + none + none + far1, "dd5n Ed4n Ed5s dd6s", `"dd6s": after it the turn could only restore`, ""},
		{"a push begun on the third step must not only restore the board",
			far8 + none + none + "...d.... ...E.... " + none + none + far1, "Ed4s dd5s dd4n Ed3n", `"dd4n": after it the turn could only restore`, ""},
		{"a push begun on the third step may be finished by another piece",
			far8 + none + none + "...d.... ..HE.... " + none + none + far1, "Ed4s dd5s dd4n Hc4e", "",
			far8 + none + none + "...d.... ...H.... ...E.... " + none + far1},
		{"a turn has at most four steps",
			far8 + none + none + none + "...E.... " + none + none + far1, "Ed4nnes Rh1n", "four steps are used up", ""},
		{"the named piece must be on the square",
			far8 + none + none + none + "...E.... " + none + none + far1, "Md4n", "the piece on d4 is gold's elephant", ""},
		{"an empty square has nothing to move",
			far8 + none + none + none + "...E.... " + none + none + far1, "Md5n", "d5 is empty", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := FromBoard(rows(t, test.before), Gold)
			actions, err := ParseTurn(g, test.turn)
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) {
					t.Fatalf("%s: error %v, want one with %q", test.turn, err, test.refused)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", test.turn, err)
			}
			for _, a := range actions {
				g.Play(a)
			}
			if want := rows(t, test.after); *g.Board() != want {
				t.Fatalf("%s leads to\n%swant\n%s", test.turn, FormatDiagram(g.Board(), g.TurnLabel()), FormatDiagram(&want, g.TurnLabel()))
			}
			if g.Side() != Silver {
				t.Errorf("%s: it is still %v's turn", test.turn, g.Side())
			}
		})
	}
}
