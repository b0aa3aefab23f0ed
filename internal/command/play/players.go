package play

import (
	"cmp"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/eval/device"
	"warren/internal/session"
	"warren/net/bundled"
)

// hintVisits is the visits of hints unless a flag says otherwise.
const hintVisits = 200

// levels describes the levels for the help, each line indented by two spaces.
func levels() string {
	var b strings.Builder
	for _, l := range arena.Levels() {
		fmt.Fprintf(&b, "  %5d  %s\n", l.Number, l.Title)
	}
	fmt.Fprintf(&b, "  %s  %s: it plays up to two levels lower or higher, turn by turn, so that the game stays open\n", arena.Adapting().ID(), arena.Adapting().Title)
	return b.String()
}

// level returns the level of networks.
func (f *flags) level() (arena.Level, error) {
	switch {
	case f.Level != "":
		level, err := arena.ParseLevel(f.Level)
		if err != nil {
			err = fmt.Errorf("--level: %w", err)
		}
		return level, err
	case f.Visits == 0 && cmp.Or(f.Opponent, bundled.Name) == bundled.Name:
		return arena.Levels()[arena.FirstLevel-1], nil
	}
	return arena.Levels()[arena.UsualLevel-1], nil
}

// levelOf returns the level at which a player plays, or the zero value if it plays at none.
func levelOf(p arena.Player) arena.Level {
	if s, ok := p.(*arena.Searcher); ok {
		for _, l := range append(arena.Levels(), arena.Adapting()) {
			if l.Over(s.SearchSettings) == s.SearchSettings {
				return l
			}
		}
	}
	return arena.Level{}
}

// isOther reports whether a player has another network than the bundled one.
func isOther(e *arena.Entrant) bool {
	return e.Network != nil && e.Network.Origin.Path != bundled.Name
}

// names reads the names of players, and gives networks the strength that the flags
// say.
func (f *flags) names() (*arena.Names, error) {
	level, err := f.level()
	if err != nil {
		return nil, err
	}
	n := &arena.Names{Network: device.Load, Device: f.Device, Search: level.Over(arena.DefaultSearch())}
	n.Search.Threads = runtime.GOMAXPROCS(0)
	if f.Visits > 0 {
		n.Search.Visits, n.Search.Time = f.Visits, 0
	}
	if err := arena.ReadSearch(f.Set, &n.Search.Search); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	return n, nil
}

// again returns the words of a command line that name the opponent and how it plays.
func (f *flags) again(opponent string) string {
	var words []string
	for _, flag := range [][2]string{
		{"level", f.Level}, {"visits", strconv.Itoa(f.Visits)}, {"device", f.Device}, {"adviser", f.Adviser}, {"seed", strconv.FormatUint(f.Seed, 10)},
	} {
		if f.given(flag[0]) != "" {
			words = append(words, "--"+flag[0], console.Quote(flag[1]))
		}
	}
	for _, s := range f.Set {
		words = append(words, "--set", console.Quote(s))
	}
	return strings.Join(append(words, console.Quote(opponent)), " ")
}

// adviser returns who gives hints and evaluations: the network that the flag
// names, or else the opponent's, or else the bundled one. It searches with the
// settings that the flags give networks.
func (f *flags) adviser(opponent *arena.Entrant) (*session.Adviser, error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	network := opponent.Network
	if f.Adviser != "" || network == nil {
		if network, err = device.Load(cmp.Or(f.Adviser, bundled.Name), f.Device); err != nil {
			return nil, err
		}
	}
	if err := arena.CheckSearch(names.Search.Search, network); err != nil {
		return nil, err
	}
	adviser, err := session.NewAdviser(network, names.Search.Search, cmp.Or(f.Visits, hintVisits))
	if err != nil {
		return nil, fmt.Errorf("asking %s for advice: %w", network.Origin.Path, err)
	}
	return adviser, nil
}
