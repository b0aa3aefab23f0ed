package game

import (
	"strings"
	"testing"
)

// The fuzz targets check that every parser returns a value or an error of one line
// and never panics, and that a parsed value can be written and parsed again.

func oneLine(t *testing.T, err error) {
	if strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 300 {
		t.Errorf("not one clear line: %q", err)
	}
}

func FuzzParsePosition(f *testing.F) {
	f.Add("g [rrrrrrrrhdcemcdh                                HDCMECDHRRRRRRRR]")
	f.Add("s [" + strings.Repeat(".", 63) + "R]")
	f.Add("g[     rr   c  cdh     D                            C  C         R]")
	f.Fuzz(func(t *testing.T, text string) {
		b, side, err := ParsePosition(text)
		if err != nil {
			oneLine(t, err)
			return
		}
		if again, _, err := ParsePosition(FormatPosition(&b, side)); again != b || err != nil {
			t.Errorf("%q: read again as %v, %v", text, again, err)
		}
		// Every accepted position must be playable.
		g := FromBoard(b, side)
		for _, a := range g.Legal(nil) {
			mark := g.Mark()
			g.Play(a)
			if !g.Result().Over() && len(g.Legal(nil)) == 0 {
				t.Errorf("%q: no legal action after %d", text, a)
			}
			g.Restore(mark)
		}
	})
}

func FuzzParseTurn(f *testing.F) {
	f.Add("g [rrrrrrrrhdcemcdh                                HDCMECDHRRRRRRRR]", "Eb2n Eb3n Eb4nn")
	f.Add("g ["+strings.Repeat(".", 40)+"r......R.r.......H............]", "rb3e rc3x Hb2n")
	f.Add("", goldSetup)
	f.Fuzz(func(t *testing.T, position, text string) {
		g := New()
		if b, side, err := ParsePosition(position); err == nil {
			g = FromBoard(b, side)
		}
		before := g.position
		actions, err := ParseTurn(g, text)
		if g.position != before {
			t.Fatalf("%q changed the game", text)
		}
		if err != nil {
			oneLine(t, err)
			return
		}
		written := FormatTurn(g, actions)
		again, err := ParseTurn(g, written)
		if err != nil || FormatTurn(g, again) != written {
			t.Errorf("%q is written as %q, which is refused: %v", text, written, err)
		}
	})
}

func FuzzParseMoveList(f *testing.F) {
	f.Add(game + "2w Ed2n\n2b takeback\n2w Ed2nn\n2b resigns\n")
	f.Add(strings.ReplaceAll(game, "\n", `\n`) + `2g Ed2n\n2s`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMoveList(text)
		if err != nil {
			oneLine(t, err)
		}
		written := FormatMoveList(m.Actions)
		again, err := ParseMoveList(written)
		if err != nil || again.Game.Hash() != m.Game.Hash() {
			t.Errorf("%q is written as %q, which is another game: %v", text, written, err)
		}
	})
}

func FuzzReadGames(f *testing.F) {
	f.Add("id\tresult\ttermination\tmovelist\r\n7\tb\tg\t1g Ra1\r\n8\td\tg\t\r\n")
	f.Add("\ufeffGold: alice\n" + game + "Result: 1-0\n" + game)
	f.Fuzz(func(t *testing.T, text string) {
		line := 0
		for g, err := range ReadGames(strings.NewReader(text)) {
			if err != nil {
				oneLine(t, err)
				continue
			}
			if g.Line <= line || g.Line > 1+strings.Count(text, "\n") {
				t.Errorf("%q: a game on line %d after one on line %d", text, g.Line, line)
			}
			line = g.Line
			if _, err := ParseMoveList(g.MoveList); err != nil {
				oneLine(t, err)
			}
		}
	})
}
