package session

import (
	"strings"
	"testing"

	"warren/internal/arena"
)

func TestLevelsAreOrdered(t *testing.T) {
	levels := Levels()
	for i, l := range levels {
		got, err := LevelOf(l.ID)
		if err != nil || got != l {
			t.Errorf("%s is %+v, %v", l.ID, got, err)
		}
		if s := l.Search(); s.Visits != l.Visits || s.Search.Validate() != nil || s.Tactics != (l.Heat == 0) {
			t.Errorf("%s searches with %+v", l.ID, s)
		}
		// Where a level has a temperature, it is that of the whole game.
		if s := l.Search(); l.Heat > 0 && (s.Temperature != l.Heat || s.TemperatureTurns < 1000) || l.Heat == 0 && s.TemperatureTurns != arena.DefaultSearch().TemperatureTurns {
			t.Errorf("%s searches with %+v", l.ID, s)
		}
		if i > 0 && (l.Visits <= levels[i-1].Visits || l.Heat > levels[i-1].Heat) {
			t.Errorf("%+v is weaker than %+v", l, levels[i-1])
		}
	}
}

func TestLevelThatIsNone(t *testing.T) {
	for id, want := range map[string]string{
		"strnog":     `there is no level "strnog"; did you mean "strong"? (levels: beginner, casual, `,
		"":           `there is no level "" (levels: `,
		"invincible": `there is no level "invincible" (levels: `,
		"best\nof":   `there is no level "best\nof"`,
	} {
		if _, err := LevelOf(id); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want one line that begins with %s", id, err, want)
		}
	}
}
