package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"warren/game"
)

// Hash is the SHA-256 of a record's canonical encoding: the record's identity.
type Hash [sha256.Size]byte

// String returns the hash as 64 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Hash returns the identity of the record: equal for equal records, in every process and on
// every machine.
func (r *Record) Hash() Hash {
	b, _ := r.AppendBinary(nil)
	return sha256.Sum256(b)
}

// encodingVersion begins every canonical encoding; it changes whenever what follows it does.
const encodingVersion = "warren record 1\n"

// AppendBinary appends the record's canonical encoding to b. There is exactly one for each
// record, and it never fails.
//
// It is [encodingVersion] and then the fields in their order in [Record]: texts as length and
// bytes; Game and Seed as 8 bytes, little endian; other integers as unsigned varints
// ([encoding/binary]); the number of decisions, and of each the action and its search; the
// winner and the reason as a byte each, and the turns. A search is a byte (1 if full), the
// value's 4 bytes as IEEE 754, little endian, the number of visited actions, and of each the
// difference to the action before (modulo 65536, the first to 0) and the count.
func (r *Record) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, encodingVersion...)
	b = appendText(b, r.Run)
	b = binary.LittleEndian.AppendUint64(b, r.Game)
	b = binary.LittleEndian.AppendUint64(b, r.Seed)
	b = appendText(b, r.Network)
	b = binary.AppendUvarint(b, uint64(uint32(r.Generation)))
	b = appendText(b, r.Settings)
	b = binary.AppendUvarint(b, uint64(len(r.Decisions)))
	for i := range r.Decisions {
		d := &r.Decisions[i]
		b = binary.AppendUvarint(b, uint64(d.Action))
		b = appendSearch(b, d)
	}
	b = append(b, byte(r.Result.Winner), byte(r.Result.Reason))
	return binary.AppendUvarint(b, uint64(uint32(r.Turns))), nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendSearch appends all of d but its action. The window keeps searches in this form too.
func appendSearch(b []byte, d *Decision) []byte {
	var full byte
	if d.Full {
		full = 1
	}
	b = append(b, full)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(d.Value))
	b = binary.AppendUvarint(b, uint64(len(d.Visits)))
	var last game.Action
	for _, v := range d.Visits {
		// Ascending actions make small differences: nearly always one byte.
		b = binary.AppendUvarint(b, uint64(v.Action-last))
		b = binary.AppendUvarint(b, uint64(v.Count))
		last = v.Action
	}
	return b
}

// decodeSearch sets d to the search that b, made by appendSearch, begins with; d.Action stays,
// and d.Visits is reused.
func decodeSearch(b []byte, d *Decision) {
	d.Full = b[0] == 1
	d.Value = math.Float32frombits(binary.LittleEndian.Uint32(b[1:]))
	n, size := binary.Uvarint(b[5:])
	b = b[5+size:]
	d.Visits = d.Visits[:0]
	var a game.Action
	for range n {
		step, size := binary.Uvarint(b)
		count, size2 := binary.Uvarint(b[size:])
		b = b[size+size2:]
		a += game.Action(step)
		d.Visits = append(d.Visits, Visit{a, uint32(count)})
	}
}
