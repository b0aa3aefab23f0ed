package game

// Color is a player, Gold or Silver. Gold sets up and moves first.
type Color uint8

const (
	Gold Color = iota
	Silver
)

// Other returns the opponent.
func (c Color) Other() Color { return c ^ 1 }

// String returns "gold" or "silver".
func (c Color) String() string {
	if c == Gold {
		return "gold"
	}
	return "silver"
}

// Kind is the kind of a piece, in order of strength: Rabbit (0) to Elephant (5).
type Kind uint8

const (
	Rabbit Kind = iota
	Cat
	Dog
	Horse
	Camel
	Elephant

	NumKinds = 6
)

// SetupCount returns the number of pieces of kind k that each side begins with.
func SetupCount(k Kind) int { return int([NumKinds]uint8{8, 2, 2, 2, 1, 1}[k]) }

// Square is a square of the board: a1 = 0, b1 = 1, ..., h1 = 7, a2 = 8, ...,
// h8 = 63. Its bit in a bitboard is 1<<Square.
type Square uint8

// File returns the file, 0 for a to 7 for h.
func (s Square) File() int { return int(s & 7) }

// Rank returns the rank, 0 for Gold's home rank (rank 1) to 7 for Silver's (rank 8).
func (s Square) Rank() int { return int(s >> 3) }

// String returns the square's name, "a1" to "h8".
func (s Square) String() string { return string([]byte{'a' + byte(s&7), '1' + byte(s>>3)}) }

// Direction is the direction of a step. It is the same for both players: north
// is towards rank 8.
type Direction uint8

const (
	North Direction = iota
	East
	South
	West
)

// offset is the number that a step in each direction adds to a square.
var offset = [4]int8{North: 8, East: 1, South: -8, West: -1}

const (
	fileA uint64 = 0x0101010101010101
	fileH uint64 = fileA << 7
	rank1 uint64 = 0xff
	rank8 uint64 = rank1 << 56
)

// Traps is the bitboard of the four trap squares c3, f3, c6 and f6.
const Traps uint64 = 1<<18 | 1<<21 | 1<<42 | 1<<45

// GoalRank returns the squares on which c's rabbits win.
func GoalRank(c Color) uint64 {
	if c == Gold {
		return rank8
	}
	return rank1
}

// Neighbors returns the squares next to any square of b.
func Neighbors(b uint64) uint64 {
	return b<<8 | b>>8 | (b&^fileH)<<1 | (b&^fileA)>>1
}

// RabbitSteps returns the squares that rabbits of c on b step to by themselves,
// if they are free: those ahead of them and beside them.
func RabbitSteps(b uint64, c Color) uint64 {
	beside := (b&^fileH)<<1 | (b&^fileA)>>1
	if c == Gold {
		return b<<8 | beside
	}
	return b>>8 | beside
}

// movable returns the squares of b whose neighbour in direction d lies in into.
func movable(b, into uint64, d Direction) uint64 {
	switch d {
	case North:
		return b & (into >> 8)
	case East:
		return b & (into >> 1) &^ fileH
	case South:
		return b & (into << 8)
	default:
		return b & (into << 1) &^ fileA
	}
}
