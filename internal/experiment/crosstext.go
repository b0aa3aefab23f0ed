package experiment

import (
	"fmt"

	"warren/internal/arena/rating"
	"warren/internal/plural"
)

// write writes the table as Markdown.
func (t *CrossTable) write(p *page) {
	if t.At == 1 {
		p.line("\n## At the end\n")
	} else {
		p.line("\n## At %s of the budget\n", percent(t.At))
	}
	if t.Games == 0 {
		p.line("No game has been played yet.")
		return
	}
	seeds, sample := "in all combinations of seeds", "seeds (two-sample U-statistic)"
	if t.At != 1 {
		seeds, sample = "each against those with the same seed", "seeds"
	}
	p.line("Win rates in %%, row against column, after %s; networks of two variants meet %s. In brackets is the 95%% interval:", plural.Of(t.Games, "game"), seeds)
	p.line("Student's over %s, or Wilson's over games where that is wider. A star means that there is only one", sample)
	p.line("seed of one of them, so the interval does not say what luck of that seed is in it.\n")
	t.writeRates(p)
	t.writeRatings(p)
	t.writeByReference(p)
	t.writeEffects(p)
	t.writeCycles(p)
}

func (t *CrossTable) writeRates(p *page) {
	heading := []string{""}
	for _, c := range t.Contestants {
		heading = append(heading, c.Name)
	}
	p.row(heading...)
	p.rule(len(heading))
	for i, c := range t.Contestants {
		cells := []string{c.Name}
		for j, other := range t.Contestants {
			cells = append(cells, t.Rates[i][j].cell(c.Reference && other.Reference))
		}
		p.row(cells...)
	}
}

// cell formats a win rate. Fixed players have no seeds, and so no star.
func (r Rate) cell(fixed bool) string {
	if r.Games == 0 {
		return ""
	}
	star := "*"
	if r.Seeds || fixed {
		star = ""
	}
	return fmt.Sprintf("%.0f [%.0f-%.0f]%s", 100*r.Mean, 100*r.Low, 100*r.High, star)
}

func (t *CrossTable) writeRatings(p *page) {
	zero := "all players"
	for _, c := range t.Contestants {
		if c.Reference {
			zero = "the reference players"
		}
	}
	p.line("\nElo, where the mean of %s is 0. Every network is rated by itself; the interval is Student's over seeds.\n", zero)
	p.row("", "Elo", "interval", "weakest seed", "best seed")
	p.rule(5)
	for _, c := range t.Contestants {
		weakest, best := "", ""
		if !c.Reference {
			weakest, best = rating.Format(c.Weakest), rating.Format(c.Best)
		}
		p.row(c.Name, rating.Format(c.Elo.Mean), c.Elo.interval(c.Seeds), weakest, best)
	}
}

// writeByReference writes what the reference players alone says of two variants or more.
func (t *CrossTable) writeByReference(p *page) {
	if len(t.ByReference) < 2 {
		return
	}
	first := t.ByReference[0].Variant
	p.line("\nElo by the games against the reference players alone, and how much that is above %s with the same seed. Networks that come from one another", first)
	p.line("may learn to beat each other and nobody else: believe a gain that shows here. The intervals are Student's over seeds.\n")
	p.row("", "games", "Elo", "interval", "above "+first, "interval")
	p.rule(6)
	for i, g := range t.ByReference {
		gain := ""
		if i > 0 && g.Pairs > 0 {
			gain = rating.Format(g.Gain.Mean)
		}
		p.row(g.Variant, fmt.Sprint(g.Games), rating.Format(g.Elo.Mean), g.Elo.interval(g.Seeds), gain, g.Gain.interval(i > 0 && g.Pairs > 1))
	}
}

// interval formats an interval in Elo, and one that is not known as "".
func (e Estimate) interval(known bool) string {
	if !known {
		return ""
	}
	return rating.Format(e.Low) + " to " + rating.Format(e.High)
}

func (t *CrossTable) writeCycles(p *page) {
	if len(t.Cycles) > 0 {
		p.line("\n**Rock-paper-scissors.** One rating hides that these beat each other in a circle, each by a whole interval above 50%%:\n")
		for _, c := range t.Cycles {
			p.line("- %s beats %s, who beats %s, who beats %s", c[0], c[1], c[2], c[0])
		}
	} else {
		p.line("\nThere is no circle of three who beat each other by whole intervals above 50%%.")
	}
	if len(t.Misfits) > 0 {
		references := map[string]bool{}
		for _, c := range t.Contestants {
			references[c.Name] = c.Reference
		}
		p.line("\n**Pairings that the ratings do not predict** (the predicted rate is outside the interval):\n")
		for _, m := range t.Misfits {
			p.line("- %s against %s: %s, predicted %.0f", m.Player, m.Opponent, m.Rate.cell(references[m.Player] && references[m.Opponent]), 100*m.Predicted)
		}
	}
}
