package paper

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"warren/internal/arena"
)

const generated = "docs/paper/generated/"

// note is the first line of every generated file of TeX.
const note = "% Generated: go generate ./internal/paper\n"

var escaper = strings.NewReplacer(
	`\`, `\textbackslash{}`, "%", `\%`, "#", `\#`, "&", `\&`, "_", `\_`, "$", `\$`, "{", `\{`, "}", `\}`,
	"+-", `$\pm$`, " -", ` $-$`)

// tex returns text as TeX shows it. A sign before a number is a mathematical one.
func tex(text string) string {
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		return "$-$" + escaper.Replace(rest)
	}
	return escaper.Replace(text)
}

// cited returns the short name of a source: its file and the heading.
func cited(source string) string {
	file, anchor, _ := strings.Cut(source, "#")
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	return `\source{` + tex(stem) + "}{" + tex(anchor) + "}"
}

// tables writes the rows of each table of docs/paper/data as TeX: the columns in their order, the source last.
func tables(r *rated, files map[string][]byte) error {
	for _, name := range []string{"gains", "failures", "speed"} {
		t, err := readTable(r.sources, "docs/paper/data/"+name+".tsv")
		if err != nil {
			return err
		}
		b := bytes.NewBufferString(note)
		for _, row := range t.rows {
			cells := make([]string, len(row))
			for i, cell := range row {
				cells[i] = tex(cell)
			}
			last := len(cells) - 1
			cells[last] = cited(row[last])
			fmt.Fprintf(b, "%s \\\\\n", strings.Join(cells, " & "))
		}
		files[generated+name+".tex"] = b.Bytes()
	}
	return decided(r, files)
}

// decided writes the shares of games that ended on the board as points of a plot, a file for each recipe and seed.
func decided(r *rated, files map[string][]byte) error {
	t, err := readTable(r.sources, "docs/paper/data/decided.tsv")
	if err != nil {
		return err
	}
	for i := range t.rows {
		b := bytes.NewBufferString("quarter share\n")
		for q, column := range []string{"first", "second", "third", "fourth"} {
			fmt.Fprintf(b, "%d %s\n", q+1, t.cell(i, column))
		}
		files[generated+fmt.Sprintf("decided-%s-%s.dat", t.cell(i, "recipe"), t.cell(i, "seed"))] = b.Bytes()
	}
	return nil
}

// curves writes the ratings over core-hours as a plot and as the rows of a table.
func curves(r *rated, files map[string][]byte) error {
	plot, rows := bytes.NewBufferString(note), bytes.NewBufferString(note)
	for _, run := range r.runs {
		name := strings.TrimSuffix(run.file, ".json")
		fmt.Fprintf(plot, "\\addplot+[elo] table [x=hours, y=elo, y error=margin] {%s%s.dat};\n\\addlegendentry{%s}\n", "generated/", name, tex(name))
		points := bytes.NewBufferString("hours elo margin\n")
		point := func(hours, elo, margin float64) { fmt.Fprintf(points, "%.2f %.0f %.0f\n", hours, elo, margin) }
		fmt.Fprintf(rows, "\\midrule\n\\multicolumn{5}{@{}l}{\\emph{%s}} \\\\\n", tex(run.Name))
		row := func(name string, p Point, elo, margin float64) {
			fmt.Fprintf(rows, "%s & %s & %s & %.3f & %.0f $\\pm$ %.0f \\\\\n", tex(name), p.Network, hours(p.CoreHours), p.energy, elo, margin)
		}
		if run.seeds() {
			mean, half := run.overSeeds()
			point(run.last().CoreHours, mean, half)
			row(fmt.Sprintf("mean of %d", len(run.Points)), run.Points[0], mean, half)
		} else {
			for i, p := range run.Points {
				point(p.CoreHours, p.elo, p.margin)
				if !run.Short || i == len(run.Points)-1 {
					row(p.Player, p, p.elo, p.margin)
				}
			}
		}
		files[generated+name+".dat"] = points.Bytes()
	}
	for _, s := range r.fixed() {
		fmt.Fprintf(plot, "\\level{%.0f}{%s}\n", s.Elo, tex(s.Name))
	}
	files[generated+"curves.tex"], files[generated+"cost.tex"] = plot.Bytes(), rows.Bytes()
	return nil
}

// champion writes the matches against the champion. Where the games are in the repository, they are counted.
func champion(r *rated, files map[string][]byte) error {
	t, err := readTable(r.sources, "docs/paper/data/champion.tsv")
	if err != nil {
		return err
	}
	b := bytes.NewBufferString(note)
	for i := range t.rows {
		won, err := won(t.cell(i, "won"), t.cell(i, "games"))
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if record := t.cell(i, "record"); record != "" {
			counted, err := r.count(record)
			if err != nil {
				return err
			}
			if counted.Wins != won.Wins || counted.Losses != won.Losses {
				return fmt.Errorf("%s has %d of %d games won, and %s %s of %s", record, counted.Wins, counted.Games(), t.name, t.cell(i, "won"), t.cell(i, "games"))
			}
		}
		low, high := won.Interval()
		fmt.Fprintf(b, "%s & %s & %s & %d of %d & %.0f to %.0f\\%% \\\\\n", tex(t.cell(i, "network")), tex(t.cell(i, "time")),
			tex(t.cell(i, "champion")), won.Wins, won.Games(), 100*low, 100*high)
	}
	files[generated+"champion.tex"] = b.Bytes()
	return nil
}

// won returns the tally of a number of games won of those played.
func won(wins, games string) (t arena.Tally, err error) {
	var n int
	if _, err := fmt.Sscan(plain(wins)+" "+plain(games), &t.Wins, &n); err != nil || t.Wins > n {
		return t, fmt.Errorf("%s of %s games cannot be won", wins, games)
	}
	t.Losses = n - t.Wins
	return t, nil
}

// count counts the games of a record that the champion's opponent won.
func (r *rated) count(record string) (t arena.Tally, err error) {
	games, err := readTable(r.sources, record)
	if err != nil {
		return t, err
	}
	for i := range games.rows {
		gold := games.cell(i, "gold") != "sharp"
		if !slices.Contains([]string{"g", "s"}, games.cell(i, "result")) {
			return t, fmt.Errorf("%s: game %s has the result %q", record, games.cell(i, "id"), games.cell(i, "result"))
		}
		switch won := games.cell(i, "result") == "g" == gold; {
		case won && gold:
			t.GoldWins++
			fallthrough
		case won:
			t.Wins++
		case gold:
			t.GoldLosses++
			fallthrough
		default:
			t.Losses++
		}
	}
	return t, nil
}
