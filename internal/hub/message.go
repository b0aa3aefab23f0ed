package hub

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"warren/data"
)

// The message of a game is a heading and its record, encoded by package data, compressed together with zstd.

// heading names the format: games of another one may be played by other rules, and cannot be checked.
var heading = fmt.Sprintf("warren game %d\n", Format)

var errTooLarge = errors.New("the game is too large")

// packer packs and unpacks games. It is safe for concurrent use.
type packer struct {
	in  *zstd.Decoder
	out *zstd.Encoder
}

func newPacker() (*packer, error) {
	in, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecoderMaxWindow(maxRecord), zstd.WithDecoderConcurrency(0))
	if err != nil {
		return nil, fmt.Errorf("opening zstd: %w", err)
	}
	out, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, fmt.Errorf("opening zstd: %w", err)
	}
	return &packer{in, out}, nil
}

// pack returns the message for a game.
func (p *packer) pack(r *data.Record) ([]byte, error) {
	plain, err := r.AppendBinary([]byte(heading))
	if err != nil {
		return nil, err
	}
	packed := p.out.EncodeAll(plain, nil)
	if len(plain) > maxRecord || len(packed) > maxGame {
		return nil, fmt.Errorf("packing game %d: %w: it has %d bytes", r.Game, errTooLarge, len(packed))
	}
	return packed, nil
}

// unpack returns the game in a message. The game has an ID but has not been validated. The error wraps
// [data.ErrFormat] if it is of another version.
func (p *packer) unpack(message []byte) (*data.Record, error) {
	if len(message) > maxGame {
		return nil, errTooLarge
	}
	plain, err := p.in.DecodeAll(message, nil)
	if err != nil {
		return nil, fmt.Errorf("unpacking a game: %w", err)
	}
	record, ok := bytes.CutPrefix(plain, []byte(heading))
	if !ok && bytes.HasPrefix(plain, []byte("warren ")) {
		return nil, fmt.Errorf("unpacking a game: %w", data.ErrFormat)
	}
	r := &data.Record{}
	if err := r.UnmarshalBinary(record); err != nil {
		return nil, err
	}
	return r, nil
}
