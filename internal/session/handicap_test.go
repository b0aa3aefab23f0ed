package session

import (
	"context"
	"errors"
	"math/bits"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/arena"
)

func TestHandicap(t *testing.T) {
	handicap := Handicap{game.Silver: {game.Camel, game.Rabbit, game.Rabbit}}
	s := New(Config{Opponent: arena.Greedy{}, Side: game.Gold, Seed: 1, Handicap: handicap})
	defer s.Close()
	if err := s.PlayTurn(goldSetup); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reply(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	pieces := func(s *Session) (gold, silver int) {
		return bits.OnesCount64(s.Game().Board().Color(game.Gold)), bits.OnesCount64(s.Game().Board().Color(game.Silver))
	}
	if gold, silver := pieces(s); gold != 16 || silver != 13 || s.Game().Board().Pieces(game.Silver, game.Camel) != 0 {
		t.Fatalf("gold has %d pieces, silver %d", gold, silver)
	}
	if err := s.PlayTurn("Ee2n Ee3n"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reply(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	text := s.MoveList()
	if n := len(strings.Fields(strings.Split(text, "\n")[1])); n != 14 {
		t.Errorf("silver's setup is written with %d words:\n%s", n, text)
	}

	again := New(Config{Opponent: arena.Greedy{}, Side: game.Gold, Seed: 1})
	defer again.Close()
	if err := again.Resume(text); err != nil || again.MoveList() != text || again.Game().Hash() != s.Game().Hash() {
		t.Errorf("the saved game is read as %v\n%s", err, again.MoveList())
	}
	p := &stub{}
	told := New(Config{Opponent: p, Side: game.Gold})
	defer told.Close()
	if err := errors.Join(told.Resume(text), told.Sit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if n := bits.OnesCount64(p.last.Board().Color(game.Silver)); n != 13 {
		t.Errorf("an opponent who sits down later is told of a game in which silver has %d pieces", n)
	}
	early := New(Config{Opponent: arena.Greedy{}, Side: game.Gold, Seed: 1, Handicap: handicap})
	defer early.Close()
	setup, _, _ := strings.Cut(text, "\n")
	if err := early.Resume(setup); err != nil {
		t.Fatal(err)
	}
	if _, err := early.Reply(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if gold, silver := pieces(early); gold != 16 || silver != 13 {
		t.Errorf("continued after a setup, gold has %d pieces, silver %d", gold, silver)
	}
	for _, s := range []*Session{s, again} {
		for range 2 { // the turn, and the setup
			if err := s.Undo(); err != nil {
				t.Fatal(err)
			}
		}
		if gold, silver := pieces(s); gold != 0 || silver != 0 {
			t.Errorf("before the setups gold has %d pieces, silver %d", gold, silver)
		}
		if err := s.PlayTurn(goldSetup); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reply(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if gold, silver := pieces(s); gold != 16 || silver != 13 {
			t.Errorf("the second time gold has %d pieces, silver %d", gold, silver)
		}
	}
}

// A saved game says where the missing pieces would stand, which the handicap would choose otherwise.
func TestHandicapAfterTakingBack(t *testing.T) {
	s := New(Config{Opponent: &stub{}, Side: game.Gold})
	defer s.Close()
	setups := "1g " + strings.TrimSuffix(goldSetup, " Rh2") + "\n1s ra8 rb8 rc8 dd8 de8 rf8 rg8 rh8 ra7 hb7 cc7 md7 ee7 cf7 hg7 rh7\n"
	if err := s.Resume(setups + "2g Ee2n\n"); err != nil {
		t.Fatal(err)
	}
	if err := s.Undo(); err != nil {
		t.Fatal(err)
	}
	if s.MoveList() != setups || s.Game().Board().Pieces(game.Gold, game.Rabbit)>>15&1 != 0 {
		t.Errorf("the turn taken back, the game is\n%s%v", s.MoveList(), s.Game().Board())
	}
	// Another setup has a horse where the rabbit was missing.
	if err := s.Undo(); err != nil {
		t.Fatal(err)
	}
	if err := s.PlayTurn(strings.Replace(goldSetup, "Hg2 Rh2", "Rg2 Hh2", 1)); err != nil {
		t.Fatal(err)
	}
	reply(t, s)
	b := s.Game().Board()
	if rabbits, horses := bits.OnesCount64(b.Pieces(game.Gold, game.Rabbit)), bits.OnesCount64(b.Pieces(game.Gold, game.Horse)); rabbits != 7 || horses != 2 {
		t.Errorf("after another setup gold has %d rabbits and %d horses, want 7 and 2", rabbits, horses)
	}
}

// A setup that is loaded has the handicap of the session, not that of the game before it.
func TestHandicapOfTheGameBefore(t *testing.T) {
	s := New(Config{Opponent: &stub{}, Side: game.Gold})
	defer s.Close()
	silver := strings.NewReplacer("1", "8", "2", "7").Replace(strings.ToLower(goldSetup))
	for _, moves := range []string{"1g " + strings.TrimSuffix(goldSetup, " Rh2") + "\n1s " + silver + "\n", "1g " + goldSetup + "\n"} {
		if err := s.Resume(moves); err != nil {
			t.Fatal(err)
		}
	}
	reply(t, s)
	if n := bits.OnesCount64(s.Game().Board().Color(game.Gold)); n != 16 {
		t.Errorf("gold has %d pieces", n)
	}
}

func TestLoseOnTime(t *testing.T) {
	s := New(Config{Opponent: arena.Greedy{}, Side: game.Gold, Seed: 1})
	defer s.Close()
	if err := s.LoseOnTime(); err != nil {
		t.Fatal(err)
	}
	if r := s.Result(); r.Reason != game.Time || r.Winner != game.Silver {
		t.Errorf("the result is %v", r)
	}
	if err := s.LoseOnTime(); err == nil {
		t.Error("a game that is over is lost again")
	}
	if err := s.Undo(); err != nil || s.Result().Over() {
		t.Errorf("taken back, the game is %v, %v", s.Result(), err)
	}
}
