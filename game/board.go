package game

import "math/bits"

// Board holds the pieces on the 64 squares. Boards can be compared with ==. The
// zero value is the empty board.
//
// The code of a piece is its kind plus one, from 1 (rabbit) to 6 (elephant); the
// code of an empty square is 0. Bitboard code[i] holds bit i of the code of every
// square. Moving a piece, or finding all pieces stronger than some kind, then
// takes a few bit operations and no branch.
type Board struct {
	code   [3]uint64
	silver uint64
}

// Occupied returns the squares that hold a piece.
func (b *Board) Occupied() uint64 { return b.code[0] | b.code[1] | b.code[2] }

// Color returns the squares of c's pieces.
func (b *Board) Color(c Color) uint64 {
	if c == Silver {
		return b.silver
	}
	return b.Occupied() &^ b.silver
}

// Pieces returns the squares of c's pieces of kind k.
func (b *Board) Pieces(c Color, k Kind) uint64 {
	s := b.Color(c)
	for i, plane := range b.code {
		if (k+1)>>i&1 == 0 {
			plane = ^plane
		}
		s &= plane
	}
	return s
}

// At returns the piece on s; ok is false if the square is empty.
func (b *Board) At(s Square) (c Color, k Kind, ok bool) {
	code := b.codeAt(s)
	if code == 0 {
		return 0, 0, false
	}
	return Color(b.silver >> s & 1), Kind(code - 1), true
}

// Put places a piece on s. It replaces the piece that is there, if any.
func (b *Board) Put(s Square, c Color, k Kind) {
	b.Remove(s)
	for i := range b.code {
		b.code[i] |= uint64((k+1)>>i&1) << s
	}
	b.silver |= uint64(c) << s
}

// Remove empties s.
func (b *Board) Remove(s Square) {
	keep := ^(uint64(1) << s)
	b.code[0] &= keep
	b.code[1] &= keep
	b.code[2] &= keep
	b.silver &= keep
}

// Frozen returns the squares of c's frozen pieces: those that are next to a
// stronger enemy piece and not next to a friendly piece. A frozen piece cannot
// step by itself.
func (b *Board) Frozen(c Color) uint64 {
	own := b.Color(c)
	return b.frozen(own, b.Occupied()&^own)
}

// Mirror returns the board with the files reversed.
func (b *Board) Mirror() Board {
	mirror := func(x uint64) uint64 { return bits.ReverseBytes64(bits.Reverse64(x)) }
	return Board{[3]uint64{mirror(b.code[0]), mirror(b.code[1]), mirror(b.code[2])}, mirror(b.silver)}
}

// Flip returns the board with the ranks reversed and the colours exchanged: the
// same position seen from the other player's side.
func (b *Board) Flip() Board {
	flip := bits.ReverseBytes64
	return Board{[3]uint64{flip(b.code[0]), flip(b.code[1]), flip(b.code[2])}, flip(b.Color(Gold))}
}

func (b *Board) codeAt(s Square) uint8 {
	return uint8(b.code[0]>>s&1 | b.code[1]>>s&1<<1 | b.code[2]>>s&1<<2)
}

func (b *Board) rabbits() uint64 { return b.code[0] &^ (b.code[1] | b.code[2]) }

// differs returns the squares on which b and o hold different pieces.
func (b *Board) differs(o *Board) uint64 {
	return (b.code[0] ^ o.code[0]) | (b.code[1] ^ o.code[1]) | (b.code[2] ^ o.code[2]) | (b.silver ^ o.silver)
}

// stronger returns the pieces of set by strength: s[k] holds the pieces that are
// strictly stronger than kind k. No piece is stronger than an elephant.
func (b *Board) stronger(set uint64) (s [NumKinds - 1]uint64) {
	c0, c1, c2 := b.code[0]&set, b.code[1]&set, b.code[2]&set
	s[Rabbit] = c1 | c2
	s[Cat] = c2 | c1&c0
	s[Dog] = c2
	s[Horse] = c2 & (c1 | c0)
	s[Camel] = c2 & c1
	return s
}

// nextToStronger returns the pieces of weak next to a stronger piece of strong.
func (b *Board) nextToStronger(weak, strong uint64) uint64 {
	s := b.stronger(strong)
	c0, c1, c2 := b.code[0], b.code[1], b.code[2]
	return weak & (c0&^c1&^c2&Neighbors(s[Rabbit]) | c1&^c0&^c2&Neighbors(s[Cat]) | c1&c0&Neighbors(s[Dog]) |
		c2&^c0&^c1&Neighbors(s[Horse]) | c2&c0&Neighbors(s[Camel]))
}

func (b *Board) frozen(own, enemy uint64) uint64 {
	return b.nextToStronger(own&^Neighbors(own), enemy)
}

// weaker returns the pieces of set whose code is less than code.
func (b *Board) weaker(set uint64, code uint8) uint64 {
	if code >= 2 {
		return set & b.Occupied() &^ b.atLeast(set, code)
	}
	return 0
}

// atLeast returns the pieces of set whose code is at least code, which is 2 to 7.
func (b *Board) atLeast(set uint64, code uint8) uint64 {
	if code > uint8(Elephant)+1 {
		return 0
	}
	return b.stronger(set)[code-2]
}

// move moves the piece on from to the empty square to.
func (b *Board) move(from, to Square) {
	b.code[0] = moved(b.code[0], from, to)
	b.code[1] = moved(b.code[1], from, to)
	b.code[2] = moved(b.code[2], from, to)
	b.silver = moved(b.silver, from, to)
}

func moved(plane uint64, from, to Square) uint64 {
	bit := plane >> (from & 63) & 1
	return plane ^ (bit<<(from&63) | bit<<(to&63))
}

// trapped returns the pieces on traps that have no friendly piece next to them.
func (b *Board) trapped() uint64 {
	occupied := b.Occupied()
	on := occupied & trapMask
	if on == 0 {
		return 0
	}
	gold := occupied &^ b.silver
	return on & (gold&^Neighbors(gold) | b.silver&^Neighbors(b.silver))
}
