package arena

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"warren/internal/arena/rating"
	"warren/internal/plural"
)

// WriteTable writes the standings for people: the ratings, the games of every two
// players, those of them that were adjudicated, and the likelihood that one player
// is stronger than another.
func (s *Standings) WriteTable(w io.Writer) error {
	b := bufio.NewWriter(w)
	width := len("player")
	for _, p := range s.Players {
		width = max(width, len(p.Name))
	}
	fmt.Fprintf(b, "%4s  %-*s  %6s  %6s  %6s  %6s  %11s  %10s\n", "", width, "player", "Elo", "+-", "games", "won", "adjudicated", "turns/game")
	for i, p := range s.Players {
		fmt.Fprintf(b, "%4d  %-*s  %6s  %6.0f  %6d  %6s  %11d  %10s\n", i+1, width, p.Name, rating.Format(p.Elo), p.Margin, p.Games,
			ratio(100*p.Wins, p.Games, "%.1f%%"), p.Adjudicated, ratio(p.Turns, p.Games, "%.1f"))
	}
	zero := "the mean of all players is 0"
	if s.Anchor != "" {
		zero = s.Anchor + " is 0"
	}
	fmt.Fprintf(b, "Elo: %s; +- is half the 95%% interval of the distance from there.\n", zero)
	if s.Apart != nil {
		var groups []string
		for _, group := range s.Apart {
			groups = append(groups, strings.Join(group, ", "))
		}
		fmt.Fprintf(b, "More games hardly narrow the distance between these groups, because one wins nearly every game against the other; players in between would help:\n      %s\n", strings.Join(groups, "\n      "))
	}
	if repeats, games := s.repeats(); repeats > 0 {
		fmt.Fprintf(b, "Copies of other games between the same players, which tell nothing new, but make the intervals narrower: %d of %d.\n", repeats, games)
	}
	if s.Test != nil {
		fmt.Fprint(b, s.Test)
	}
	for _, p := range s.Players {
		for _, line := range p.Forfeited() {
			fmt.Fprintln(b, line)
		}
	}

	fmt.Fprintf(b, "\nGames won of those played, row against column:\n")
	s.matrix(b, width, func(i, j int) string {
		t := s.Between(s.Players[i].Name, s.Players[j].Name)
		if t.Games() == 0 {
			return "."
		}
		return fmt.Sprintf("%d/%d", t.Wins, t.Games())
	})
	if slices.ContainsFunc(s.Players, func(p Standing) bool { return p.Adjudicated > 0 }) {
		fmt.Fprintf(b, "\nAdjudicated games: those won of those decided by the official score, row against column:\n")
		s.matrix(b, width, func(i, j int) string {
			t := s.Between(s.Players[i].Name, s.Players[j].Name)
			if t.Adjudicated() == 0 {
				return "."
			}
			return fmt.Sprintf("%d/%d", t.AdjudicatedWins, t.Adjudicated())
		})
	}
	fmt.Fprintf(b, "\nLikelihood that row is stronger than column, in %%:\n")
	s.matrix(b, width, func(i, j int) string {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*s.Superiority[i][j]), ".0")
	})
	return b.Flush()
}

// repeats returns how many games are copies of others, and how many there are.
func (s *Standings) repeats() (repeats, games int) {
	for _, p := range s.Pairings {
		repeats += p.Tally.Repeats
		games += p.Tally.Games()
	}
	return repeats, games
}

// matrix writes a table of players against players. The columns have the numbers
// of the rows.
func (s *Standings) matrix(b *bufio.Writer, width int, cell func(i, j int) string) {
	n := len(s.Players)
	columns := make([]int, n)
	for j := range n {
		columns[j] = len(fmt.Sprint(j + 1))
		for i := range n {
			if i != j {
				columns[j] = max(columns[j], len(cell(i, j)))
			}
		}
	}
	row := func(number, name string, cells func(j int) string) {
		text := fmt.Sprintf("%4s  %-*s", number, width, name)
		for j := range n {
			text += fmt.Sprintf("  %*s", columns[j], cells(j))
		}
		fmt.Fprintln(b, strings.TrimRight(text, " "))
	}
	row("", "", func(j int) string { return fmt.Sprint(j + 1) })
	for i, p := range s.Players {
		row(fmt.Sprint(i+1), p.Name, func(j int) string {
			if i == j {
				return "-"
			}
			return cell(i, j)
		})
	}
}

// ratio formats a/b, or a point if b is 0.
func ratio(a, b int, format string) string {
	if b == 0 {
		return "."
	}
	return fmt.Sprintf(format, float64(a)/float64(b))
}

// Forfeited returns a line for every cause of games that the player forfeited.
func (p *Standing) Forfeited() (lines []string) {
	for _, cause := range slices.Sorted(maps.Keys(p.Forfeits)) {
		lines = append(lines, fmt.Sprintf("%s (%d of its %s)", cause, p.Forfeits[cause], plural.Of(p.Games, "game")))
	}
	return lines
}
