package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warren/game"
	"warren/internal/durable"
)

// MoveList returns the game as an Arimaa move list, which [Session.Resume]
// reads. It leaves out the steps of an unfinished turn.
func (s *Session) MoveList() string { return s.history.moveList() }

// Resume continues with the game of a move list, which counts as saved.
func (s *Session) Resume(moveList string) error {
	h, err := parseHistory(moveList)
	if err != nil {
		return err
	}
	s.goOn(h)
	return nil
}

// Unsaved reports whether the game has whole turns, or a resignation, that are in no file.
func (s *Session) Unsaved() bool { return s.history.unsaved() }

// Save writes [Session.MoveList] to a file. It replaces an existing file only
// if this game is in it, and nothing else: if it was loaded from there or saved
// there before, and nobody has changed the file since. A game without a turn
// cannot be saved.
func (s *Session) Save(path string) error {
	list := s.MoveList()
	if list == "" {
		return errors.New("saving the game: it has no turn yet")
	}
	if err := s.mayReplace(path); err != nil {
		return err
	}
	if err := durable.WriteBytes(path, []byte(list)); err != nil {
		return fmt.Errorf("saving the game: %w", err)
	}
	s.history.saved, s.history.ended = len(s.history.actions), s.history.lost == game.Resignation
	s.files[filepath.Clean(path)] = list
	return nil
}

// Remove removes a file that [Session.Save] would replace: all its turns have been taken back.
func (s *Session) Remove(path string) error {
	if err := s.mayReplace(path); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("taking back the game: %w", err)
	}
	delete(s.files, filepath.Clean(path))
	return nil
}

// mayReplace returns an error if a file holds anything but this game.
func (s *Session) mayReplace(path string) error {
	if _, err := os.Stat(path); err == nil {
		_, content, _, err := read(path)
		if err != nil {
			return fmt.Errorf("saving the game: %s already exists and is not a saved game; choose another name", path)
		}
		if content != s.files[filepath.Clean(path)] {
			return fmt.Errorf("%s holds something else; choose another name", path)
		}
	}
	return nil
}

// Load resumes the first game that can be played of a file for [game.ReadGames]. It
// returns the number of games in the file, those that cannot be played included.
func (s *Session) Load(path string) (games int, err error) {
	h, content, games, err := read(path)
	if err != nil {
		return games, err
	}
	s.goOn(h)
	if content == h.moveList() { // saving the game there loses no other game and no tags
		s.files[filepath.Clean(path)] = content
	}
	return games, nil
}

// goOn replaces the game by h. During the setups a move list does not say which
// pieces will be missing, so the handicap stays that of the session.
func (s *Session) goOn(h *history) {
	if h.game.InSetup() {
		h.handicap = s.handicap
	}
	s.history, s.files = h, map[string]string{}
	s.leave()
}

// read returns the content of a file for [game.ReadGames], the number of games in it,
// and the first that can be played. If none can be played, the error is that of the
// first.
func read(path string) (h *history, content string, games int, err error) {
	b, err := durable.ReadFile(path, durable.Document)
	if err != nil {
		return nil, "", 0, err
	}
	content = string(b)
	for recorded, wrong := range game.ReadGames(strings.NewReader(content)) {
		games++
		if h != nil {
			continue
		}
		if wrong == nil {
			if h, wrong = parseHistory(recorded.MoveList); wrong != nil {
				wrong = fmt.Errorf("line %d: %w", recorded.Line, wrong)
			}
		}
		if wrong != nil && err == nil {
			err = fmt.Errorf("reading %s: %w", path, wrong)
		}
	}
	if h == nil {
		return nil, content, games, err
	}
	return h, content, games, nil
}
