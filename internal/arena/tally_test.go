package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"warren/game"
)

func TestAdjudicatedGamesAreCountedApart(t *testing.T) {
	tally, games := play(t, Rules{Seed: 1, TurnLimit: 40}, 40, Random{}, &Rollouts{Visits: 2})
	won, lost := 0, 0
	for _, g := range games {
		switch {
		case g.Result.Reason == game.TurnLimit && g.Won():
			won++
		case g.Result.Reason == game.TurnLimit:
			lost++
		}
	}
	if won == 0 || lost == 0 || won+lost == 40 || tally.AdjudicatedWins != won || tally.AdjudicatedLosses != lost {
		t.Errorf("%d and %d adjudicated, tallied %+v", won, lost, tally)
	}
	again := Tally{Wins: 3, Losses: 1, Turns: 80, AdjudicatedWins: 1, AdjudicatedLosses: 1}
	if text := again.String(); !strings.HasSuffix(text, "; 2 of the games by adjudication, 1 of them won") {
		t.Error(text)
	}
	again.AdjudicatedWins, again.AdjudicatedLosses = 0, 0
	if text := again.String(); strings.Contains(text, "adjudication") {
		t.Error(text)
	}
}

// The games are told by colour.
func TestTallyByColour(t *testing.T) {
	if text := (Tally{Wins: 49950, Losses: 50050}).String(); !strings.Contains(text, "+0 Elo (") {
		t.Errorf("%q, of players that are almost as strong as each other", text)
	}
	text := Tally{Wins: 7, Losses: 3, GoldWins: 5, GoldLosses: 1}.String()
	for _, want := range []string{"as Gold 5 of 6", "as Silver 2 of 4"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}

// Two players that draw nothing but one of 72 pairs of setups have no more than 144 games. The others are counted as
// copies, in a match, in a tournament that continues from its log, and in what they say.
func TestCopiesAreCounted(t *testing.T) {
	a, b := AlphaBeta{Depth: 1, HashMB: 1}, AlphaBeta{Depth: 2, HashMB: 1}
	r := Rules{Seed: 3, TurnLimit: 2}
	tally, games := play(t, r, 400, a, b)
	distinct := map[string]bool{}
	for _, g := range games {
		distinct[game.FormatMoveList(g.Actions)] = true
	}
	if tally.Repeats < 400-2*72 || tally.Repeats != 400-len(distinct) {
		t.Errorf("of 400 games %d are copies, and %d are not", tally.Repeats, len(distinct))
	}
	if text, want := tally.String(), fmt.Sprintf("; copies of other games, which tell nothing new: %d", tally.Repeats); !strings.HasSuffix(text, want) {
		t.Errorf("%q does not say %q", text, want)
	}
	dir, c, players := t.TempDir(), TournamentConfig{Rules: r, Games: 400, Workers: 2}, []*Entrant{{Player: a, Identity: "a"}, {Player: b, Identity: "b"}}
	hold(t, dir, c, players, 250)
	s := hold(t, dir, c, players, -1)
	if got := s.Between(b.Name(), a.Name()); got.Games() != 400 || got.Repeats != tally.Repeats {
		t.Errorf("in a tournament that is interrupted %d of %d games are copies, in a match %d of 400", got.Repeats, got.Games(), tally.Repeats)
	}
	var table bytes.Buffer
	want := fmt.Sprintf("\nCopies of other games between the same players, which tell nothing new, but make the intervals narrower: %d of 400.\n", tally.Repeats)
	if err := s.WriteTable(&table); err != nil || !strings.Contains(table.String(), want) {
		t.Errorf("%v: the table does not say %q:\n%s", err, want, table.String())
	}
	// Forfeits that leave no moves are as many games.
	table.Reset()
	s = hold(t, "", rules(8), field(0, 0), -1)
	if err := s.WriteTable(&table); err != nil || s.Between("p0", "p1").Repeats != 0 || strings.Contains(table.String(), "Copies") {
		t.Errorf("%v: of forfeited games:\n%s", err, table.String())
	}
	if err := (&Tally{Wins: 2, Repeats: 3}).Validate(); err == nil {
		t.Error("2 games have 3 copies")
	}
}

// No bound of an interval is outside of 0 to 1, where rounding would lead to.
func TestIntervalIsOfChances(t *testing.T) {
	for _, tally := range []Tally{{Losses: 14}, {Wins: 20}, {Wins: 100}, {Wins: 400}} {
		low, high := tally.Interval()
		if low < 0 || high > 1 {
			t.Errorf("of %d games %d won: %g to %g", tally.Games(), tally.Wins, low, high)
		}
	}
}

// The second player won what the first lost, and had Silver where the first had Gold.
func TestReversed(t *testing.T) {
	tally := Tally{Wins: 7, Losses: 4, GoldWins: 5, GoldLosses: 1, Turns: 300, AdjudicatedWins: 3, AdjudicatedLosses: 2, Forfeits: 1, Repeats: 2}
	want := Tally{Wins: 4, Losses: 7, GoldWins: 3, GoldLosses: 2, Turns: 300, AdjudicatedWins: 2, AdjudicatedLosses: 3, Forfeits: 1, Repeats: 2}
	if got := tally.reversed(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestStandingsSayWhatWasAdjudicated(t *testing.T) {
	s := hold(t, "", rules(4), field(1, 1, 0.2), -1)
	won, all := 0, 0
	for _, p := range s.Players {
		won += p.AdjudicatedWins
		all += p.Adjudicated
	}
	if all == 0 || all != 2*won {
		t.Errorf("%d adjudicated games were won of %d of all players", won, all)
	}
	var table, text bytes.Buffer
	if err := errors.Join(s.WriteTable(&table), json.NewEncoder(&text).Encode(s)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"adjudicated", "Adjudicated games:"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, table.String())
		}
	}
	for _, want := range []string{`"score":{"wins"`, `"adjudicated_wins"`, `"adjudicated":`} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the JSON has no %s:\n%s", want, text.String())
		}
	}
}

// Reasons are written by their names. The list of earlier versions is read too.
func TestReasonsHaveNames(t *testing.T) {
	want := Reasons{game.Goal: 2, game.TurnLimit: 7}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `{"goal":2,"turn limit":7}` {
		t.Errorf("%s, %v", text, err)
	}
	for _, written := range []string{string(text), `[0,2,0,0,0,7,0,0]`} {
		got := Reasons{game.Elimination: 5}
		if err := json.Unmarshal([]byte(written), &got); err != nil || got != want {
			t.Errorf("%s is read as %v, %v", written, got, err)
		}
	}
	var r Reasons
	for _, bad := range []string{`{"boredom":1}`, `"goal"`} {
		if err := json.Unmarshal([]byte(bad), &r); err == nil {
			t.Errorf("%s is read as %v", bad, r)
		}
	}
}

// Rate adds up several pairings of the same players.
func TestRate(t *testing.T) {
	whole, err := Rate([]Pairing{
		{Player: "a", Opponent: "b", Tally: Tally{Wins: 6, Losses: 4, AdjudicatedWins: 3, AdjudicatedLosses: 1}},
		{Player: "b", Opponent: "c", Tally: Tally{Wins: 7, Losses: 3, AdjudicatedWins: 2}},
	}, "c")
	if err != nil {
		t.Fatal(err)
	}
	parts, err := Rate([]Pairing{
		{Player: "a", Opponent: "b", Tally: Tally{Wins: 5, AdjudicatedWins: 3}},
		{Player: "c", Opponent: "b", Tally: Tally{Wins: 3, Losses: 7, AdjudicatedLosses: 2}},
		{Player: "b", Opponent: "a", Tally: Tally{Wins: 4, Losses: 1, AdjudicatedWins: 1}},
	}, "c")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range whole.Players {
		q := parts.Players[i]
		if diff := p.Elo - q.Elo; p.Name != q.Name || diff > 1e-6 || diff < -1e-6 || p.Games != q.Games || p.Wins != q.Wins || p.AdjudicatedWins != q.AdjudicatedWins {
			t.Errorf("%+v, in parts %+v", p, q)
		}
	}
	if whole.Players[0].Name != "a" || whole.Player("c").Elo != 0 || whole.Player("d") != nil {
		t.Errorf("%+v", whole.Players)
	}
	if got := parts.Between("a", "b"); got.Wins != 6 || got.Losses != 4 {
		t.Errorf("a against b: %+v", got)
	}
}
