package arena

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warren/internal/durable"
	"warren/internal/visible"
)

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
