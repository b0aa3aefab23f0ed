package arena

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warren/game"
	"warren/internal/durable"
	"warren/internal/visible"
)

// Rules are what all games of a match or of a tournament have in common.
type Rules struct {
	Seed      uint64
	TurnLimit int      // turns of both players together; the official score then decides
	Openings  Openings // nil: the players choose their own
}

// RulesRecord is the rules as a tournament's log and its results keep them.
type RulesRecord struct {
	Seed      uint64 `json:"seed"`
	TurnLimit int    `json:"turn_limit"`
	Openings  string `json:"openings"` // "own": the players choose their own
}

// GameRecord is a finished game as a tournament's log keeps it.
type GameRecord struct {
	Gold    string  `json:"gold"` // names of the players
	Silver  string  `json:"silver"`
	Pair    int     `json:"pair"`   // number of the pair, from 0
	First   bool    `json:"first"`  // the first game of the pair, in which the name that sorts first has Gold
	Winner  string  `json:"winner"` // "gold" or "silver"
	Reason  string  `json:"reason"` // a game.Reason, or "forfeit"
	Forfeit string  `json:"forfeit,omitempty"`
	Turns   int     `json:"turns"`
	Seconds float64 `json:"seconds"`
	Moves   string  `json:"moves"` // a move list on one line, with \n written out between turns
}

// forfeit is the GameRecord.Reason of a forfeited game.
const forfeit = "forfeit"

// Record returns the rules by name.
func (r *Rules) Record() RulesRecord {
	l := RulesRecord{r.Seed, r.TurnLimit, "own"}
	if r.Openings != nil {
		l.Openings = r.Openings.Name()
	}
	return l
}

// fixture returns a game by the rules, with the seed of its pair.
func (r *Rules) fixture(a, b *Entrant, number int) Fixture {
	f := Fixture{A: a, B: b, Number: number, Seed: r.pairSeed(a.Name(), b.Name(), number/2), TurnLimit: r.TurnLimit}
	if r.Openings != nil {
		f.Opening = r.Openings.Opening(number/2, r.Seed)
	}
	return f
}

// pairSeed returns the seed of a pair of games. It depends on the seed of the match or tournament, the players' names
// in any order and the pair's number, and not on who else takes part.
func (r *Rules) pairSeed(a, b string, pair int) uint64 {
	h := sha256.Sum256(fmt.Appendf(nil, "%d\n%d\n%s\n%s", r.Seed, pair, min(a, b), max(a, b)))
	return binary.LittleEndian.Uint64(h[:])
}

// LogError is the error of a tournament that cannot continue with the log in its
// directory.
type LogError struct{ err error }

func (e *LogError) Error() string { return visible.Text(e.err.Error()) }
func (e *LogError) Unwrap() error { return e.err }

func logError(format string, args ...any) error { return &LogError{fmt.Errorf(format, args...)} }

// openLog opens the log in the directory and counts the games in it.
func (t *Tournament) openLog(dir string) (err error) {
	if _, err := os.Stat(filepath.Join(dir, GamesFile)); errors.Is(err, fs.ErrNotExist) {
		if err := durable.Fresh(dir, GamesFile+"*"); err != nil {
			return err
		}
	}
	lock, err := durable.LockDir(dir,
		fmt.Sprintf("the tournament %s is being played by another process: wait for it, stop it, or choose another", dir))
	if err != nil {
		return err
	}
	t.lock = lock
	defer func() {
		if err == nil {
			return
		}
		if t.log != nil {
			t.log.Close()
		}
		lock.Close()
	}()
	path := filepath.Join(dir, GamesFile)
	// Opening the log repairs it, so replay reads only whole lines.
	if t.log, err = durable.OpenLog(path); err != nil {
		return err
	}
	h, err := t.replay(path)
	if err == nil && !h.whole {
		err = t.repair(path, !h.rules)
	}
	if err != nil {
		return err
	}
	if h.known == nil {
		rules := t.config.Rules.Record()
		err = t.append(line{Rules: &rules})
	}
	for _, e := range t.entrants {
		if _, ok := h.known[e.Name()]; !ok && err == nil {
			err = t.append(line{Player: &loggedPlayer{e.Name(), e.Identity}})
		}
	}
	return err
}

// history is what a log holds.
type history struct {
	known map[string]string // identities of the players by name; nil if the log is empty
	rules bool              // whether the line of the rules is undamaged
	whole bool              // whether every line is undamaged and has its checksum
}

// replay counts the games of the log. A damaged line counts as if its game had not been played.
func (t *Tournament) replay(path string) (h history, err error) {
	var damaged *logLine // the first such line
	h.whole = true
	for l, err := range readLog(path) {
		if err != nil {
			return h, err
		}
		if l.damage != nil {
			if damaged == nil {
				damaged = l
			}
			h.whole = false
			t.config.Log.Warn("setting aside a damaged line; a game is played again", "path", path, "line", l.number, "error", l.damage)
			continue
		}
		h.whole = h.whole && l.sealed
		switch {
		case l.Rules != nil:
			h.known, h.rules = map[string]string{}, true
			if err := t.config.Rules.same(*l.Rules, path); err != nil {
				return h, err
			}
			continue
		case h.known == nil && !l.sealed:
			return h, logError("%s is not a tournament's log: line %d comes before the rules", path, l.number)
		case h.known == nil:
			h.known = map[string]string{}
			t.config.Log.Warn("the damaged line has the rules; they are taken to be those of today", "path", path)
		}
		if l.Player != nil {
			h.known[l.Player.Name] = l.Player.Identity
			if err := t.recognize(l.Player, path); err != nil {
				return h, err
			}
		}
		if l.Game != nil {
			t.recount(l.Game, l.played)
		}
	}
	if damaged != nil && h.known == nil {
		return h, logError("%s is not a tournament's log: line %d: %w", path, damaged.number, damaged.damage)
	}
	return h, nil
}

// recognize refuses a player who is another than the one of that name in the log.
func (t *Tournament) recognize(p *loggedPlayer, path string) error {
	for _, e := range t.entrants {
		const advice = "give it another name with the option label=..., or begin another tournament"
		switch {
		case e.Name() != p.Name || e.Identity == p.Identity:
		case strings.Contains(p.Identity, ",search={"): // every setting of the search, as before commit 0541af2
			return logError("the tournament %s is of an earlier version, which described the player %s in a way that cannot be compared: %s", path, e.Name(), advice)
		default:
			return logError("in the tournament %s the player %s was %s, and now it is %s: %s", path, e.Name(), p.Identity, e.Identity, advice)
		}
	}
	return nil
}

// same refuses rules that differ from those of the log, by name.
func (r *Rules) same(before RulesRecord, path string) error {
	now := r.Record()
	for _, c := range []struct {
		name        string
		before, now any
	}{
		{"seed", before.Seed, now.Seed},
		{"turn limit", before.TurnLimit, now.TurnLimit},
		{"openings", before.Openings, now.Openings},
	} {
		if c.before != c.now {
			return logError("the tournament %s was begun with the %s %v, and now it is %v: continue with the same, or begin another tournament", path, c.name, c.before, c.now)
		}
	}
	return nil
}

// recount counts a logged game, if both of its players take part this time.
func (t *Tournament) recount(r *GameRecord, g *Played) {
	index := func(name string) int {
		return slices.IndexFunc(t.entrants, func(e *Entrant) bool { return e.Name() == name })
	}
	a, b := index(r.Gold), index(r.Silver)
	if !r.First {
		a, b = b, a
	}
	for _, d := range t.duels {
		if d.a == a && d.b == b && !d.done[g.Number] {
			t.count(d, g, r.Moves, r.Seconds)
		}
	}
}

// mostPairs is more pairs of games than any two players play. A larger number in a log is damage, and
// the missing games before it would fill the memory. A game has no more than mostTurns.
const (
	mostPairs = 1e6
	mostTurns = 1e6
)

// game returns the game that was recorded, without its actions.
func (r *GameRecord) game() (*Played, error) {
	g := &Played{Number: 2 * r.Pair, Gold: r.First, Turns: r.Turns, Forfeit: r.Forfeit}
	if !r.First {
		g.Number++
	}
	switch r.Winner {
	case game.Gold.String():
		g.Result.Winner = game.Gold
	case game.Silver.String():
		g.Result.Winner = game.Silver
	default:
		return nil, fmt.Errorf("a game of %s against %s has the winner %q", r.Gold, r.Silver, r.Winner)
	}
	for reason := range game.Reason(game.NumReasons) {
		if r.Reason == reason.String() {
			g.Result.Reason = reason
		}
	}
	if r.Pair < 0 || r.Pair > mostPairs || g.Result.Over() == (r.Reason == forfeit) {
		return nil, fmt.Errorf("a game of %s against %s, pair %d, ended by %q", r.Gold, r.Silver, r.Pair, r.Reason)
	}
	if r.Turns < 0 || r.Turns > mostTurns || r.Seconds < 0 {
		return nil, fmt.Errorf("a game of %s against %s, pair %d, has %d turns in %g seconds", r.Gold, r.Silver, r.Pair, r.Turns, r.Seconds)
	}
	return g, nil
}

// record appends a finished game to the log.
func (t *Tournament) record(d *duel, g *Played, moves string, seconds float64) error {
	if t.log == nil {
		return nil
	}
	gold, silver := t.entrants[d.a].Name(), t.entrants[d.b].Name()
	if !g.Gold {
		gold, silver = silver, gold
	}
	r := GameRecord{
		Gold: gold, Silver: silver, Pair: g.Number / 2, First: g.Gold,
		Winner: g.Result.Winner.String(), Reason: g.Result.Reason.String(), Forfeit: g.Forfeit,
		Turns: g.Turns, Seconds: float64(int(seconds*1000)) / 1000,
		Moves: moves,
	}
	if g.Forfeit != "" {
		r.Reason = forfeit
	}
	return t.append(line{Game: &r})
}

// moveList returns the move list of a game on one line, as its record has it.
func moveList(actions []game.Action) string {
	return strings.ReplaceAll(strings.TrimSuffix(game.FormatMoveList(wholeTurns(actions)), "\n"), "\n", `\n`)
}

// wholeTurns drops an unfinished turn at the end, which a forfeit can leave.
func wholeTurns(actions []game.Action) []game.Action {
	g, whole := game.New(), 0
	side, setup := g.Side(), true
	for i, a := range actions {
		g.Play(a)
		if g.Side() != side || g.InSetup() != setup || g.Result().Over() {
			whole = i + 1
		}
		side, setup = g.Side(), g.InSetup()
	}
	return actions[:whole]
}

// WriteArchive writes the games of the tournament in a directory as an archive for
// [game.ReadGames]: tab-separated, with the players' names.
func WriteArchive(w io.Writer, dir string) error {
	if _, err := fmt.Fprintln(w, "id\tgold\tsilver\tresult\ttermination\tmovelist"); err != nil {
		return err
	}
	id := 0
	for r, err := range Games(dir) {
		if err != nil {
			return err
		}
		id++
		_, err := fmt.Fprintf(w, "%d\t%s\t%s\t%c\t%c\t%s\n", id, visible.Text(r.Gold), visible.Text(r.Silver), r.Winner[0], r.termination(), visible.Text(r.Moves))
		if err != nil {
			return err
		}
	}
	return nil
}

// termination returns the archive's letter for the way the game ended.
func (r *GameRecord) termination() byte {
	switch r.Reason {
	case game.Immobilization.String():
		return 'm'
	case game.Repetition.String():
		return 'p'
	case game.TurnLimit.String():
		return 's'
	}
	return r.Reason[0]
}
