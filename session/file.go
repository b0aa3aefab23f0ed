package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"warren/internal/durable"
)

// MoveList returns the game as an Arimaa move list, which [Session.Resume]
// reads. It leaves out the steps of an unfinished turn.
func (s *Session) MoveList() string { return s.history.moveList() }

// Resume goes on with the game of a move list, which counts as saved.
func (s *Session) Resume(moveList string) error {
	h, err := parseHistory(moveList)
	if err != nil {
		return err
	}
	s.goOn(h)
	return nil
}

// Unsaved reports whether the game has whole turns that are in no file.
func (s *Session) Unsaved() bool { return s.history.unsaved() }

// Save writes [Session.MoveList] to a file. It replaces an existing file only
// if this game is in it: if it was loaded from there or saved there before.
func (s *Session) Save(path string) error {
	if _, err := os.Stat(path); err == nil {
		if _, err := read(path); err != nil {
			return fmt.Errorf("saving the game: %s already exists and is not a saved game; choose another name", path)
		}
		if !slices.Contains(s.files, filepath.Clean(path)) {
			return fmt.Errorf("%s holds another game; choose another name", path)
		}
	}
	err := durable.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, s.MoveList())
		return err
	})
	if err != nil {
		return fmt.Errorf("saving the game: %w", err)
	}
	s.history.saved = len(s.history.actions)
	s.files = append(s.files, filepath.Clean(path))
	return nil
}

// Keep saves the game in a folder under the first of the names game-1.txt,
// game-2.txt and so on that is free, and returns the path.
func (s *Session) Keep(folder string) (string, error) {
	for i := 1; ; i++ {
		path := filepath.Join(folder, fmt.Sprintf("game-%d.txt", i))
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, s.Save(path)
		} else if err != nil {
			return "", fmt.Errorf("saving the game: %w", err)
		}
	}
}

// Load goes on with a saved game.
func (s *Session) Load(path string) error {
	h, err := read(path)
	if err != nil {
		return err
	}
	s.goOn(h)
	s.files = append(s.files, filepath.Clean(path))
	return nil
}

// goOn replaces the game by h. During the setups a move list does not say which
// pieces will be missing, so the handicap stays that of the session.
func (s *Session) goOn(h *history) {
	if h.game.InSetup() {
		h.handicap = s.history.handicap
	}
	s.history, s.files = h, nil
	s.leave()
}

// longestGame bounds the file of a game, in bytes: many times the longest ever
// played.
const longestGame = 1 << 20

func read(path string) (*history, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, longestGame+1))
	if err != nil {
		return nil, err
	}
	if len(content) > longestGame {
		return nil, fmt.Errorf("reading %s: longer than any game; is it a move list?", path)
	}
	h, err := parseHistory(string(content))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return h, nil
}
