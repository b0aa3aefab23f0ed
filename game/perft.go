package game

import "context"

// Perft returns the number of sequences of depth legal actions from g. A step, a
// placement and Pass are one action each. Sequences continue across the ends of
// turns and of the setup. A sequence that ends the game before depth actions is
// not counted. Comparing such counts is the usual way to check the rules of one
// program against another.
//
// Perft leaves g unchanged. If ctx is done, it stops early and returns the error
// of ctx, unless depth is at most 3, which takes no time. If depth is 0 or negative,
// it returns 1.
func Perft(ctx context.Context, g *Game, depth int) (uint64, error) {
	if depth <= 0 {
		return 1, nil
	}
	var buf [MaxLegal]Action
	legal := g.Legal(buf[:0])
	if depth == 1 {
		return uint64(len(legal)), nil
	}
	// Checking ctx at the lowest nodes would cost more than the nodes themselves.
	if depth > 3 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	var leaves uint64
	mark := g.Mark()
	for _, a := range legal {
		g.Play(a)
		n, err := Perft(ctx, g, depth-1)
		g.Restore(mark)
		if err != nil {
			return 0, err
		}
		leaves += n
	}
	return leaves, nil
}
