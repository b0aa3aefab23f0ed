package game

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Gold plays without its camel and without the rabbit on h2.
const handicapGame = "1g Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Ed2 Cf2 Hg2\n" +
	"1s ra8 rb8 rc8 dd8 de8 rf8 rg8 rh8 ra7 hb7 cc7 ed7 me7 cf7 hg7 rh7\n" +
	"2g Ed2n Ed3n\n2s ed7s\n"

func TestHandicap(t *testing.T) {
	m, err := ParseHandicapList(handicapGame)
	if err != nil {
		t.Fatal(err)
	}
	if n := bits.OnesCount64(m.Missing); n != 2 || m.Game.TurnLabel() != "3g" || m.Game.Board().Pieces(Gold, Camel) != 0 {
		t.Errorf("%d squares are empty, and the game is at %s with the board\n%v", n, m.Game.TurnLabel(), m.Game.Board())
	}
	if n := bits.OnesCount64(m.Game.Board().Occupied()); n != 30 {
		t.Errorf("%d pieces are on the board", n)
	}
	if text := FormatHandicapList(m.Actions, m.Missing); text != handicapGame {
		t.Errorf("written as\n%s", text)
	}
	if _, err := ParseMoveList(handicapGame); err == nil {
		t.Error("a list without a handicap may leave out pieces")
	}
	back, err := ParseHandicapList(handicapGame + "3g takeback\n2s takeback\n2g takeback\n1s takeback\n1s " + strings.Fields(handicapGame)[0])
	if err == nil {
		t.Errorf("a damaged setup is read as %v", back.Actions)
	}
	for _, wrong := range []string{"1g Ra1 Ra1", "1g Ra9", "1g ra1", "1g Ed2n", "1g Ea1 Eb1", "1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1"} {
		if _, err := ParseHandicapList(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	const officers = "Ca1 Cb1 Dc1 Dd1 He1 Hf1 Mg1 Eh1"
	if _, missing, err := ParseHandicapSetup(New(), officers); err != nil || missing != 0xff00 {
		t.Errorf("without its rabbits a setup leaves %#x empty, %v", missing, err)
	}
	if _, _, err := ParseHandicapSetup(New(), strings.TrimSuffix(officers, " Eh1")); err == nil {
		t.Error("a setup without nine pieces is taken")
	}
	whole := strings.Replace(handicapGame, "Ed2 ", "Ed2 Me2 ", 1)
	whole = strings.Replace(whole, "Hg2\n", "Hg2 Rh2\n", 1)
	if m, err := ParseHandicapList(whole); err != nil || m.Missing != 0 || FormatMoveList(m.Actions) != whole {
		t.Errorf("a game without a handicap: %v", err)
	}
	handicapped, _, _ := strings.Cut(handicapGame, "\n")
	if m, err := ParseHandicapList(handicapped + "\n1s takeback\n" + whole); err != nil || m.Missing != 0 || FormatMoveList(m.Actions) != whole {
		t.Errorf("a setup with a handicap that was taken back leaves %#x, %v", m.Missing, err)
	}
	// The missing cat does not defend the trap.
	captured := strings.Replace(whole, "Cf2 ", "", 1)
	captured = captured[:strings.Index(captured, "2g ")] + "2g Hg2n Hg3w Hf3x\n"
	if m, err := ParseHandicapList(captured); err != nil || FormatHandicapList(m.Actions, m.Missing) != captured {
		t.Errorf("a capture where a piece is missing, %v, is written as\n%s", err, FormatHandicapList(m.Actions, m.Missing))
	}
}

func FuzzParseHandicapList(f *testing.F) {
	f.Add(handicapGame)
	f.Add("1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1\n1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8\n2g Ra1n\n2s takeback\n1s takeback")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseHandicapList(text)
		if err != nil || m.Game.InSetup() {
			return
		}
		again, err := ParseHandicapList(FormatHandicapList(m.Actions, m.Missing))
		if err != nil || again.Game.Hash() != m.Game.Hash() || again.Missing != m.Missing {
			t.Errorf("%q is read back as %v, %v", text, again, err)
		}
	})
}

// A game that continues with a handicap is the one that Handicapped returns, and can be taken back.
func TestPlayHandicap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, missing := New(), rapid.Uint64().Draw(t, "missing")
		whole, before := New(), g.Mark()
		for i := range Placements {
			if i == Placements/2 {
				before = g.Mark()
			}
			a := rapid.SampledFrom(g.Legal(nil)).Draw(t, "placement")
			g.PlayHandicap(a, missing)
			whole.Play(a)
		}
		want := Handicapped(whole, missing)
		if g.Hash() != want.Hash() || *g.Board() != *want.Board() || g.Result() != want.Result() || !slices.Equal(g.Legal(nil), want.Legal(nil)) {
			t.Fatalf("%#x: the game is\n%v, want\n%v", missing, g.Board(), want.Board())
		}
		if g.Turns() != 0 || g.Board().Occupied() != whole.Board().Occupied()&^missing {
			t.Fatalf("%#x: after %d turns the board is\n%v", missing, g.Turns(), g.Board())
		}
		for range 20 {
			legal := g.Legal(nil)
			if len(legal) == 0 {
				break
			}
			a := rapid.SampledFrom(legal).Draw(t, "step")
			g.PlayHandicap(a, missing)
			want.Play(a)
		}
		if g.Hash() != want.Hash() || g.Turns() != want.Turns() || g.Repetitions() != want.Repetitions() {
			t.Fatalf("%#x: the games differ after turn %d", missing, g.Turns())
		}
		if g.Restore(before); !g.InSetup() || g.Side() != Silver || g.Board().Occupied() != 0xFFFF {
			t.Fatal("the setup is not brought back")
		}
	})
}
