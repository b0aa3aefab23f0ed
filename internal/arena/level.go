package arena

import (
	"fmt"
	"strconv"
	"time"
)

// Level is a strength at which a network plays against people.
type Level struct {
	Number int    // from 1
	Title  string // how it plays, in words
	Visits int    // root visits for every step; with one, the priors alone choose
	// Temperature is that of every action. With 0 only setups are drawn, at temperature 1.
	Temperature float64
	Tactics     bool          // tests by the rules: see [SearchSettings]
	Time        time.Duration // for a turn; 0: searches by visits
	Adapts      bool          // see [Adapting]; the number is then 0
}

const (
	// FirstLevel is the level of the bundled network unless a person chooses. It is for someone
	// who has just read the rules.
	FirstLevel = 1
	// UsualLevel is the level of other networks, which may be weak themselves.
	UsualLevel = 10
)

// Levels returns the levels, the weakest first. docs/reference/levels.md has their measured
// strength with the bundled network.
func Levels() []Level {
	levels := []Level{
		{Title: "close to chance", Visits: 1, Temperature: 8},
		{Title: "a first idea of the game", Visits: 1, Temperature: 2.4},
		{Title: "careless", Visits: 1, Temperature: 1.6},
		{Title: "guards its goal", Visits: 1, Temperature: 1.3, Tactics: true},
		{Title: "plays by instinct", Visits: 1, Temperature: 0.8, Tactics: true},
		{Title: "looks at a few steps", Visits: 4, Temperature: 0.7, Tactics: true},
		{Title: "looks a little ahead", Visits: 14, Tactics: true},
		{Title: "looks ahead", Visits: 34, Tactics: true},
		{Title: "looks well ahead", Visits: 76, Tactics: true},
		{Title: "looks far ahead", Visits: 170, Tactics: true},
		{Title: "a second for a turn", Visits: 170, Tactics: true, Time: time.Second},
		{Title: "ten seconds for a turn", Visits: 170, Tactics: true, Time: 10 * time.Second},
	}
	for i := range levels {
		levels[i].Number = i + 1
	}
	return levels
}

// ID returns what a person writes for the level.
func (l Level) ID() string {
	if l.Adapts {
		return "adapt"
	}
	return strconv.Itoa(l.Number)
}

// ParseLevel reads what a person writes for a level. The error is one line that says what is allowed.
func ParseLevel(text string) (Level, error) {
	levels := Levels()
	if text == Adapting().ID() {
		return Adapting(), nil
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(levels) {
		return levels[n-1], nil
	}
	return Level{}, fmt.Errorf("there is no level %.20q: the levels are 1 to %d, and adapt", text, len(levels))
}

// everyTurn is more turns than a game has.
const everyTurn = 10_000

// Over lays the level over settings, and keeps their threads and the settings of the
// search itself.
func (l Level) Over(s SearchSettings) SearchSettings {
	s.Visits, s.Temperature, s.TemperatureTurns, s.Tactics, s.Time, s.Adapt = l.Visits, 1, 0, l.Tactics, l.Time, l.Adapts
	if l.Temperature > 0 {
		s.Temperature, s.TemperatureTurns = l.Temperature, everyTurn
	}
	return s
}
