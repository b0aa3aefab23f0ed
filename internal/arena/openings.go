package arena

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"warren/game"
	"warren/internal/durable"
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
	name    string
	lines   [][]game.Action
	leftOut int   // games that cannot be read
	why     error // the first of their errors
}

// ReadBook reads the openings of recorded games: the setups and the given number of
// turns of both players together. The file is one for [game.ReadGames]. Games that
// end within the opening are not used. Those that cannot be read, such as games with
// an illegal turn or with a handicap, are left out: see [Book.LeftOut].
func ReadBook(path string, turns int) (*Book, error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading openings: %w", err)
	}
	defer f.Close()
	b := &Book{}
	digest := sha256.New()
	for recorded, err := range game.ReadGames(f) {
		var m *game.MoveList
		if err == nil {
			if m, err = game.ParseMoveList(recorded.MoveList); err != nil {
				err = fmt.Errorf("line %d: %w", recorded.Line, err)
			}
		}
		if err != nil {
			if b.leftOut++; b.why == nil {
				b.why = err
			}
			continue
		}
		if line, ok := cut(m.Actions, turns); ok {
			b.lines = append(b.lines, line)
			fmt.Fprintln(digest, line)
		}
	}
	if len(b.lines) == 0 {
		err := fmt.Errorf("reading openings: %s holds no game that continues after its setups and %d turns", path, turns)
		if b.leftOut > 0 {
			err = fmt.Errorf("%w; %d cannot be read, the first: %w", err, b.leftOut, b.why)
		}
		return nil, err
	}
	b.name = fmt.Sprintf("%d lines of %d turns, %s", len(b.lines), turns, hex.EncodeToString(digest.Sum(nil))[:12])
	return b, nil
}

// Lines returns the number of openings.
func (b *Book) Lines() int { return len(b.lines) }

// LeftOut returns the number of games that could not be read, and the error of the
// first, which names its line. The error is nil if there are none.
func (b *Book) LeftOut() (int, error) { return b.leftOut, b.why }

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
