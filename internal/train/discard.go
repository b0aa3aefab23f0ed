package train

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"warren/data"
	"warren/internal/durable"
)

func (d *Dir) discardedFile() string { return filepath.Join(d.path, "discarded.json") }

// RunOf returns the directory of the run in the directory path, or of that whose games are there.
func RunOf(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding the run of the games: %w", err)
	}
	if !durable.IsDir((&Dir{path: path}).games()) && filepath.Base(whole) == "games" {
		return filepath.Dir(whole), nil
	}
	return path, nil
}

// Discarded returns the numbers of the games that are not learned from, of the run that [RunOf] returns.
func Discarded(path string) ([]data.Range, error) {
	run, err := RunOf(path)
	if err != nil {
		return nil, err
	}
	return (&Dir{path: run}).discarded()
}

// discarded returns the numbers of the games that stay out of the replay window.
func (d *Dir) discarded() (list []data.Range, err error) {
	if err := durable.ReadJSON(d.discardedFile(), &list); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the list of discarded games: %w; put a copy of the file back, or remove it to learn from these games again", err)
	}
	return list, nil
}

// Discard takes the games with these numbers out of the replay window, now and after a restart. They stay in
// their shards and still count as played.
func (s *Store) Discard(numbers []data.Range) error {
	list, err := s.dir.discarded()
	if err != nil {
		return err
	}
	if err := durable.WriteJSON(s.dir.discardedFile(), append(list, numbers...), ""); err != nil {
		return fmt.Errorf("discarding games: %w", err)
	}
	s.discarded.Store(true) // the learner renews its window before the next step
	return nil
}

// discard renews the replay window if games have been discarded. The window must not change while a
// minibatch is drawn, so only the goroutine that learns calls it.
func (s *Store) discard() error {
	if !s.discarded.Swap(false) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list, err := s.dir.discarded()
	if err != nil {
		return err
	}
	if err := s.renew(func(x *data.Index) error { return s.windows.Discard(list, x) }); err != nil {
		return fmt.Errorf("discarding games: %w", err)
	}
	s.log.Info("games were taken out of the replay window", "positions", s.windows.Train.Positions())
	return nil
}
