package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warren/game"
	"warren/internal/metrics"
	"warren/internal/nearest"
	"warren/internal/plural"
	"warren/internal/quoted"
	"warren/internal/session"
)

// command is something the person can type.
type command struct {
	names []string // the first is the one that is listed
	args  string
	help  string
	run   func(c *conversation, ctx context.Context, args []string) error
}

var commands []command

// endNames are the words that end a turn, alone or after its steps.
var endNames = []string{"end", "pass"}

func init() {
	do := func(f func(c *conversation)) func(*conversation, context.Context, []string) error {
		return func(c *conversation, _ context.Context, _ []string) error {
			f(c)
			return nil
		}
	}
	commands = []command{
		{[]string{"setup"}, "[PLACEMENTS]", "set up your pieces: a good setup, or your own, as Ra1 Rb1 ... with 16 placements", (*conversation).setup},
		{[]string{"step", "s"}, "STEPS", "make one or more steps and leave the turn open", (*conversation).steps},
		{endNames, "", "end the turn", (*conversation).end},
		{[]string{"undo", "takeback"}, "", "take back the last step of an open turn, else your last turn and the reply", (*conversation).undo},
		{[]string{"moves", "legal"}, "", "list what can be played now", (*conversation).moves},
		{[]string{"hint"}, "[VISITS]", "what the network would play: visits, Q (chance to win), prior, expected line", (*conversation).hint},
		{[]string{"eval"}, "[on|off]", "the network's evaluation, now or after every turn of the opponent", (*conversation).eval},
		{[]string{"board", "show"}, "", "draw the board", do((*conversation).board)},
		{[]string{"game"}, "", "the moves so far", do(func(c *conversation) { c.say("%s", c.session.MoveList()) })},
		{[]string{"save"}, "FILE", "save the game as a move list", (*conversation).save},
		{[]string{"load"}, "FILE", "continue with a saved game", (*conversation).load},
		{[]string{"swap"}, "", "play the other side from here on", (*conversation).swap},
		{[]string{"new"}, "", "begin another game", do((*conversation).begin)},
		{[]string{"resign"}, "", "give the game up", (*conversation).resign},
		{[]string{"rules"}, "", "the rules of Arimaa in a few lines, and how steps are written", do(func(c *conversation) { c.say("%s", rules) })},
		{[]string{"help", "?"}, "", "this list", do((*conversation).help)},
		{[]string{"quit", "exit", "q"}, "", "leave; the moves of a game that is in no file are shown", (*conversation).quit},
	}
}

// obey does what a line says: a command, or else a turn.
func (c *conversation) obey(ctx context.Context, line string) error {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	for _, command := range commands {
		if slices.Contains(command.names, words[0]) {
			if command.args == "" && len(words) > 1 {
				return fmt.Errorf("%q: nothing comes after %s", words[1], words[0])
			}
			args := words[1:]
			if command.args == "FILE" {
				var err error
				if args, err = quoted.Words(strings.TrimSpace(line)[len(words[0]):]); err != nil {
					return fmt.Errorf("%s FILE: %w", words[0], err)
				}
			}
			return command.run(c, ctx, args)
		}
	}
	if g := c.session.Game(); !g.InSetup() && len(words) > 1 && slices.Contains(endNames, words[len(words)-1]) {
		words = words[:len(words)-1] // a turn ends with its last step
	}
	line = strings.Join(words, " ")
	if turn, err := c.session.Game().CutTurnLabel(line); err == nil && turn != "" && !startsWithPiece(turn) {
		word := strings.Fields(turn)[0]
		return fmt.Errorf("%.20q is neither a command nor a step%s; \"help\" lists the commands, and a step is Ed2n", word, suggestion(word))
	}
	return c.session.PlayTurn(line)
}

// startsWithPiece reports whether a text begins as a step or a placement does:
// with a piece and a square.
func startsWithPiece(text string) bool {
	if len(text) < 3 || !strings.ContainsRune("RCDHMErcdhme", rune(text[0])) {
		return false
	}
	_, err := game.ParseSquare(text[1:3])
	return err == nil
}

// words returns what a line can begin with: the commands, and the steps of the person's pieces.
func (c *conversation) words() []string {
	var words []string
	for _, command := range commands {
		words = append(words, command.names...)
	}
	if legal, err := c.session.Legal(); err == nil && !c.session.Game().InSetup() {
		for _, a := range legal {
			if a != game.Pass {
				words = append(words, name(c.session.Game(), a))
			}
		}
	}
	return words
}

// suggestion names the command that a mistyped word probably means, if any.
func suggestion(word string) string {
	var names []string
	for _, command := range commands {
		names = append(names, command.names...)
	}
	if near := nearest.Of(word, names); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

func (c *conversation) setup(_ context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return c.session.SetUp()
	case !c.session.Game().InSetup():
		return session.ErrSetupOver
	}
	return c.session.PlayTurn(strings.Join(args, " "))
}

func (c *conversation) steps(_ context.Context, args []string) error {
	before := c.session.Game().Clone()
	actions, err := c.session.PlaySteps(strings.Join(args, " "))
	if err != nil {
		return err
	}
	if g := c.session.Game(); g.Side() == c.session.Side() && !g.Result().Over() {
		c.say("%s; %s left\n", game.FormatTurn(before, actions), plural.Of(g.StepsLeft(), "step"))
		c.board()
	}
	return nil
}

func (c *conversation) end(context.Context, []string) error { return c.session.EndTurn() }

func (c *conversation) undo(context.Context, []string) error {
	if err := c.session.Undo(); err != nil {
		return err
	}
	c.board()
	return nil
}

func (c *conversation) moves(context.Context, []string) error {
	if _, err := c.session.Legal(); err != nil {
		return err
	}
	const width = 80
	text := ""
	for _, w := range moves(c.session.Game()) {
		if len(text)+2+len(w) > width {
			c.say("%s\n", text)
			text = ""
		}
		text = strings.TrimSpace(text + "  " + w)
	}
	c.say("%s\n", text)
	return nil
}

func (c *conversation) hint(ctx context.Context, args []string) error {
	visits := 0 // as the command line says
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 || n > session.MaxVisits || len(args) > 1 {
			return fmt.Errorf("%q: the visits of a hint are a number from 1 to %d", strings.Join(args, " "), session.MaxVisits)
		}
		visits = n
	}
	progress := c.progress()
	defer progress.Close()
	advice, err := c.session.Hint(ctx, visits, func(done, total int) {
		progress.Update(metrics.Status{Title: "thinking", Done: float64(done), Total: float64(total)})
	})
	progress.Close()
	if err != nil {
		return err
	}
	c.say("%s", describe(advice, c.session.Game()))
	return nil
}

func (c *conversation) eval(_ context.Context, args []string) error {
	if !c.session.HasAdviser() {
		return session.ErrNoAdviser
	}
	switch text := strings.Join(args, " "); text {
	case "on", "off":
		c.evals = text == "on"
		return nil
	case "":
	default:
		return fmt.Errorf("eval %s: it is eval, eval on or eval off", text)
	}
	chance, err := c.session.Evaluate()
	if err != nil {
		return err
	}
	c.say("%s\n", chances(c.session.Game().Side(), chance))
	return nil
}

func (c *conversation) save(_ context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("save FILE: the name of one file, in quotes if it has spaces")
	}
	if err := c.session.Save(args[0]); err != nil {
		return err
	}
	c.say("saved in %s", args[0])
	if len(c.session.OpenTurn()) > 0 {
		c.say(", without the steps of the unfinished turn")
	}
	c.say("\n")
	return nil
}

func (c *conversation) load(_ context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("load FILE: the name of one file, in quotes if it has spaces")
	}
	next := session.New(session.Config{})
	if _, err := next.Load(args[0]); err != nil {
		return err
	}
	c.part()
	games, err := c.session.Load(args[0])
	if err != nil {
		return err
	}
	c.ended = false
	c.loaded(args[0], games)
	c.board()
	return nil
}

// loaded says which game has been loaded from a file of several.
func (c *conversation) loaded(path string, games int) {
	if games > 1 {
		c.say("%s holds %d games: this is the first that can be played.\n", path, games)
	}
}

func (c *conversation) swap(context.Context, []string) error {
	if err := c.session.Swap(); err != nil {
		return err
	}
	c.say("You are %v.\n", c.session.Side())
	return nil
}

func (c *conversation) begin() {
	c.part()
	c.session.NewGame()
	c.board()
}

func (c *conversation) resign(context.Context, []string) error { return c.session.Resign() }

func (c *conversation) help() {
	c.say("  %-20s %s\n", "Ed2n Ed3n Mb2n", "play a whole turn, or the rest of it; captures may be left out, and 2g or 2s may come first")
	for _, command := range commands {
		c.say("  %-20s %s\n", strings.TrimSpace(strings.Join(command.names, ", ")+" "+command.args), command.help)
	}
}

func (c *conversation) quit(context.Context, []string) error { return errQuit }
