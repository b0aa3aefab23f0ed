package paper

import (
	"bytes"
	"fmt"
	"strings"

	"warren/game"
)

// The position that the paper shows is before the last turn of this game.
const (
	shownRecord = "docs/climb/stage-11-champion.tsv"
	shownGame   = "2"
)

// board writes the position of the paper's first figure, and what was played there.
func (r *rated) board(values map[string]string, files map[string][]byte) error {
	games, err := readTable(r.sources, shownRecord)
	if err != nil {
		return err
	}
	for i := range games.rows {
		if games.cell(i, "id") != shownGame {
			continue
		}
		turns := strings.Split(strings.TrimSuffix(games.cell(i, "movelist"), `\n`), `\n`)
		last := len(turns) - 1
		label, played, _ := strings.Cut(turns[last], " ")
		list, err := game.ParseMoveList(strings.Join(turns[:last], "\n"))
		if err != nil {
			return fmt.Errorf("game %s of %s: %w", shownGame, shownRecord, err)
		}
		values["BoardGame"], values["BoardTurn"], values["BoardPlayed"] = shownGame, strings.TrimRight(label, "gs"), tex(played)
		files[generated+"board.tex"] = pieces(list.Game.Board())
		return nil
	}
	return fmt.Errorf("%s has no game %s", shownRecord, shownGame)
}

// pieces writes each piece of a board as a macro with its file and rank, from 1, and its letter.
func pieces(board *game.Board) []byte {
	b := bytes.NewBufferString(note)
	for s := range game.Square(64) {
		side, kind, ok := board.At(s)
		if !ok {
			continue
		}
		macro := "gold"
		if side == game.Silver {
			macro = "silver"
		}
		letter := strings.ToUpper(string(rune(game.PieceLetter(side, kind))))
		fmt.Fprintf(b, "\\%s{%d}{%d}{%s}\n", macro, s%8+1, s/8+1, letter)
	}
	return b.Bytes()
}
