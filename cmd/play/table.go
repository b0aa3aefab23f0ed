package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"warren/game"
	"warren/internal/durable"
)

// table is the game as it has gone: every action from the empty board on.
type table struct {
	game     *game.Game
	actions  []game.Action
	turns    []int // where in actions each turn began, the one being played last
	resigned bool  // by the side to move
	saved    int   // how many actions the game had when it was last in a file
}

func newTable() *table { return &table{game: game.New(), turns: []int{0}} }

// play makes legal actions.
func (t *table) play(actions ...game.Action) {
	for _, a := range actions {
		side, setup, turn := t.game.Side(), t.game.InSetup(), t.game.Turns()
		t.game.Play(a)
		t.actions = append(t.actions, a)
		if t.game.Side() != side || t.game.InSetup() != setup || t.game.Turns() != turn {
			t.turns = append(t.turns, len(t.actions))
		}
	}
}

// open returns the actions made in the turn being played.
func (t *table) open() []game.Action { return t.actions[t.turns[len(t.turns)-1]:] }

// back takes back all but the first n actions.
func (t *table) back(n int) {
	actions := t.actions[:n:n]
	saved := t.saved
	*t = *newTable()
	t.play(actions...)
	t.saved = min(saved, n)
}

// at returns the game as it stood before action n.
func (t *table) at(n int) *game.Game {
	g := game.New()
	for _, a := range t.actions[:n] {
		g.Play(a)
	}
	return g
}

// result is how the game stands, resignation included.
func (t *table) result() game.Result {
	if t.resigned {
		return game.Result{Winner: t.game.Side().Other(), Reason: game.Resignation}
	}
	return t.game.Result()
}

// unsaved reports whether whole turns would be lost.
func (t *table) unsaved() bool { return t.turns[len(t.turns)-1] > t.saved }

// moves is the game's move list; steps of an unfinished turn are left out,
// because no move list can hold them.
func (t *table) moves() string {
	text := game.FormatMoveList(t.actions[:t.turns[len(t.turns)-1]])
	if t.resigned {
		text += t.game.TurnLabel() + " resigns\n"
	}
	return text
}

// save writes the game to path. A file of that name is replaced only if it
// holds a game too.
func (t *table) save(path string) error {
	if _, err := os.Stat(path); err == nil {
		if err := new(table).load(path); err != nil {
			return fmt.Errorf("saving the game: %s is there already and is no saved game; choose another name", path)
		}
	}
	err := durable.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, t.moves())
		return err
	})
	if err != nil {
		return fmt.Errorf("saving the game: %w", err)
	}
	t.saved = len(t.actions)
	return nil
}

// keep saves the game under the first free of the names game-1.txt, game-2.txt
// and so on, and returns it.
func (t *table) keep() (string, error) {
	for i := 1; ; i++ {
		path := fmt.Sprintf("game-%d.txt", i)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, t.save(path)
		} else if err != nil {
			return "", fmt.Errorf("saving the game: %w", err)
		}
	}
}

// longestGame bounds the file of a game, in bytes: many times the longest
// ever played.
const longestGame = 1 << 20

func (t *table) load(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, longestGame+1))
	if err != nil {
		return err
	}
	if len(content) > longestGame {
		return fmt.Errorf("reading %s: longer than any game; is it a move list?", path)
	}
	moves, err := game.ParseMoveList(string(content))
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	*t = *newTable()
	t.play(moves.Actions...)
	t.saved = len(t.actions)
	t.resigned = moves.Result.Reason == game.Resignation
	return nil
}
