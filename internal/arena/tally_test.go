package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"warren/game"
)

func TestAdjudicatedGamesAreCountedApart(t *testing.T) {
	tally, games := play(t, Config{Rules: Rules{Seed: 1, TurnLimit: 40}, Games: 40}, Random{}, &Rollouts{Visits: 2})
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
	tally := Tally{Wins: 7, Losses: 4, GoldWins: 5, GoldLosses: 1, Turns: 300, AdjudicatedWins: 3, AdjudicatedLosses: 2, Forfeits: 1, Pairs: [3]int{1, 2, 2}}
	want := Tally{Wins: 4, Losses: 7, GoldWins: 3, GoldLosses: 2, Turns: 300, AdjudicatedWins: 2, AdjudicatedLosses: 3, Forfeits: 1}
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
		{Player: "a", Opponent: "b", Tally: Tally{Wins: 6, Losses: 4}},
		{Player: "b", Opponent: "c", Tally: Tally{Wins: 7, Losses: 3}},
	}, "c")
	if err != nil {
		t.Fatal(err)
	}
	parts, err := Rate([]Pairing{
		{Player: "a", Opponent: "b", Tally: Tally{Wins: 5}},
		{Player: "c", Opponent: "b", Tally: Tally{Wins: 3, Losses: 7}},
		{Player: "b", Opponent: "a", Tally: Tally{Wins: 4, Losses: 1}},
	}, "c")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range whole.Players {
		q := parts.Players[i]
		if diff := p.Elo - q.Elo; p.Name != q.Name || diff > 1e-6 || diff < -1e-6 || p.Games != q.Games || p.Wins != q.Wins {
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
