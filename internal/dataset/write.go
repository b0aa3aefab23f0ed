package dataset

import (
	"context"
	"errors"
	"path/filepath"

	"warren/data"
	"warren/data/replay"
	"warren/internal/durable"
)

// Formats of the tables.
const (
	Parquet = "parquet" // compressed by zstd
	JSON    = "jsonl"   // JSON lines, compressed by gzip
)

// Options say how a data set is written.
type Options struct {
	Format   string         // Parquet or JSON
	Licence  string         // its identifier, for the card, such as mit
	Settings []*Known       // settings that games were played under, of one or more stages of a run
	Networks []*Known       // networks that played
	Without  []data.Range   // numbers of games to leave out
	Progress func(Progress) // if not nil, called after every game
}

// Known is something that the games have only the hash of.
type Known struct {
	Hash, Text string // the text is for the card
	// Source is where it was found. If Must is set, it is an error that no game has the hash; otherwise the card
	// leaves the text out then.
	Source string
	Must   bool
}

// Card is the name of the card in a data set.
const Card = "README.md"

// Progress says how far the writing is.
type Progress struct {
	Shards, Of       int // shards read, of all
	Games, Positions int // written
}

// Write writes the games of a run, or of a directory of shards, as a data set in the directory out, which must not
// exist or be empty. It returns the number of games and positions. The directory gets its name when all of it is
// written. If a shard is damaged or ctx ends, Write returns an error and leaves nothing behind.
func Write(ctx context.Context, dir, out string, o Options) (Progress, error) {
	shards, err := Shards(dir)
	if err != nil {
		return Progress{}, err
	}
	without := replay.NewRanges(o.Without)
	w := &writer{Options: o, seen: Progress{Of: len(shards)}, parts: map[string]*part{}}
	err = durable.WriteDir(out, func(temporary string) error {
		defer w.close()
		w.dir = temporary
		for r, err := range Games(shards, func() { w.seen.Shards++ }) {
			if err := errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			if without.Has(r.Game) {
				continue
			}
			if err := w.add(r); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(w.seen)
			}
		}
		return w.finish()
	})
	return w.seen, err
}

// writer writes a data set into the directory dir.
type writer struct {
	Options
	dir   string
	seen  Progress
	facts facts
	parts map[string]*part // by their splits
}

// part is the part of both tables that is in one split.
type part struct {
	games     *table[Game]
	positions *table[Position]
}

// add writes the rows of a game.
func (w *writer) add(r *data.Record) error {
	p, err := w.part(Split(r.Game))
	if err != nil {
		return err
	}
	if err := p.games.add([]Game{gameRow(r)}); err != nil {
		return err
	}
	if err := p.positions.add(positionRows(r)); err != nil {
		return err
	}
	w.facts.add(r)
	w.seen.Games++
	w.seen.Positions += len(r.Decisions)
	return nil
}

// part returns the part of a split, and creates its files when its first game comes.
func (w *writer) part(split string) (*part, error) {
	if p := w.parts[split]; p != nil {
		return p, nil
	}
	p := &part{}
	w.parts[split] = p
	var err error
	if p.games, err = create[Game](w.dir, "games/"+split, w.Format); err != nil {
		return nil, err
	}
	p.positions, err = create[Position](w.dir, "positions/"+split, w.Format)
	return p, err
}

// finish completes the files and writes the card.
func (w *writer) finish() error {
	if w.seen.Games == 0 {
		return errors.New("there are no games in the shards, or all are discarded")
	}
	c := card{Options: w.Options, facts: w.facts}
	var err error
	if c.Settings, err = w.facts.those(c.Settings); err != nil {
		return err
	}
	if c.Networks, err = w.facts.those(c.Networks); err != nil {
		return err
	}
	for _, split := range Splits {
		p := w.parts[split]
		if p == nil {
			continue
		}
		games, err := p.games.finish()
		if err != nil {
			return err
		}
		positions, err := p.positions.finish()
		if err != nil {
			return err
		}
		c.Splits = append(c.Splits, counted{split, games, positions})
	}
	return durable.WriteFile(filepath.Join(w.dir, Card), c.write)
}

// close closes the files that are not complete.
func (w *writer) close() {
	for _, p := range w.parts {
		p.games.close()
		p.positions.close()
	}
}
