package experiment

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"warren/internal/arena/rating"
	"warren/internal/settings"
)

// Effect is what a change is worth in Elo, whatever the other changes: its main effect, by least
// squares over the networks of all variants (Box, Hunter and Hunter, Statistics for Experimenters).
type Effect struct {
	Settings    []settings.Change `json:"settings"` // that change together
	With        int               `json:"with"`     // networks that were measured
	Without     int               `json:"without"`
	Elo         Estimate          `json:"elo"`          // by all games
	ByReference *Estimate         `json:"by_reference"` // by the games against the reference players alone; nil without them
	// Degrees is the number of degrees of freedom of the intervals: the number of networks, less
	// one for every change and one for the mean. With 0 there is no interval.
	Degrees          int `json:"degrees"`
	ReferenceDegrees int `json:"reference_degrees"`
}

// factor is a change that some variants have and others do not.
type factor struct {
	settings []settings.Change
	variants []string // that have it
}

// factors returns the changes that were made independently. Settings that differ from the first
// variant in the same variants are one change. There are no factors unless some variant has two
// changes, and none if a setting has more than two values.
func factors(variants []Settings) (all []factor) {
	type use struct {
		setting  settings.Change
		variants []string
	}
	var uses []*use
	byKey := map[string]*use{}
	for _, v := range variants {
		for _, d := range v.Differences {
			u := byKey[d.Key]
			if u == nil {
				u = &use{setting: d}
				byKey[d.Key] = u
				uses = append(uses, u)
			}
			if u.setting != d {
				return nil
			}
			u.variants = append(u.variants, v.Variant)
		}
	}
	for _, u := range uses {
		i := slices.IndexFunc(all, func(f factor) bool { return slices.Equal(f.variants, u.variants) })
		if i < 0 {
			all = append(all, factor{variants: u.variants})
			i = len(all) - 1
		}
		all[i].settings = append(all[i].settings, u.setting)
	}
	changes := map[string]int{}
	crossed := false
	for _, f := range all {
		for _, name := range f.variants {
			changes[name]++
			crossed = crossed || changes[name] > 1
		}
	}
	if !crossed {
		return nil
	}
	return all
}

// network is a network's variant and its rating.
type network struct {
	variant string
	elo     float64
}

// estimateEffects fills in Effects from the ratings of the networks.
func (t *CrossTable) estimateEffects(changes []factor) {
	var everyone, byReference []network
	for _, c := range t.Contestants {
		if c.Reference {
			continue
		}
		for _, elo := range c.Elos {
			everyone = append(everyone, network{c.Name, elo})
		}
	}
	for _, g := range t.ByReference {
		for _, elo := range g.Elos {
			byReference = append(byReference, network{g.Variant, elo})
		}
	}
	effects, degrees, ok := mainEffects(changes, everyone)
	if !ok {
		return
	}
	references, referenceDegrees, measured := mainEffects(changes, byReference)
	for i, f := range changes {
		e := Effect{Settings: f.settings, Elo: effects[i], Degrees: degrees}
		for _, n := range everyone {
			if slices.Contains(f.variants, n.variant) {
				e.With++
			} else {
				e.Without++
			}
		}
		if measured {
			e.ByReference, e.ReferenceDegrees = &references[i], referenceDegrees
		}
		t.Effects = append(t.Effects, e)
	}
}

// mainEffects fits ratings by a mean and one term for every change, by least squares. The variance
// of a term comes from the residuals; its interval is Student's, with the degrees of freedom that
// are left. It reports false while the networks do not tell the changes apart.
func mainEffects(changes []factor, networks []network) (effects []Estimate, degrees int, ok bool) {
	rows, columns := len(networks), len(changes)+1
	if degrees = rows - columns; degrees < 0 || len(changes) == 0 {
		return nil, 0, false
	}
	x, y := mat.NewDense(rows, columns, nil), mat.NewVecDense(rows, nil)
	for i, n := range networks {
		y.SetVec(i, n.elo)
		x.Set(i, 0, 1)
		for j, f := range changes {
			if slices.Contains(f.variants, n.variant) {
				x.Set(i, j+1, 1)
			}
		}
	}
	var squares mat.SymDense
	squares.SymOuterK(1, x.T())
	var factored mat.Cholesky
	if !factored.Factorize(&squares) || factored.Cond() > 1e8 {
		return nil, 0, false
	}
	var products, terms, fitted, residuals mat.VecDense
	products.MulVec(x.T(), y)
	var inverse mat.SymDense
	if factored.SolveVecTo(&terms, &products) != nil || factored.InverseTo(&inverse) != nil {
		return nil, 0, false
	}
	fitted.MulVec(x, &terms)
	residuals.SubVec(y, &fitted)
	for j := 1; j < columns; j++ {
		half := 0.0
		if degrees > 0 {
			variance := mat.Dot(&residuals, &residuals) / float64(degrees)
			half = quantile(degrees) * math.Sqrt(variance*inverse.At(j, j))
		}
		mean := terms.AtVec(j)
		effects = append(effects, Estimate{mean, mean - half, mean + half})
	}
	return effects, degrees, true
}

// writeEffects writes what each change is worth, if several were tried at once.
func (t *CrossTable) writeEffects(p *page) {
	if len(t.Effects) == 0 {
		return
	}
	p.line("\nWhat each change is worth in Elo, whatever the other changes: least squares over all networks. The intervals are Student's,")
	p.line("from what the changes leave unexplained; if no networks are left over for that, there are none.\n")
	p.row("change", "with", "without", "by all games", "interval", "by references", "interval")
	p.rule(7)
	for _, e := range t.Effects {
		byReference, interval := "", ""
		if r := e.ByReference; r != nil {
			byReference, interval = rating.Format(r.Mean), r.interval(e.ReferenceDegrees > 0)
		}
		p.row(describe(e.Settings), fmt.Sprint(e.With), fmt.Sprint(e.Without), rating.Format(e.Elo.Mean), e.Elo.interval(e.Degrees > 0), byReference, interval)
	}
}
