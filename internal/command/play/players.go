package play

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/eval/device"
	"warren/internal/session"
	"warren/net/bundled"
)

const (
	// usualLevel is the level of networks unless a flag says otherwise. Its visits
	// are about those with which networks are measured.
	usualLevel = "steady"
	// hintVisits is the visits of hints unless a flag says otherwise.
	hintVisits = 200
)

// levels describes the levels for the help, each line indented by two spaces.
func levels() string {
	var b strings.Builder
	for _, l := range session.Levels() {
		fmt.Fprintf(&b, "  %-10s  %d visits for every step", l.ID, l.Visits)
		if l.Heat > 0 {
			fmt.Fprintf(&b, ", drawn at the temperature %g", l.Heat)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// names reads the names of players, and gives networks the strength that the flags
// say. Except at the lowest levels, a network chooses only its setup at random.
func (f *flags) names() (*arena.Names, error) {
	level, err := session.LevelOf(cmp.Or(f.Level, usualLevel))
	if err != nil {
		return nil, fmt.Errorf("--level: %w", err)
	}
	n := &arena.Names{Network: device.Load, Device: f.Device, Search: level.Search()}
	n.Search.Visits = cmp.Or(f.Visits, level.Visits)
	if err := arena.ReadSearch(f.Set, &n.Search); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	return n, nil
}

// again returns the words of a command line that name the opponent and how it plays.
func (f *flags) again(opponent string) string {
	var words []string
	for _, flag := range []struct {
		name, value string
		given       bool
	}{
		{"level", f.Level, f.Level != ""}, {"visits", strconv.Itoa(f.Visits), f.Visits != 0}, {"device", f.Device, cmp.Or(f.Device, device.Auto) != device.Auto},
		{"adviser", f.Adviser, f.Adviser != ""}, {"seed", strconv.FormatUint(f.Seed, 10), f.Seed > 1},
	} {
		if flag.given {
			words = append(words, "--"+flag.name, console.Quote(flag.value))
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
