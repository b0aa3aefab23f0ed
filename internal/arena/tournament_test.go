package arena

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/internal/arena/rating"
)

// brittle plays at random, and forfeits some of its games at once.
type brittle struct {
	Random
	name  string
	skill float64 // share of the games that it does not forfeit
}

func (b brittle) Name() string { return b.name }
func (b brittle) Sit(ctx context.Context, seed uint64) (Seat, error) {
	s, err := b.Random.Sit(ctx, seed)
	if rand.New(rand.NewPCG(seed, 7)).Float64() > b.skill {
		return brittleSeat{}, nil
	}
	return s, err
}

type brittleSeat struct{}

func (brittleSeat) Act(context.Context, *game.Game) (game.Action, error) {
	return 0, &Forfeit{Cause: "broke"}
}

func field(skills ...float64) (all []*Entrant) {
	for i, s := range skills {
		name := fmt.Sprintf("p%d", i)
		all = append(all, &Entrant{Player: brittle{name: name, skill: s}, Identity: fmt.Sprint(name, s)})
	}
	return all
}

var frozen = time.Unix(0, 0)

func rules(games int) TournamentConfig {
	return TournamentConfig{Rules: Rules{Seed: 3, TurnLimit: 12}, Games: games, Workers: 2, Now: func() time.Time { return frozen }}
}

// hold plays a tournament until it is over or the given number of further games has
// finished; -1 sets no limit.
func hold(t *testing.T, dir string, c TournamentConfig, players []*Entrant, games int) *Standings {
	t.Helper()
	tournament, err := NewTournament(dir, c, players)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = tournament.Run(ctx, func(Progress) {
		if games--; games == 0 {
			cancel()
		}
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s, err := tournament.Standings()
	if err := errors.Join(err, tournament.Close()); err != nil {
		t.Fatal(err)
	}
	return s
}

// logged returns the logged games of a tournament by players and pair.
func logged(t *testing.T, dir string) map[string]string {
	t.Helper()
	games := map[string]string{}
	for r, err := range Games(dir) {
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(r.Gold, r.Silver, r.Pair)
		if games[key] != "" {
			t.Errorf("the game %s was played twice", key)
		}
		games[key] = fmt.Sprint(r.Winner, r.Reason, r.Forfeit, r.Moves)
	}
	return games
}

func TestScheduleIsBalanced(t *testing.T) {
	dir := t.TempDir()
	s := hold(t, dir, rules(4), field(0.9, 0.9, 0.9, 0.9), -1)
	if len(s.Pairings) != 6 {
		t.Fatalf("%d pairings of 4 players", len(s.Pairings))
	}
	for _, p := range s.Pairings {
		if p.Tally.Games() != 4 || p.Tally.GoldWins+p.Tally.GoldLosses != 2 {
			t.Errorf("%s against %s: %+v", p.Player, p.Opponent, p.Tally)
		}
	}
	if n := len(logged(t, dir)); n != 24 {
		t.Errorf("%d games are logged", n)
	}

	// When the tournament stops early, no pairing is more than a round ahead.
	c := rules(20)
	c.Workers = 1
	s = hold(t, "", c, field(0.9, 0.9, 0.9, 0.9), 30)
	for _, p := range s.Pairings {
		if n := p.Tally.Games(); n < 4 || n > 6 {
			t.Errorf("after 30 games of 6 pairings, %s against %s have %d", p.Player, p.Opponent, n)
		}
	}

	c = rules(2)
	c.Gauntlet = 1
	s = hold(t, "", c, field(0.9, 0.9, 0.9, 0.9), -1)
	for _, p := range s.Pairings {
		if p.Player != "p0" && p.Opponent != "p0" {
			t.Errorf("in p0's gauntlet %s plays %s", p.Player, p.Opponent)
		}
	}
	if len(s.Pairings) != 3 {
		t.Errorf("a gauntlet of %d pairings", len(s.Pairings))
	}
}

func TestInterruptedTournamentPlaysTheSameGames(t *testing.T) {
	players := field(0.9, 0.6, 0.3)
	for name, c := range map[string]TournamentConfig{
		"rounds":    rules(6),
		"intervals": {Rules: Rules{Seed: 3, TurnLimit: 12, Openings: RandomSetups{}}, Until: 150, Workers: 1, Now: func() time.Time { return frozen }},
	} {
		whole := t.TempDir()
		want := hold(t, whole, c, players, -1)
		broken := t.TempDir()
		rng := rand.New(rand.NewPCG(8, 8))
		var got *Standings
		for starts, before := 0, 0; ; starts++ {
			if starts > 300 {
				t.Fatal("the tournament does not get on")
			}
			// The players may be entered in another order.
			rng.Shuffle(len(players), func(i, j int) { players[i], players[j] = players[j], players[i] })
			got = hold(t, broken, c, players, 1+rng.IntN(9))
			now := len(logged(t, broken))
			if now == before {
				break
			}
			before = now
			// A crash can leave part of a line.
			f, err := os.OpenFile(filepath.Join(broken, GamesFile), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			f.WriteString(`{"game":{"gold":"p1","sil`)
			f.Close()
		}
		if name == "rounds" || len(logged(t, whole)) == len(logged(t, broken)) {
			if !maps.Equal(logged(t, whole), logged(t, broken)) {
				t.Errorf("%s: interrupted, other games were played", name)
			}
			for i, p := range want.Players {
				if q := got.Players[i]; p.Name != q.Name || p.Games != q.Games || p.Wins != q.Wins {
					t.Errorf("%s: %+v, interrupted %+v", name, p, q)
				}
			}
		} else {
			t.Errorf("%s: %d games, interrupted %d", name, len(logged(t, whole)), len(logged(t, broken)))
		}
		if name == "intervals" && (want.Widest > 150 || want.Widest < 50) {
			t.Errorf("ended at +-%.0f Elo, want 150", want.Widest)
		}
	}
}

// A tournament that was stopped after the first game of a pair plays the second.
func TestResumesWithinAPair(t *testing.T) {
	for _, before := range []int{1, 3} {
		dir, c := t.TempDir(), rules(4)
		c.Workers = 1
		hold(t, dir, c, field(0.9, 0.6), before)
		if n := len(logged(t, dir)); n != before {
			t.Fatalf("%d games before the stop, want %d", n, before)
		}
		if hold(t, dir, c, field(0.9, 0.6), -1); len(logged(t, dir)) != 4 {
			t.Errorf("stopped after %d games, %d of 4 were played", before, len(logged(t, dir)))
		}
	}
}

// What the games tell about the ratings counts wins and losses alike.
func TestResultsAreTheTallies(t *testing.T) {
	tournament, err := NewTournament("", rules(20), field(1, 0.5, 0.7))
	if err != nil {
		t.Fatal(err)
	}
	if err := tournament.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want := rating.NewResults(3)
	for _, d := range tournament.duels {
		if d.tally.Losses == 0 {
			t.Errorf("%d won every game against %d", d.a, d.b)
		}
		want.Add(d.a, d.b, float64(d.tally.Wins))
		want.Add(d.b, d.a, float64(d.tally.Losses))
	}
	if got := tournament.results(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// With Until, games are chosen by what they tell in a second: the other pairs play where one pair takes long.
func TestUntilGoesByTheSecond(t *testing.T) {
	var clock time.Duration // of the one worker
	c := TournamentConfig{Rules: Rules{Seed: 3, TurnLimit: 12}, Until: 60, Workers: 1}
	c.Now = func() time.Time { return frozen.Add(clock) }
	c.Play = func(ctx context.Context, f *Fixture) (*Played, error) {
		clock += time.Second
		if f.A.Name() == "p0" && f.B.Name() == "p1" {
			clock += 200 * time.Second
		}
		return f.Play(ctx)
	}
	s := hold(t, "", c, field(0.8, 0.8, 0.8), -1)
	slow := s.Between("p0", "p1")
	for _, player := range []string{"p0", "p1"} {
		if fast := s.Between(player, "p2"); 4*slow.Games() > fast.Games() {
			t.Errorf("%s and p2 have played %d games of a second, p0 and p1 %d of 201 seconds", player, fast.Games(), slow.Games())
		}
	}
}

// With Until and a number of games, no more games are planned than may be played.
func TestForecastKeepsToTheGames(t *testing.T) {
	c := rules(4)
	c.Until = 1 // out of reach
	tournament, err := NewTournament("", c, field(0.9, 0.6, 0.3))
	if err != nil {
		t.Fatal(err)
	}
	const all = 3 * 4
	played := 0
	err = tournament.Run(t.Context(), func(p Progress) {
		played = p.Games
		if p.Total > all || p.Games == 1 && p.Total != all || p.Left > time.Second { // a game costs a hundredth
			t.Errorf("after %d games: %+v", played, p)
		}
	})
	if err := errors.Join(err, tournament.Close()); err != nil {
		t.Fatal(err)
	}
	if played != all {
		t.Errorf("%d games were played, want %d", played, all)
	}
}

// A tournament of commit f288acf cannot go on, because its log describes players in another way. One
// short line says so.
func TestTournamentOfEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, GamesFile)
	log := `{"rules":{"seed":3,"turn_limit":12,"openings":"own"}}
{"player":{"name":"p0","identity":"net:22b9,visits=8,temperature=1,temperature-turns=4,search={Rule:puct CPUCTInit:0.25}"}}
`
	if err := os.WriteFile(path, []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := NewTournament(dir, rules(2), field(0.9, 0.5))
	want := "the tournament " + path + " is of an earlier version, which described the player p0 in a way that cannot be compared: "
	if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want one line that begins with %q", err, want)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != log {
		t.Errorf("the log has changed, %v:\n%s", err, after)
	}
}

func TestTournamentRefuses(t *testing.T) {
	dir := t.TempDir()
	hold(t, dir, rules(2), field(0.9, 0.5), -1)
	other := field(0.9, 0.5)
	other[1].Identity = "p1 of today"
	for want, make := range map[string]func() (TournamentConfig, []*Entrant){
		"the seed 3, and now it is 4": func() (TournamentConfig, []*Entrant) { c := rules(2); c.Seed++; return c, field(0.9, 0.5) },
		"the turn limit 12":           func() (TournamentConfig, []*Entrant) { c := rules(2); c.TurnLimit++; return c, field(0.9, 0.5) },
		"the openings own": func() (TournamentConfig, []*Entrant) {
			c := rules(2)
			c.Openings = RandomSetups{}
			return c, field(0.9, 0.5)
		},
		"and now it is p1 of today":   func() (TournamentConfig, []*Entrant) { return rules(2), other },
		`two players are called "p0"`: func() (TournamentConfig, []*Entrant) { return rules(2), append(field(0.9), field(0.5)...) },
		"has a control character": func() (TournamentConfig, []*Entrant) {
			return rules(2), append(field(0.9), &Entrant{Player: brittle{name: "a\tb"}})
		},
		"is not UTF-8": func() (TournamentConfig, []*Entrant) {
			return rules(2), append(field(0.9), &Entrant{Player: brittle{name: "a\xff"}})
		},
		"the engine none cannot be started": func() (TournamentConfig, []*Entrant) {
			p, err := parseExternal("./none")
			if err != nil {
				t.Fatal(err)
			}
			return rules(2), append(field(0.9), &Entrant{Player: p})
		},
		"two players or more":     func() (TournamentConfig, []*Entrant) { return rules(2), field(0.9) },
		"needs a number of games": func() (TournamentConfig, []*Entrant) { return rules(0), field(0.9, 0.5) },
		"a gauntlet of 2":         func() (TournamentConfig, []*Entrant) { c := rules(2); c.Gauntlet = 2; return c, field(0.9, 0.5) },
		`the anchor "p9" is none`: func() (TournamentConfig, []*Entrant) { c := rules(2); c.Anchor = "p9"; return c, field(0.9, 0.5) },
		"a sequential test is between two": func() (TournamentConfig, []*Entrant) {
			c := rules(2)
			c.Test = &rating.SPRT{}
			return c, field(0.9, 0.5, 0.1)
		},
	} {
		c, players := make()
		_, err := NewTournament(dir, c, players)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
		log := strings.Contains(want, "now it is") || strings.HasPrefix(want, "the turn limit") || strings.HasPrefix(want, "the openings")
		if errors.As(err, new(*LogError)) != log {
			t.Errorf("%v: whether it is the log's fault is said wrongly", err)
		}
	}
	open, err := NewTournament(dir, rules(2), field(0.9, 0.5, 0.4)) // a player may be added
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewTournament(dir, rules(2), field(0.9, 0.5)); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second process got %v", err)
	}
	open.Close()
	for content, want := range map[string]string{"hello\n": "line 1", "{}\n{}\n": "line 1: it has neither"} {
		bad := t.TempDir()
		if err := os.WriteFile(filepath.Join(bad, GamesFile), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := NewTournament(bad, rules(2), field(0.9, 0.5)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the log %q gave %v", content, err)
		}
	}
}

func TestArchiveAndTable(t *testing.T) {
	dir := t.TempDir()
	c := rules(6)
	c.TurnLimit = 80
	s := hold(t, dir, c, field(1, 1, 0.2), -1)
	var archive, table bytes.Buffer
	if err := errors.Join(WriteArchive(&archive, dir), s.WriteTable(&table)); err != nil {
		t.Fatal(err)
	}
	games, ended := 0, 0
	for recorded, err := range game.ReadGames(&archive) {
		if err != nil {
			t.Fatal(err)
		}
		games++
		m, err := game.ParseMoveList(recorded.MoveList)
		if err != nil {
			t.Errorf("game %s: %v", recorded.ID, err)
			continue
		}
		if m.Result.Over() {
			ended++
			if reason, ok := recorded.Reason(); !ok || m.Result != (game.Result{Winner: recorded.Winner, Reason: reason}) {
				t.Errorf("game %s is recorded as %v %s, and replayed %v", recorded.ID, recorded.Winner, recorded.Termination, m.Result)
			}
		}
	}
	if games != 18 || ended == 0 {
		t.Errorf("%d games in the archive, %d of them ended on the board", games, ended)
	}
	if last := s.Players[2]; last.Name != "p2" || last.Forfeits["p2 forfeits: broke"] == 0 || s.Players[0].Elo < last.Elo {
		t.Errorf("standings %+v", s.Players)
	}
	for _, want := range []string{"turns/game", "p2 forfeits: broke", "row against column", "is stronger"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, table.String())
		}
	}
}

func TestTableOfOneGame(t *testing.T) {
	s := Standings{Players: []Standing{{Name: "p", Games: 1, Forfeits: map[string]int{"p forfeits: broke": 1}}}}
	var table strings.Builder
	if err := s.WriteTable(&table); err != nil || !strings.Contains(table.String(), "\np forfeits: broke (1 of its 1 game)\n") {
		t.Errorf("%v\n%s", err, &table)
	}
}

// Superiority and the tables are of row against column.
func TestRowAgainstColumn(t *testing.T) {
	s := hold(t, "", rules(4), field(0, 1), -1) // p0 forfeits every game
	if s.Players[0].Name != "p1" || !(s.Superiority[0][1] > 0.8 && s.Superiority[1][0] < 0.2) {
		t.Errorf("the superiority of %s and %s is %v", s.Players[0].Name, s.Players[1].Name, s.Superiority)
	}
	var table strings.Builder
	if err := s.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(table.String()), " ")
	if !strings.Contains(text, " 1 p1 - 4/4 2 p0 0/4 - ") {
		t.Errorf("the games won are not those of row against column:\n%s", table.String())
	}
	var above, below float64
	_, likelihood, _ := strings.Cut(text, " in %: 1 2 ")
	if _, err := fmt.Sscanf(likelihood, "1 p1 - %f 2 p0 %f -", &above, &below); err != nil || above < 80 || below > 20 {
		t.Errorf("the likelihoods are not those of row against column, %v:\n%s", err, table.String())
	}
}

func TestTestEndsTheMatch(t *testing.T) {
	test := &rating.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}
	c := rules(1000)
	c.Test = test
	var first *TestRecord
	for workers := range 4 {
		c.Workers = workers + 1
		s := hold(t, "", c, field(0.9, 0.3), -1)
		if workers == 0 { // stops as soon as the test is decided
			first = s.Test
			if n := s.Players[0].Games; n > 200 || n != 2*(first.Pairs[0]+first.Pairs[1]+first.Pairs[2]) {
				t.Errorf("%d games, %v pairs", n, first.Pairs)
			}
		}
		if s.Test.Verdict != rating.AcceptElo1 || s.Test.Pairs != first.Pairs {
			t.Errorf("%d workers: %+v; with one %+v", workers+1, s.Test, first)
		}
	}
	// The test is about the first entrant, in whatever order the names sort.
	for _, want := range []rating.Decision{rating.AcceptElo0, rating.AcceptElo1} {
		players := field(0.3, 0.9)
		if want == rating.AcceptElo1 {
			slices.Reverse(players)
		}
		if s := hold(t, t.TempDir(), c, players, -1); s.Test == nil || s.Test.Verdict != want {
			t.Errorf("%s against %s: %+v, want %v", players[0].Name(), players[1].Name(), s.Test, want)
		}
	}
}

func TestOpenings(t *testing.T) {
	setups := RandomSetups{}
	a, b := setups.Opening(0, 1), setups.Opening(1, 1)
	if slices.Equal(a, b) || !slices.Equal(a, setups.Opening(0, 1)) {
		t.Error("random setups do not go by pair and seed")
	}
	_, games := play(t, Rules{Seed: 1, TurnLimit: 10, Openings: setups}, 4, Random{}, quitter{&quitterGame{}})
	if !slices.Equal(games[0].Actions[:32], setups.Opening(0, 1)) || !slices.Equal(games[1].Actions[:32], games[0].Actions[:32]) || slices.Equal(games[2].Actions[:32], a) {
		t.Error("pairs do not begin with their openings")
	}

	_, recorded := play(t, Rules{Seed: 5, TurnLimit: 30}, 2, Random{}, Random{})
	text := game.FormatMoveList(recorded[0].Actions) + game.FormatMoveList(recorded[1].Actions[:32])
	path := filepath.Join(t.TempDir(), "games.txt")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for turns, lines := range []int{2, 1, 1} {
		book, err := ReadBook(path, turns)
		if err != nil {
			t.Fatal(err)
		}
		g := game.New()
		for _, a := range book.Opening(0, 0) {
			g.Play(a)
		}
		if len(book.lines) != lines || g.Turns() != turns || g.InSetup() || g.StepsLeft() != 4 {
			t.Errorf("%d turns: %d lines, the first of %d turns", turns, len(book.lines), g.Turns())
		}
	}
	if _, err := ReadBook(path, 500); err == nil || !strings.Contains(err.Error(), "no game that continues") {
		t.Errorf("500 turns gave %v", err)
	}
}

// Games that cannot be read are left out of a book and counted; the others make the
// same book as without them.
func TestBookLeavesOutBadGames(t *testing.T) {
	_, recorded := play(t, Rules{Seed: 5, TurnLimit: 30}, 2, Random{}, Random{})
	dir := t.TempDir()
	book := func(text string) (*Book, error) {
		path := filepath.Join(dir, "games")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return ReadBook(path, 1)
	}
	list := game.FormatMoveList(recorded[0].Actions)
	want, err := book(list)
	if n, why := want.LeftOut(); err != nil || n != 0 || why != nil {
		t.Fatalf("%d left out, %v, %v", n, why, err)
	}
	row := strings.ReplaceAll(strings.TrimSpace(list), "\n", `\n`)
	for name, file := range map[string]struct {
		text, why string
		leftOut   int
	}{
		"tags and a mark": {"\ufeffGold: alice\r\n" + list + "Result: 1-0\n", "", 0},
		"an illegal turn": {list + "1g Ra8\n", `: turn 1g: "Ra8"`, 1},
		"a handicap":      {"1g Ra1 Ee2\n" + list, "line 1: turn 1g", 1},
		"an archive":      {"id\tresult\ttermination\tmovelist\r\n1\td\tg\t" + row + "\r\n2\tu\tg\t\r\n3\tw\tg\t" + row + "\r\n4\tw\ti\t1g Ra9\r\n", `line 2: the result "d"`, 3},
	} {
		b, err := book(file.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n, why := b.LeftOut()
		if n != file.leftOut || (why == nil) != (n == 0) || n > 0 && !strings.Contains(why.Error(), file.why) || b.Name() != want.Name() {
			t.Errorf("%s: %s, %d left out: %v; want %s, %d, %s", name, b.Name(), n, why, want.Name(), file.leftOut, file.why)
		}
	}
	if _, err := book("1g Ra1 Ee2\n"); err == nil || !strings.Contains(err.Error(), "1 cannot be read, the first: line 1: turn 1g") {
		t.Errorf("a book of nothing gave %v", err)
	}
}

// Every pairing may have its own number of games, whichever way round it is asked for.
func TestGamesOfPairings(t *testing.T) {
	players := field(0.5, 0.6, 0.7)
	name := func(i int) string { return players[i].Name() }
	want := map[[2]string]int{{name(0), name(1)}: 6, {name(0), name(2)}: 2, {name(1), name(2)}: 0}
	c := rules(4)
	c.Between = func(a, b string) int { return max(want[[2]string{a, b}], want[[2]string{b, a}]) }
	s := hold(t, t.TempDir(), c, players, -1)
	for pair, games := range want {
		if tally := s.Between(pair[0], pair[1]); tally.Games() != games {
			t.Errorf("%s and %s played %d games, want %d", pair[0], pair[1], tally.Games(), games)
		}
	}
}
