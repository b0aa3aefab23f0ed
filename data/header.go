package data

import (
	"iter"

	"warren/game"
)

// Header is a record without its decisions: enough to list a game.
type Header struct {
	Game       uint64
	Generation int32
	Opening    int32 // as [Record.Opening]
	Result     game.Result
	Turns      int32
}

// rowHeader is the part of a row that a list of games needs.
type rowHeader struct {
	Game       uint64 `parquet:"game"`
	Generation int32  `parquet:"generation"`
	Opening    int32  `parquet:"opening"`
	Winner     string `parquet:"winner"`
	Reason     string `parquet:"reason"`
	Turns      int32  `parquet:"turns"`
}

// Headers yields the headers of the shard's records in ascending order of game
// number. It leaves the decisions unread, which makes it many times faster than
// [Shard.Records]. Its errors are those of Records.
func (s *Shard) Headers() iter.Seq2[Header, error] {
	return func(yield func(Header, error) bool) {
		for row, err := range Rows[rowHeader](s.File) {
			if err != nil {
				yield(Header{}, err)
				return
			}
			h := Header{Game: row.Game, Generation: row.Generation, Opening: row.Opening, Turns: row.Turns}
			err := s.guard(func() (err error) {
				h.Result, err = ParseResult(row.Winner, row.Reason)
				return err
			})
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}
