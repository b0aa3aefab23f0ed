package game

import "context"

// Perft counts the sequences of depth legal actions from g, through the ends
// of turns, of the setup and of the game: a sequence that ends the game early
// is not counted. A step, a placement and Pass are one action each. Counting
// them is the usual check of a program's rules against another's.
//
// Perft leaves g as it was. It stops early with ctx's error if ctx is done.
func Perft(ctx context.Context, g *Game, depth int) (uint64, error) {
	if depth <= 0 {
		return 1, nil
	}
	var buf [MaxLegal]Action
	legal := g.Legal(buf[:0])
	if depth == 1 {
		return uint64(len(legal)), nil
	}
	// Looking at ctx at each of the lower nodes would cost more than they do.
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
