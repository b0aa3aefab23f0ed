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
	code := uint64(k) + 1
	return b.Color(c) &^ ((b.code[0] ^ -(code & 1)) | (b.code[1] ^ -(code >> 1 & 1)) | (b.code[2] ^ -(code >> 2 & 1)))
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

// Differs returns the squares on which b and o hold different pieces.
func (b *Board) Differs(o *Board) uint64 {
	return (b.code[0] ^ o.code[0]) | (b.code[1] ^ o.code[1]) | (b.code[2] ^ o.code[2]) | (b.silver ^ o.silver)
}

// nextToStronger returns the pieces of weak next to a stronger piece of strong.
func (b *Board) nextToStronger(weak, strong uint64) (pieces uint64) {
	if weak &= Neighbors(strong); weak == 0 {
		return 0
	}
	s0, s1, s2 := b.code[0]&strong, b.code[1]&strong, b.code[2]&strong
	pieces = b.exceeded(s0<<8, s1<<8, s2<<8) | b.exceeded(s0>>8, s1>>8, s2>>8)
	pieces |= b.exceeded(s0&^fileH<<1, s1&^fileH<<1, s2&^fileH<<1)
	pieces |= b.exceeded(s0&^fileA>>1, s1&^fileA>>1, s2&^fileA>>1)
	return weak & pieces
}

// exceeded returns the squares whose code is less than that in the given bitboards: those
// where the subtraction, bit by bit, leaves a borrow.
func (b *Board) exceeded(s0, s1, s2 uint64) (borrow uint64) {
	borrow = s0 &^ b.code[0]
	borrow = s1&^b.code[1] | borrow&^(b.code[1]&^s1)
	return s2&^b.code[2] | borrow&^(b.code[2]&^s2)
}

func (b *Board) frozen(own, enemy uint64) uint64 {
	return b.nextToStronger(own&^Neighbors(own), enemy)
}

// Stronger returns the pieces of both players that are stronger than kind k.
func (b *Board) Stronger(k Kind) uint64 { return b.Occupied() &^ b.below(uint8(k)+2) }

// besideWeaker reports whether a piece of c whose code is less than code is beside s.
func (b *Board) besideWeaker(s Square, c Color, code uint8) bool {
	beside := b.Color(c) & Neighbors(1<<(s&63))
	return beside != 0 && beside&b.below(code) != 0
}

// below returns the squares whose code is less than code.
func (b *Board) below(code uint8) uint64 {
	c := uint64(code)
	return b.exceeded(-(c & 1), -(c >> 1 & 1), -(c >> 2 & 1))
}

// move moves the piece on from, with the given index in pieceKeys, to the empty square to.
func (b *Board) move(piece uint8, from, to Square) {
	p, squares := uint64(piece), uint64(1)<<(from&63)|uint64(1)<<(to&63)
	b.code[0] ^= squares & -(p & 1)
	b.code[1] ^= squares & -(p >> 1 & 1)
	b.code[2] ^= squares & -(p >> 2 & 1)
	b.silver ^= squares & -(p >> 3)
}

// trapped returns the pieces on traps that have no friendly piece next to them.
func (b *Board) trapped() uint64 {
	occupied := b.Occupied()
	on := occupied & Traps
	if on == 0 {
		return 0
	}
	gold := occupied &^ b.silver
	return on & (gold&^Neighbors(gold) | b.silver&^Neighbors(b.silver))
}
