package experiment

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"warren/internal/arena"
)

// Estimate is a number with its 95% interval.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// quantile returns the 97.5% quantile of Student's t distribution.
func quantile(degrees int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile(0.975)
}

// overSeeds returns the mean of one value per seed, with Student's interval (1908).
// It reports false if there are fewer than two values; then Low and High are the
// mean.
func overSeeds(values []float64) (Estimate, bool) {
	mean := stat.Mean(values, nil)
	if len(values) < 2 {
		return Estimate{mean, mean, mean}, false
	}
	half := quantile(len(values)-1) * math.Sqrt(stat.Variance(values, nil)/float64(len(values)))
	return Estimate{mean, mean - half, mean + half}, true
}

// Rate is a win rate between two contestants, each with one network a seed, or
// with one player alone.
type Rate struct {
	Estimate
	Wins  int `json:"wins"`
	Games int `json:"games"`
	// Seeds is whether the interval includes the luck between seeds. If not, it is the interval of
	// the games alone.
	Seeds bool `json:"over_seeds"`
}

// count is the games of two players.
type count struct{ wins, games int }

// crossed returns the win rate of one contestant against another from the games of
// their networks: counts[i][j] has those of the first's seed i against the second's
// seed j.
//
// The seeds are the samples; the networks are crossed. The variance of the mean is
// that of a U-statistic of two samples (Hoeffding 1948; DeLong et al. 1988): the
// variance of the rows' means over the number of rows, plus that of the columns'
// means over their number. Networks that meet in pairs, as at a milestone, are one
// sample, that of the pairs. The quantile is Student's, with one degree of freedom
// less than the smaller number of seeds above one. A few seeds may agree by chance,
// so the interval is at least Wilson's of all games together (1927).
func crossed(counts [][]count) Rate {
	var r Rate
	var rows []float64
	cells := 0
	columns := make([][]float64, len(counts[0]))
	for _, line := range counts {
		var row []float64
		for j, c := range line {
			if c.games == 0 {
				continue
			}
			r.Wins += c.wins
			r.Games += c.games
			cells++
			rate := float64(c.wins) / float64(c.games)
			row = append(row, rate)
			columns[j] = append(columns[j], rate)
		}
		if len(row) > 0 {
			rows = append(rows, stat.Mean(row, nil))
		}
	}
	if r.Games == 0 {
		return Rate{Estimate: Estimate{0.5, 0, 1}}
	}
	var means []float64
	for _, column := range columns {
		if len(column) > 0 {
			means = append(means, stat.Mean(column, nil))
		}
	}
	r.Mean = stat.Mean(rows, nil)
	pooled := arena.Tally{Wins: r.Wins, Losses: r.Games - r.Wins}
	r.Low, r.High = pooled.Interval()
	samples := [][]float64{rows, means}
	if cells == len(rows) && cells == len(means) {
		samples = samples[:1]
	}
	variance, degrees := 0.0, 0
	for _, sample := range samples {
		if n := len(sample); n > 1 {
			variance += stat.Variance(sample, nil) / float64(n)
			if degrees == 0 || n-1 < degrees {
				degrees = n - 1
			}
		}
	}
	if degrees > 0 {
		half := quantile(degrees) * math.Sqrt(variance)
		r.Low, r.High, r.Seeds = max(0, min(r.Low, r.Mean-half)), min(1, max(r.High, r.Mean+half)), true
	}
	return r
}

// beats reports whether the whole interval is above one half.
func (r Rate) beats() bool { return r.Games > 0 && r.Low > 0.5 }
