// Package evaluate plays games between players and rates them. The players are
// networks, baselines and external engines.
package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"warren/internal/arena"
	"warren/internal/arena/rating"
	"warren/internal/console"
	"warren/internal/eval/device"
	"warren/internal/plural"
	"warren/internal/visible"
)

var players = arena.Help()

var description = `Let players play each other, and rate them on the Elo scale.

Two players play a match; three or more play a tournament, everyone against everyone. Games come in pairs with the
same opening and the colours exchanged, and one game is played per core. Intervals are 95% intervals. A game that
reaches the turn limit is adjudicated: the official score decides it, and the results count it apart.

Players:
` + players + `
Examples:
  warren evaluate warren greedy
  warren evaluate runs/quick/networks/gen-00040.safetensors random
  warren evaluate runs/quick/networks/gen-00040.safetensors warren
  warren evaluate --games 400 --visits 64 runs/a/networks/gen-00040.safetensors runs/b/networks/gen-00012.safetensors
  warren evaluate net:NEW.safetensors,search.cpuct_init=0.5 NEW.safetensors   one network, searching in two ways
  warren evaluate "net:NEW.safetensors,time=2s" alphabeta:time=2s         both with two seconds for a turn
  warren evaluate --sprt 0,50 NEW.safetensors OLD.safetensors         stop once it is clear which difference holds
  warren evaluate --run runs/quick --checkpoints 5 random greedy alphabeta --until 40 --out results
      rate five networks of a run and three baselines until every interval is +-40 Elo or narrower
  warren evaluate --puzzles greedy warren:visits=64 "aei:./bot;tcmove=2s"   which share of puzzles each solves
  warren evaluate --gauntlet 1 NEW.safetensors A.safetensors B.safetensors C.safetensors --games 100`

// The values of flags that are not given.
const (
	usualCheckpoints      = 5
	usualVisits           = 48
	usualTemperature      = 1
	usualTemperatureTurns = 4
	usualTurnLimit        = 200
)

// errorChance is the chance of each of the two errors of a sequential test.
const errorChance = 0.05

type flags struct {
	command console.Command `kong:"-"`
	end     time.Time       `kong:"-"` // of --within

	Players []string `arg:"" optional:"" help:"The players, as above."`

	Run         []string      `placeholder:"DIR" sep:"none" help:"Also rate networks of this run. May be repeated."`
	Checkpoints int           `default:"${checkpoints}" placeholder:"N" help:"The number of them, spread evenly over each run. Default: ${default}."`
	Games       *int          `placeholder:"N" help:"Games of every two players, rounded up to whole pairs; with --until or --sprt, the most they play. Default: 100; with --until or --sprt, no limit (--sprt: the end of a book of openings)."`
	Until       float64       `placeholder:"ELO" help:"Play until every interval reaches at most this many Elo to either side, or no game can narrow the others. Each next pair of games is the one expected to narrow the intervals most per second."`
	Within      time.Duration `placeholder:"TIME" help:"Stop after this much wall time, such as 10m or 2h. Games in progress do not count; a resumed match plays them again."`
	Gauntlet    int           `placeholder:"N" help:"The first N players play all others, and the others do not play each other."`
	Sprt        string        `placeholder:"ELO0,ELO1" help:"Two players: stop once a sequential test has decided whether the first is ELO0 or ELO1 stronger. The chance that it accepts either where the other is true is 5%. Pairs of games that repeat earlier ones do not count, and after 100 of them in a row it ends undecided."`
	Anchor      string        `placeholder:"NAME" help:"The player whose rating is 0 and whom the intervals are relative to. Default: the mean of all players."`
	Puzzles     bool          `help:"The players solve puzzles instead, one player or more: which share each solves. Networks play without temperature, unless a level or an option gives them one."`
	PuzzleFile  string        `placeholder:"FILE" help:"The puzzles. Default: those of the program."`
	Out         string        `placeholder:"DIR" help:"Directory of the results. A tournament found there is resumed. With --puzzles, a file to write: the puzzles, with how many of these players failed at each."`
	Openings    string        `default:"own" placeholder:"WHICH" help:"own: the players set up. random: random setups. A file of recorded games: their setups and first turns, one game after the other and then again; with --sprt, each once. Default: own."`
	OpeningTurn int           `name:"opening-turns" placeholder:"N" help:"Turns of both players together taken from recorded games, after the setups. Default: 0."`

	Set              []string `placeholder:"SETTING=VALUE" sep:"none" help:"A search setting of every network that does not set it itself, such as search.cpuct_init=0.5. May be repeated."`
	Visits           int      `default:"${visits}" placeholder:"N" help:"Root visits of networks for every step. Default: ${default}."`
	Temperature      float64  `default:"${temperature}" placeholder:"T" help:"Temperature of networks in the setup and the first turns, so that games differ. Default: ${default}."`
	TemperatureTurns int      `default:"${temperature_turns}" placeholder:"N" help:"Turns of both players together that the temperature lasts. Default: ${default}."`
	TurnLimit        int      `default:"${turn_limit}" placeholder:"N" help:"Turns of both players together after which the official score decides. Default: ${default}."`
	Seed             uint64   `default:"1" placeholder:"N" help:"Seed of the games. Default: 1."`
	Device           string   `default:"auto" placeholder:"NAME" help:"What evaluates networks: auto, cpu, int16, int16/amx, amx, opencl:N or cuda:N; warren speed lists them. Default: auto, the fastest on the processor."`
	Workers          int      `placeholder:"N" help:"Games played at once. Default: one per core."`
	JSON             bool     `help:"Print the results as JSON; docs/reference/json.md explains the fields."`
}

// errTimeUp ends the context after --within.
var errTimeUp = errors.New("the time is up")

// within returns a context that ends after the time, without a deadline, to which players would hurry their last turns.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeUp)
	return endless{ctx}, cancel
}

// endless is a context that does not tell its deadline.
type endless struct{ context.Context }

func (endless) Deadline() (end time.Time, ok bool) { return end, false }

// stopped says in words that Ctrl-C or --within ended the games, and returns the error of the command then. The words
// of any other error are empty.
func stopped(err error) (string, error) {
	switch {
	case errors.Is(err, errTimeUp):
		return "The time is up.", nil
	case errors.Is(err, context.Canceled):
		return "Stopped.", console.ErrStopped
	}
	return "", err
}

// Main runs the command.
func Main(c console.Command) {
	f := flags{command: c}
	c.Parse(&f, description, "checkpoints", usualCheckpoints, "visits", usualVisits, "temperature", usualTemperature,
		"temperature_turns", usualTemperatureTurns, "turn_limit", usualTurnLimit)
	c.Run(f.run)
}

func (f *flags) run(ctx context.Context, out io.Writer) error {
	if err := device.Check(f.Device); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	test, err := f.test()
	if err != nil {
		return err
	}
	openings, err := f.openings()
	if err != nil {
		return err
	}
	if book, ok := openings.(*arena.Book); ok && test != nil && f.games() > 2*book.Lines() {
		fmt.Fprintf(os.Stderr, "--openings %s has %s: the test ends after as many pairs of games, unless it has decided before.\n", f.Openings, plural.Of(book.Lines(), "opening"))
		f.Games = new(2 * book.Lines())
	}
	entrants, err := f.entrants()
	if err != nil {
		return err
	}
	if f.Within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = within(ctx, f.Within)
		f.end = time.Now().Add(f.Within)
		defer cancel()
	}
	if f.Puzzles {
		return f.puzzles(ctx, out, entrants)
	}
	rules := arena.Rules{Seed: f.Seed, TurnLimit: f.TurnLimit, Openings: openings}
	if f.match(entrants) && (f.Anchor != "" || f.Gauntlet > 0) {
		return errors.New("--anchor and --gauntlet are for three players or more, or with --out or --until")
	}
	return f.tournament(ctx, out, arena.TournamentConfig{
		Rules: rules, Gauntlet: f.Gauntlet, Games: f.games(), Until: f.Until, Anchor: f.Anchor, Test: test, Workers: f.Workers,
	}, entrants)
}

// match reports whether the results are a score, not standings.
func (f *flags) match(entrants []*arena.Entrant) bool {
	return len(entrants) == 2 && f.Out == "" && f.Until == 0
}

// check returns an error that names a flag that is out of range.
func (f *flags) check() error {
	games := 1
	if f.Games != nil {
		games = *f.Games
	}
	err := cmp.Or(
		console.Within("--games", float64(games), 1, 1e6),
		console.Within("--until", f.Until, 0, 1000),
		console.Within("--gauntlet", float64(f.Gauntlet), 0, 1e3),
		console.Within("--checkpoints", float64(f.Checkpoints), 1, 1e3),
		console.Within("--opening-turns", float64(f.OpeningTurn), 0, 1e3),
		console.Within("--visits", float64(f.Visits), 1, 1e6),
		console.Within("--temperature", f.Temperature, 0, 10),
		console.Within("--temperature-turns", float64(f.TemperatureTurns), 0, 1e4),
		console.Within("--turn-limit", float64(f.TurnLimit), 1, 1e4),
		console.Within("--workers", float64(f.Workers), 0, 1024))
	if err != nil {
		return err
	}
	if f.Within < 0 || f.Within > 8760*time.Hour {
		return fmt.Errorf("--within is %v, must be from 0s to 8760h", f.Within)
	}
	if len(f.Run) == 0 && f.Checkpoints != usualCheckpoints {
		return errors.New("--checkpoints is for the networks of a run: it goes with --run")
	}
	if f.Sprt != "" && f.Until > 0 {
		return errors.New("--sprt and --until are two ways to end: choose one")
	}
	return f.checkPuzzles()
}

// games returns the games of every two players, or the most they play; 0 sets no limit.
func (f *flags) games() int {
	switch {
	case f.Games != nil:
		return *f.Games
	case f.Until > 0:
		return 0
	case f.Sprt != "":
		return 1e6 // the test ends the match
	}
	return 100
}

// test returns the sequential test that the flags request, or nil if there is
// none.
func (f *flags) test() (*rating.SPRT, error) {
	if f.Sprt == "" {
		return nil, nil
	}
	low, high, ok := strings.Cut(f.Sprt, ",")
	elo0, err0 := strconv.ParseFloat(low, 64)
	elo1, err1 := strconv.ParseFloat(high, 64)
	if !ok || err0 != nil || err1 != nil || math.IsNaN(elo0+elo1) {
		return nil, fmt.Errorf("--sprt is %q, must be two numbers of Elo, as in 0,50", f.Sprt)
	}
	test := rating.SPRT{Elo0: elo0, Elo1: elo1, Alpha: errorChance, Beta: errorChance}
	if err := test.Validate(); err != nil {
		return nil, fmt.Errorf("--sprt: %w", err)
	}
	return &test, nil
}

func (f *flags) openings() (arena.Openings, error) {
	own := f.Openings == "own" || f.Openings == ""
	if f.OpeningTurn > 0 && (own || f.Openings == "random") {
		return nil, fmt.Errorf("--opening-turns is %d, but only recorded games have turns to take: name their file with --openings", f.OpeningTurn)
	}
	if f.OpeningTurn >= f.TurnLimit {
		return nil, fmt.Errorf("--opening-turns is %d, and --turn-limit %d would end every game before a player moves: choose a higher limit", f.OpeningTurn, f.TurnLimit)
	}
	switch {
	case own:
		return nil, nil
	case f.Openings == "random":
		return arena.RandomSetups{}, nil
	}
	book, err := arena.ReadBook(f.Openings, f.OpeningTurn)
	if err != nil {
		return nil, err
	}
	if n, why := book.LeftOut(); n > 0 {
		fmt.Fprintf(os.Stderr, "--openings %s: games that cannot be read are left out: %d. The first: %s.\n", f.Openings, n, visible.Text(why.Error()))
	}
	return book, nil
}

// names returns a parser of players' names. The flags give the settings of
// networks.
func (f *flags) names() (*arena.Names, error) {
	n := &arena.Names{Network: device.Load, Device: f.Device, Search: arena.DefaultSearch()}
	n.Search.Visits, n.Search.Temperature, n.Search.TemperatureTurns = f.Visits, f.Temperature, f.TemperatureTurns
	if f.Puzzles {
		n.Search.TemperatureTurns = 0 // every puzzle is a first turn
	}
	if err := arena.ReadSearch(f.Set, &n.Search.Search); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	return n, nil
}
