package arena

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"warren/game"
	"warren/internal/arena/alphabeta"
	"warren/internal/eval"
	"warren/internal/settings"
	"warren/internal/think"
	"warren/mcts"
)

// SearchSettings says how a network plays.
type SearchSettings struct {
	Visits           int           `yaml:"visits" min:"1" max:"1000000" doc:"root visits for every step"`
	Temperature      float64       `yaml:"temperature" min:"0" max:"10" doc:"temperature in the setup and the first turns, so that games differ"`
	TemperatureTurns int           `yaml:"temperature_turns" min:"0" max:"10000" doc:"turns of both players together that the temperature lasts; afterwards the best action by search.lcb is played"`
	Setups           string        `yaml:"setups" oneof:"whole usual" doc:"how it sets up. whole: placements are drawn from the policy; usual: a frequent setup of strong people, at random"`
	Time             time.Duration `yaml:"time" min:"0s" max:"1h" doc:"time for a turn; 0s searches by visits. Setups do not use it, and only they have a temperature"`
	Threads          int           `yaml:"threads" min:"0" max:"1024" doc:"threads that search a turn together if time is set; 0 means one, because evaluate plays a game on every core"`

	Tactics bool `yaml:"tactics" doc:"test by the rules what is played: win where a turn wins at once, and refuse a step after which the opponent wins next turn, if search.proofs is on. Turns by time are always tested"`

	Adapt bool `yaml:"adapt" doc:"keep the game open: play every turn at a level, up to two lower or higher than the last where the network expects to win or to lose"`

	Search mcts.Config `yaml:"search"`
}

// The values of SearchSettings.Setups.
const (
	WholeSetups = "whole"
	UsualSetups = "usual"
)

// DefaultSearch returns the settings of a search that plays to win, without visits.
func DefaultSearch() SearchSettings {
	return SearchSettings{Setups: WholeSetups, Search: mcts.MatchConfig()}
}

// Searcher plays by tree search over a network.
type Searcher struct {
	Label string
	SearchSettings
	Backend eval.Backend // each seat opens a stream of its own
}

// Name returns the label.
func (p *Searcher) Name() string { return p.Label }

// Sit takes a seat with a search and a stream of its own.
func (p *Searcher) Sit(_ context.Context, seed uint64) (Seat, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	switch {
	case p.Adapt:
		return p.sitAdapting(rng)
	case p.Time > 0:
		return p.sitTimed(rng)
	}
	return p.sitByVisits(rng)
}

// searcherSeat is the seat of a network that searches by visits.
type searcherSeat struct {
	player *Searcher
	engine *think.Engine
	rng    *rand.Rand
	setup  Seat // chooses setups
}

func (p *Searcher) sitByVisits(rng *rand.Rand) (*searcherSeat, error) {
	engine, err := think.New(think.Config{
		Search: p.Search, Threads: 1, Batch: 1, Tactics: p.Tactics, Backend: p.Backend,
		Memory: 1 << 30, // enough for the most visits
	})
	if err != nil {
		return nil, fmt.Errorf("seating %s: %w", p.Label, err)
	}
	setup := &turnSeat{choose: func(ctx context.Context, g *game.Game) ([]game.Action, error) {
		return p.setUp(ctx, g, engine, rng)
	}}
	return &searcherSeat{player: p, engine: engine, rng: rng, setup: setup}, nil
}

// setUp chooses the setup of a seat with the engine.
func (p *Searcher) setUp(ctx context.Context, g *game.Game, engine *think.Engine, rng *rand.Rand) ([]game.Action, error) {
	if p.Setups == UsualSetups {
		return alphabeta.Setup(g, rng), nil
	}
	placements, err := engine.Setup(ctx, g, p.Temperature, rng)
	return placements, p.choosing("a setup", err)
}

// choosing adds to an error who could not choose what.
func (p *Searcher) choosing(what string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s choosing %s: %w", p.Label, what, err)
	}
	return err
}

func (s *searcherSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	if g.InSetup() {
		return s.setup.Act(ctx, g)
	}
	draw := think.Draw{Rand: s.rng}
	if g.Turns() < s.player.TemperatureTurns {
		draw.Temperature = s.player.Temperature
	}
	a, err := s.engine.Act(ctx, g, think.Limits{Visits: s.player.Visits}, draw)
	return a, s.player.choosing("a step", err)
}

// Close releases the seat's stream.
func (s *searcherSeat) Close() error { return s.engine.Close() }

// Seated returns a player that searches with a network. The label is its name,
// and not part of its identity.
func Seated(n *eval.Network, label string, s SearchSettings) *Entrant {
	return &Entrant{
		Player:   &Searcher{Label: label, SearchSettings: s, Backend: n.Backend},
		Network:  n,
		Identity: networkKind.name + ":" + n.Hash + s.identity(),
	}
}

// identity returns the settings on which games depend, as [changed] writes them. They are
// compared with the defaults of the first tournaments that were described so, not with
// today's: a default that changes must not change what a stored description means.
func (s SearchSettings) identity() string {
	if s.Time == 0 {
		s.Threads = 0
	} else {
		s.Threads, s.Tactics = max(s.Threads, 1), false // turns by time are tested anyway
	}
	described := DefaultSearch()
	described.Setups, described.Search.LCB = "search", 0
	return changed(s, described)
}

// changed returns the settings in now that differ from the defaults, each as
// ",key=value", sorted by key. A setting at its default leaves no trace, so a new
// one does not change how the players of stored games are described.
func changed(now, defaults any) string {
	changes, err := settings.Changes(defaults, now)
	if err != nil {
		panic(err) // the tags of a struct are wrong
	}
	var words []string
	for _, c := range changes {
		words = append(words, ","+c.Key+"="+c.After)
	}
	slices.Sort(words)
	return strings.Join(words, "")
}

var networkKind = kind{
	name: "net", argument: "PATH", usage: "net:PATH,visits=48",
	help: "a network behind a tree search; net: may be left out if PATH ends in " + netSuffix + " or is the directory of a run, whose newest network then plays",
	options: func(n *Names) options {
		return &networkOptions{Device: n.Device, SearchSettings: n.Search}
	},
}

// Bundled names the network that comes with the program, as package bundled does.
const Bundled = "warren"

var boxedKind = kind{
	name: Bundled, usage: Bundled + ":visits=48", like: networkKind.name,
	help:    "the network that comes with this program; options as for net",
	options: networkKind.options,
}

type networkOptions struct {
	Level  string `yaml:"level" doc:"how strong it plays against people (docs/reference/levels.md), 1 to 12 or adapt: chooses visits, temperature, temperature_turns, time, tactics and adapt, unless they are given too"`
	Device string `yaml:"device" doc:"what evaluates the network: auto (the fastest on the processor), cpu, int16, int16/amx, amx, opencl:N or cuda:N"`
	named
	SearchSettings
}

// netSuffix ends the path of a network that may be named without its kind.
const netSuffix = ".safetensors"

// entrant returns the player. An empty path means the bundled network. The label
// ends with the options that were given, in the order of the settings.
func (o *networkOptions) entrant(n *Names, path string, given []string) (*Entrant, error) {
	path = cmp.Or(path, Bundled)
	if n.Network == nil {
		return nil, fmt.Errorf("networks cannot play here: %s", path)
	}
	c, err := n.Network(path, o.Device)
	if err != nil {
		return nil, err
	}
	if err := CheckSearch(o.Search, c); err != nil {
		return nil, err
	}
	list, err := settings.List(o.SearchSettings)
	if err != nil {
		return nil, err
	}
	label, separator := c.Label(), ","
	if path == Bundled {
		separator = ":"
	}
	for _, s := range append([]settings.Setting{{Key: "level"}}, list...) {
		i := slices.IndexFunc(given, func(word string) bool { return strings.HasPrefix(canonical(word), s.Key+"=") })
		if i >= 0 {
			label += separator + given[i]
			separator = ","
		}
	}
	other := o.Device != n.Device
	if other {
		label += separator + "device=" + o.Device
	}
	e := Seated(c, cmp.Or(o.Label, label), o.SearchSettings)
	if other {
		e.Identity += ",device=" + o.Device
	}
	return e, nil
}

// CheckSearch reports settings that do not fit together or that the network cannot follow.
func CheckSearch(search mcts.Config, n *eval.Network) error {
	if err := search.Validate(); err != nil {
		return fmt.Errorf("search.%w", err)
	}
	if search.DrawPenalty > 0 && !n.Attributes().Stopped {
		return fmt.Errorf("search.draw_penalty is %g, but %s has no head stopped, which the setting needs; give search.draw_penalty=0", search.DrawPenalty, n.Origin.Path)
	}
	return nil
}

// ReadSearch lays settings of the search, such as search.cpuct_init=0.5, over those
// that into holds. If one of them is wrong, the error is one line and into is
// unchanged.
func ReadSearch(settings []string, into *mcts.Config) error {
	section := struct {
		Search mcts.Config `yaml:"search"`
	}{*into}
	if err := set(settings, &section); err != nil {
		return err
	}
	*into = section.Search
	return nil
}
