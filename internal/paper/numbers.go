package paper

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// numbers writes a macro for each number of the text: those of docs/paper/data/facts.tsv, and those that follow from
// the runs and the games.
func numbers(r *rated, files map[string][]byte) error {
	values := map[string]string{}
	facts, err := readTable(r.sources, "docs/paper/data/facts.tsv")
	if err != nil {
		return err
	}
	for i := range facts.rows {
		values[facts.cell(i, "name")] = tex(facts.cell(i, "value"))
	}
	if err := r.numbersOfRuns(values); err != nil {
		return err
	}
	for name, record := range map[string]string{
		"StageTen": "stage-10-champion", "StageTenCorrected": "stage-10-champion-2",
		"StageEleven": "stage-11-champion-2", "StageTwelve": "stage-12-champion",
	} {
		t, err := r.count("docs/climb/" + record + ".tsv")
		if err != nil {
			return err
		}
		values["Champion"+name] = fmt.Sprintf("%d of %d", t.Wins, t.Games())
		if !strings.HasPrefix(name, "StageTen") {
			values["Champion"+name+"Lost"] = fmt.Sprint(t.Losses)
		}
		if name != "StageTwelve" {
			continue
		}
		low, high := t.Interval()
		gold := t.GoldWins + t.GoldLosses
		values["ChampionStageTwelveInterval"] = fmt.Sprintf(`%.0f to %.0f\%%`, 100*low, 100*high)
		values["ChampionStageTwelveGold"] = fmt.Sprintf("%d of %d", t.GoldWins, gold)
		values["ChampionStageTwelveSilver"] = fmt.Sprintf("%d of %d", t.Wins-t.GoldWins, t.Games()-gold)
	}
	matches, err := readTable(r.sources, "docs/paper/data/champion.tsv")
	if err != nil {
		return err
	}
	games := 0
	for i := range matches.rows {
		t, err := won(matches.cell(i, "won"), matches.cell(i, "games"))
		if err != nil {
			return fmt.Errorf("%s: %w", matches.name, err)
		}
		games += t.Games()
	}
	values["ChampionGames"] = thousands(games)
	if err := r.board(values, files); err != nil {
		return fmt.Errorf("drawing a position: %w", err)
	}
	b := bytes.NewBufferString(note)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(b, "\\newcommand{\\%s}{%s}\n", name, values[name])
	}
	files[generated+"numbers.tex"] = b.Bytes()
	return nil
}

func (r *rated) numbersOfRuns(values map[string]string) error {
	values["RatedGames"], values["RatedPlayers"] = thousands(r.games()), fmt.Sprint(len(r.standings.Players))
	shift, err := r.shift()
	if err != nil {
		return err
	}
	values["LadderShift"] = fmt.Sprint(shift)
	climb, err := r.run("climb.json")
	if err != nil {
		return err
	}
	last := climb.last()
	values["ClimbPoints"] = fmt.Sprint(len(climb.Points))
	values["ClimbCoreHours"], values["ClimbCoreUsed"] = hours(last.CoreHours), hours(last.Used["core"])
	values["ClimbMinutes"], values["ClimbMinutesHundred"] = minutes(last.Used["h200"]), minutes(last.Used["h100"])
	values["ClimbDoubling"] = doubling(&climb.Points[7], last)
	values["ClimbEnergy"] = fmt.Sprintf("%.2f", last.energy)
	for _, named := range []struct{ name, file string }{{"Quick", "quick.json"}, {"QuickBefore", "quick-before.json"}} {
		run, err := r.run(named.file)
		if err != nil {
			return err
		}
		mean, half := run.overSeeds()
		values[named.name+"Elo"] = fmt.Sprintf(`$%.0f \pm %.0f$`, mean, half)
		if named.name == "Quick" {
			values["QuickCoreHours"], values["QuickEnergy"] = hours(run.last().CoreHours), fmt.Sprintf("%.2f", run.last().energy)
			values["ClimbSameCoreHours"] = hours(climb.reaches(mean))
		}
	}
	for _, named := range []struct{ name, file string }{
		{"Drawn", "quick-setups.json"}, {"Nothing", "h200.json"}, {"Second", "h200b.json"},
		{"Desktop", "desktop.json"}, {"DesktopSecond", "desktop-2.json"},
	} {
		run, err := r.run(named.file)
		if err != nil {
			return err
		}
		last := run.last()
		values[named.name+"CoreHours"], values[named.name+"Elo"] = hours(last.CoreHours), last.rating()
		switch named.name {
		case "Nothing":
			values["NothingGames"] = thousands(last.Games)
			fallthrough
		case "Second":
			values[named.name+"Minutes"] = minutes(last.Used["h200"])
		case "Desktop":
			values["DesktopSameCoreHours"] = hours(climb.reaches(last.elo))
		}
	}
	return r.watts(values)
}

// rating returns the rating of p with half of its interval, for TeX.
func (p *Point) rating() string { return fmt.Sprintf(`$%.0f \pm %.0f$`, p.elo, p.margin) }

// doubling returns the rating that a doubling of core-hours is worth between two points.
func doubling(from, to *Point) string {
	return fmt.Sprintf("%.0f", (to.elo-from.elo)/math.Log2(to.CoreHours/from.CoreHours))
}

// watts adds the powers by which energy is counted.
func (r *rated) watts(values map[string]string) error {
	core, err := readSpeeds(r.sources)
	if err != nil {
		return err
	}
	values["CoreWatts"], values["CardWatts"] = fmt.Sprint(core.watts["core"]), fmt.Sprint(core.watts["h200"])
	return nil
}

func minutes(hours float64) string { return fmt.Sprintf("%.1f", 60*hours) }

// run returns the run of a file of docs/runs.
func (r *rated) run(file string) (*Run, error) {
	i := slices.IndexFunc(r.runs, func(run *Run) bool { return run.file == file })
	if i < 0 {
		return nil, fmt.Errorf("the paper needs docs/runs/%s", file)
	}
	return r.runs[i], nil
}

func (r *Run) last() *Point { return &r.Points[len(r.Points)-1] }

// reaches returns the core-hours at which the line through the run's points first has a rating.
func (r *Run) reaches(elo float64) float64 {
	i := slices.IndexFunc(r.Points, func(p Point) bool { return p.elo >= elo })
	if i < 0 {
		return r.last().CoreHours
	}
	to := r.Points[i]
	if i == 0 {
		return to.CoreHours
	}
	from := r.Points[i-1]
	return from.CoreHours + (to.CoreHours-from.CoreHours)*(elo-from.elo)/(to.elo-from.elo)
}
