package arena

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/internal/eval"
)

func TestLevelsAreOrdered(t *testing.T) {
	levels := Levels()
	for i, l := range levels {
		if got, err := ParseLevel(strconv.Itoa(i + 1)); err != nil || got != l || l.Number != i+1 || l.Title == "" {
			t.Errorf("level %d is %+v, %v", i+1, got, err)
		}
		s := l.Over(SearchSettings{Threads: 3, Search: DefaultSearch().Search})
		if s.Visits != l.Visits || s.Time != l.Time || s.Tactics != l.Tactics || s.Threads != 3 || s.Search != DefaultSearch().Search {
			t.Errorf("%+v searches with %+v", l, s)
		}
		if l.Temperature > 0 && (s.Temperature != l.Temperature || s.TemperatureTurns < 1000) || l.Temperature == 0 && (s.Temperature != 1 || s.TemperatureTurns != 0) {
			t.Errorf("%+v draws with %+v", l, s)
		}
		if i == 0 {
			continue
		}
		before := levels[i-1]
		if l.Time < before.Time || l.Visits < before.Visits || l.Temperature > before.Temperature || before.Tactics && !l.Tactics ||
			l.Time == before.Time && l.Visits == before.Visits && l.Temperature == before.Temperature {
			t.Errorf("%+v is not stronger than %+v", l, before)
		}
	}
}

func TestLevelThatIsNone(t *testing.T) {
	for text, want := range map[string]string{
		"":     `there is no level "": the levels are 1 to 12, and adapt`,
		"0":    `there is no level "0"`,
		"13":   `there is no level "13"`,
		"1\n2": `there is no level "1\n2"`,
	} {
		if _, err := ParseLevel(text); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line with %s", text, err, want)
		}
	}
}

// A player's level is a name for settings: it leaves no trace in what identifies the
// player, and settings that are given count more.
func TestLevelOfPlayer(t *testing.T) {
	n := names()
	player := func(name string) (*Entrant, SearchSettings) {
		t.Helper()
		e, err := n.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		return e, e.Player.(*Searcher).SearchSettings
	}
	e, s := player("net:x.safetensors,level=5")
	if s != Levels()[4].Over(n.Search) || !strings.HasSuffix(e.Name(), ",level=5") {
		t.Errorf("%s searches with %+v", e.Name(), s)
	}
	if same, _ := player("net:x.safetensors,tactics=true,temperature=0.8,visits=1,temperature_turns=10000"); same.Identity != e.Identity {
		t.Errorf("%s is another player than %s", same.Identity, e.Identity)
	}
	if _, s = player("net:x.safetensors,temperature=0.3,level=12,time=0s,visits=9"); s.Visits != 9 || s.Time != 0 || s.Temperature != 0.3 || !s.Tactics {
		t.Errorf("with settings given it searches with %+v", s)
	}
	for _, name := range []string{"net:x.safetensors,level=13", "net:x.safetensors,level=-1", "net:x.safetensors,level=best"} {
		if _, err := n.Parse(name); err == nil || !strings.Contains(err.Error(), "level: ") || !strings.Contains(err.Error(), "1 to 12") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No level misses a goal that it can reach this turn, even if its network prefers
// another step.
func TestLevelsReachTheGoal(t *testing.T) {
	board, side, err := game.ParsePosition("g [e                r                     R            E      D    ]")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Levels() {
		l.Time = min(l.Time, time.Millisecond)
		seat, err := (&Searcher{SearchSettings: l.Over(DefaultSearch()), Backend: eval.Uniform{}}).Sit(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		after := game.FromBoard(board, side)
		for after.Side() == side && !after.Result().Over() {
			a, err := seat.Act(t.Context(), after)
			if err != nil {
				t.Fatal(err)
			}
			after.Play(a)
		}
		if reached := after.Result().Over() && after.Result().Winner == side; !reached {
			t.Errorf("level %d misses the goal", l.Number)
		}
	}
}

// docs/reference/levels.md lists the levels as they are.
func TestLevelsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/levels.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Levels() {
		visits, tested := strconv.Itoa(l.Visits), " "
		if l.Time > 0 {
			visits = "by time"
		}
		if l.Tactics {
			tested = " yes "
		}
		if row := fmt.Sprintf("| %d | %s | %s | %g |%s|\n", l.Number, l.Title, visits, l.Temperature, tested); !strings.Contains(string(page), row) {
			t.Errorf("the page lacks %s", row)
		}
	}
}
