package train

import (
	"fmt"
	"io"
	"math"
	"math/bits"

	"warren/data/replay"
	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/net"
)

// Forecast says how well chances to win predict the winner, by the log loss: the mean of -ln of the
// chance that was given to the winner, in nats. Even chances have a loss of ln 2, 0.693. NaN is the
// mean of nothing.
type Forecast struct {
	By     string     // what the chances are from: "pieces", "search", or the network after a number of steps
	All    float64    // over all positions
	Scaled float64    // the same after multiplying the logits by the best factor, so that wrong confidence costs nothing
	Before [4]float64 // over the positions at most 12, 40, 100 and more actions before the end
}

// beforeEnd holds the upper bounds of the ranges of Forecast.Before, except the last.
var beforeEnd = [3]int{12, 40, 100}

// WriteForecasts writes a table of forecasts.
func WriteForecasts(w io.Writer, list []Forecast) {
	fmt.Fprintf(w, "%-14s%9s%9s%9s%9s%9s%9s\n", "by", "all", "scaled", "last 12", "13-40", "41-100", "earlier")
	for _, f := range list {
		fmt.Fprintf(w, "%-14s", f.By)
		for _, loss := range f.losses() {
			if math.IsNaN(loss) {
				fmt.Fprintf(w, "%9s", "-")
			} else {
				fmt.Fprintf(w, "%9.4f", loss)
			}
		}
		fmt.Fprintln(w)
	}
}

// losses returns the numbers of a forecast, in the order of the fields.
func (f *Forecast) losses() []float64 { return append([]float64{f.All, f.Scaled}, f.Before[:]...) }

// outcomes holds positions of games that were decided on the board, without the setups.
type outcomes struct {
	games  []*game.Game
	pieces [][]float64
	root   []float64
	won    []float64 // 1 if the side to move won the game, else 0
	left   []int     // actions to the end
	count  int       // of the games
}

// newOutcomes takes about limit positions from a window, spread evenly over it.
func newOutcomes(w *replay.Window, limit int) *outcomes {
	f := &outcomes{}
	stride := max(1, w.Positions()/limit)
	i, last := 0, (*game.Game)(nil)
	for p := range w.All() {
		if i++; i%stride != 0 || p.Game.InSetup() || !p.Result.Reason.OnBoard() {
			continue
		}
		if p.Game != last { // games of two runs may have the same number
			last = p.Game
			f.count++
		}
		won := 0.0
		if p.Result.Winner == p.Game.Side() {
			won = 1
		}
		f.games = append(f.games, p.Game.Clone())
		f.pieces = append(f.pieces, pieces(p.Game))
		f.root, f.won, f.left = append(f.root, float64(p.Root)), append(f.won, won), append(f.left, p.Left)
	}
	return f
}

// pieces returns what a count of pieces knows about a position, from the side to move: the differences in
// pieces of each kind and in the advancement of rabbits, of all together and of the first one, in ranks. The
// last number is 1.
func pieces(g *game.Game) []float64 {
	x := make([]float64, 0, game.Elephant+4)
	b, side := g.Board(), g.Side()
	for k := game.Rabbit; k <= game.Elephant; k++ {
		x = append(x, float64(bits.OnesCount64(b.Pieces(side, k))-bits.OnesCount64(b.Pieces(side.Other(), k))))
	}
	sum, first := advancement(b, side)
	otherSum, otherFirst := advancement(b, side.Other())
	return append(x, sum-otherSum, first-otherFirst, 1)
}

// advancement returns the ranks that the rabbits of a side have advanced from their first one: the sum, and
// that of the first rabbit.
func advancement(b *game.Board, side game.Color) (sum, first float64) {
	for left := b.Pieces(side, game.Rabbit); left != 0; left &= left - 1 {
		rank := bits.TrailingZeros64(left) / 8
		if side == game.Silver {
			rank = 7 - rank
		}
		sum += float64(rank)
		first = max(first, float64(rank))
	}
	return sum, first
}

// regression fits a logistic regression of who won to the numbers of pieces.
func (f *outcomes) regression() []float64 { return logistic(f.pieces, f.won) }

// byPieces forecasts with the weights of a regression that has been fitted to other games.
func (f *outcomes) byPieces(w []float64) Forecast {
	chances := make([]float64, len(f.pieces))
	for i, x := range f.pieces {
		chances[i] = chance(w, x)
	}
	return f.score("pieces", chances)
}

// bySearch forecasts with the recorded root values.
func (f *outcomes) bySearch() Forecast { return f.score("search", f.root) }

// byNetwork forecasts with the values of a network.
func (f *outcomes) byNetwork(n *net.Network, on, name string) (result Forecast, err error) {
	const size = 64
	backend, err := device.Open(n, on)
	if err != nil {
		return result, err
	}
	stream, err := backend.Open(size)
	if err != nil {
		return result, err
	}
	defer stream.Close()
	chances := make([]float64, 0, len(f.games))
	var batch eval.Batch
	for i := 0; i < len(f.games); i += size {
		batch.Reset()
		for _, g := range f.games[i:min(i+size, len(f.games))] {
			batch.Add(g, g.Legal(nil))
		}
		if err := eval.Evaluate(stream, &batch); err != nil {
			return result, fmt.Errorf("evaluating held-out positions: %w", err)
		}
		for k := range batch.Len() {
			chances = append(chances, float64(batch.Value(k)))
		}
	}
	return f.score(name, chances), nil
}

// score compares the chances to win of the side to move with who won.
func (f *outcomes) score(by string, chances []float64) Forecast {
	result := Forecast{By: by}
	var all, scaled mean
	var before [len(result.Before)]mean
	logits := make([][]float64, len(chances))
	for i, p := range chances {
		logits[i] = []float64{logit(p)}
	}
	factor := logistic(logits, f.won)
	for i, p := range chances {
		loss := f.loss(i, p)
		all.add(loss)
		scaled.add(f.loss(i, chance(factor, logits[i])))
		k := 0
		for k < len(beforeEnd) && f.left[i] > beforeEnd[k] {
			k++
		}
		before[k].add(loss)
	}
	result.All, result.Scaled = all.value(), scaled.value()
	for k := range before {
		result.Before[k] = before[k].value()
	}
	return result
}

// surest is the highest chance, and 1-surest the lowest, with which a loss is computed. Otherwise a
// search that has proved the wrong thing would have an infinite loss.
const surest = 0.998

func bounded(p float64) float64 { return min(max(p, 1-surest), surest) }

func logit(p float64) float64 { return math.Log(bounded(p) / (1 - bounded(p))) }

// loss returns the log loss of a chance in position i.
func (f *outcomes) loss(i int, p float64) float64 {
	if f.won[i] == 0 {
		p = 1 - p
	}
	return -math.Log(bounded(p))
}

// mean is a running mean.
type mean struct {
	sum   float64
	count int
}

func (m *mean) add(v float64) {
	m.sum += v
	m.count++
}

func (m *mean) value() float64 { return m.sum / float64(m.count) }
