package match

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"warren/game"
)

// Openings gives every pair of games its opening: the actions with which both
// games begin, before the players choose.
type Openings interface {
	// Name identifies the openings: openings with equal names are the same.
	Name() string
	// Opening returns the opening of a pair of games, counted from 0. All randomness
	// comes from the seed of the match, so all pairings of a tournament play the
	// same openings.
	Opening(pair int, seed uint64) []game.Action
}

// RandomSetups places the pieces of both sides at random. The players choose from
// the first turn on.
type RandomSetups struct{}

// Name returns "random".
func (RandomSetups) Name() string { return "random" }

// Opening returns 32 placements.
func (RandomSetups) Opening(pair int, seed uint64) []game.Action {
	rng := rand.New(rand.NewPCG(seed, uint64(pair)))
	setup := make([]game.Action, 0, game.Placements)
	for range 2 {
		first := len(setup)
		for k := range game.Kind(game.NumKinds) {
			for range game.SetupCount(k) {
				setup = append(setup, game.PlaceAction(k))
			}
		}
		side := setup[first:]
		rng.Shuffle(len(side), func(i, j int) { side[i], side[j] = side[j], side[i] })
	}
	return setup
}

// Book is a list of recorded openings. After the last one it begins again.
type Book struct {
	name  string
	lines [][]game.Action
}

// ReadBook reads the openings of recorded games: the setups and the given number of
// turns of both players together. The file is an archive for [game.ReadArchive], or
// one or more move lists for [game.ParseMoveList], one after the other. Games that
// end within the opening are left out.
func ReadBook(path string, turns int) (*Book, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading openings: %w", err)
	}
	b := &Book{}
	digest := sha256.New()
	add := func(where, text string) error {
		m, err := game.ParseMoveList(text)
		if err != nil {
			return fmt.Errorf("reading openings: %s, %s: %w", path, where, err)
		}
		line, ok := cut(m.Actions, turns)
		if ok {
			b.lines = append(b.lines, line)
			fmt.Fprintln(digest, line)
		}
		return nil
	}
	if first, _, _ := strings.Cut(string(content), "\n"); strings.Contains(first, "\t") {
		for recorded, err := range game.ReadArchive(strings.NewReader(string(content))) {
			if err != nil {
				return nil, fmt.Errorf("reading openings: %s, %w", path, err)
			}
			if err := add(fmt.Sprintf("line %d", recorded.Line), recorded.MoveList); err != nil {
				return nil, err
			}
		}
	} else {
		for i, text := range splitGames(string(content)) {
			if err := add(fmt.Sprintf("game %d", i+1), text); err != nil {
				return nil, err
			}
		}
	}
	if len(b.lines) == 0 {
		return nil, fmt.Errorf("reading openings: %s holds no game that goes on after its setups and %d turns", path, turns)
	}
	b.name = fmt.Sprintf("%d lines of %d turns, %s", len(b.lines), turns, hex.EncodeToString(digest.Sum(nil))[:12])
	return b, nil
}

// splitGames splits a text before every first turn of Gold.
func splitGames(text string) []string {
	var games []string
	for _, line := range strings.SplitAfter(text, "\n") {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "1g" || word == "1w" || len(games) == 0 && word != "" {
			games = append(games, "")
		}
		if len(games) > 0 {
			games[len(games)-1] += line
		}
	}
	return games
}

// cut returns the setups and the first turns of a game, and whether the game goes
// on after them.
func cut(actions []game.Action, turns int) ([]game.Action, bool) {
	g := game.New()
	for i, a := range actions {
		if !g.InSetup() && g.Turns() == turns && g.StepsLeft() == 4 {
			return actions[:i], true
		}
		g.Play(a)
	}
	return actions, !g.InSetup() && g.Turns() == turns && !g.Result().Over()
}

// Name describes the book and includes a digest of its content.
func (b *Book) Name() string { return b.name }

// Opening returns a line of the book.
func (b *Book) Opening(pair int, _ uint64) []game.Action { return b.lines[pair%len(b.lines)] }
