package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/metrics"
	"warren/internal/session"
)

// conversation is the dialogue of a person with the program about a session.
type conversation struct {
	in       input
	out      io.Writer
	prompt   bool // whether to ask for input
	color    bool
	progress func() *metrics.Progress

	session *session.Session
	command string      // that plays, as a person types it
	against string      // the opponent, and its level if one was named, as a command line says them
	level   arena.Level // of the opponent; the zero value if it has none
	other   bool        // whether the opponent is another network than the bundled one
	evals   bool        // whether to show the evaluation after every turn of the opponent
	kept    string      // file in which every turn is saved; empty if none is
	written string      // the moves in that file
	ended   bool        // whether the end of the game has been told
}

// errQuit ends the conversation.
var errQuit = errors.New("quit")

// run talks until the person leaves.
func (c *conversation) run(ctx context.Context) error {
	defer c.session.Close()
	if err := c.seat(ctx); err != nil {
		return err
	}
	level := ""
	switch {
	case c.level.Adapts:
		level = ", which adapts to you"
	case c.level.Number > 0:
		at := "at level"
		if c.other { // whose levels are as strong as it is
			at = "at its level"
		}
		level = fmt.Sprintf(" %s %d of %d (%s)", at, c.level.Number, len(arena.Levels()), c.level.Title)
	}
	c.say("You are %v, against %s%s. \"help\" lists what you can type, \"rules\" tells the rules.\n", c.session.Side(), c.session.Opponent(), level)
	if c.prompt && c.session.Game().InSetup() {
		c.say("First set up your pieces: \"setup\" chooses a good setup. Then a turn is up to four steps, such as Ed2n Ed3n Mb2n.\n")
	}
	c.board()
	c.autosave() // a game that was loaded from another file
	for {
		err := c.turn(ctx)
		ended := errors.Is(err, io.EOF) || ctx.Err() != nil
		if ended && c.prompt { // on its line
			c.say("\n")
		}
		switch {
		case ended, errors.Is(err, errQuit):
			c.leave()
			return nil
		case err != nil:
			c.leave()
			return err
		}
		c.autosave()
	}
}

// seat seats the opponent. An engine may take a while to start.
func (c *conversation) seat(ctx context.Context) error {
	progress := c.progress()
	defer progress.Close()
	defer progress.Every(func() metrics.Status { return metrics.Status{Title: "waiting for " + c.session.Opponent()} })()
	return c.session.Sit(ctx)
}

// autosave saves the game after a turn, a resignation or a takeback, if the person asked for that.
func (c *conversation) autosave() {
	list := c.session.MoveList()
	if c.kept == "" || list == c.written {
		return
	}
	c.written = list
	save := c.session.Save
	if list == "" { // no file can hold that
		save = c.session.Remove
	}
	if err := save(c.kept); err != nil {
		c.say("%v; the game continues unsaved\n", err)
		c.kept = ""
	}
}

// part ends the game, because another is to begin. If it is in no file, its moves are shown.
func (c *conversation) part() {
	if c.session.Unsaved() {
		c.say("The game so far, which is in no file:\n%s", c.session.MoveList())
	}
	if c.kept != "" && c.written != "" {
		c.say("%s keeps the game so far; the next one is in no file.\n", console.Quote(c.kept))
		c.kept = ""
	}
}

// turn is the opponent's turn, or one line of the person's.
func (c *conversation) turn(ctx context.Context) error {
	if result := c.session.Result(); result.Over() {
		if !c.ended {
			c.say("%s wins by %v.%s\n", title(result.Winner), result.Reason, c.next(result))
			if level, ok := c.session.OpponentLevel(); ok && level.Number > 0 { // it has played a turn
				c.say("At the end %s played at level %d of %d.\n", c.session.Opponent(), level.Number, len(arena.Levels()))
			}
		}
		c.ended = true
	} else if c.ended = false; c.session.Game().Side() != c.session.Side() {
		return c.reply(ctx)
	}
	line, err := c.in.read(ctx, c.session.Game().TurnLabel()+"> ")
	switch {
	case err == nil:
		err = c.obey(ctx, line)
	case !errors.Is(err, errLong):
		return err
	}
	if err != nil && !errors.Is(err, errQuit) && ctx.Err() == nil {
		c.say("%s\n", strings.ReplaceAll(remedy(err).Error(), "\n", "; "))
		return nil
	}
	return err
}

// next names the level to play next after a win of the person's.
func (c *conversation) next(result game.Result) string {
	if next := c.level.Number + 1; next > 1 && next <= len(arena.Levels()) && result.Winner == c.session.Side() {
		return fmt.Sprintf(" You beat level %d; --level %d is the next.", c.level.Number, next)
	}
	return ""
}

// remedy adds to an error of the session what the person can type to continue.
func remedy(err error) error {
	step := (*game.IllegalStepError)(nil)
	switch {
	case errors.As(err, &step):
		if ways := session.Ways(step.Game, step.From); len(ways) > 0 {
			return fmt.Errorf("%w; possible: %s", err, strings.Join(ways, ", "))
		}
		return fmt.Errorf("%w; \"moves\" lists what can be played", err)
	case errors.Is(err, session.ErrOver):
		return fmt.Errorf("%w; \"new\" begins another, \"undo\" takes back", err)
	case errors.Is(err, session.ErrSetupOver):
		return fmt.Errorf("%w; \"new\" begins another game", err)
	case errors.Is(err, session.ErrNoAdviser):
		return fmt.Errorf("%w: start with --adviser FILE, a .safetensors network", err)
	}
	return err
}

// reply lets the opponent play its turn.
func (c *conversation) reply(ctx context.Context) error {
	progress := c.progress()
	defer progress.Close()
	before, began, stop := c.session.Game().Clone(), time.Now(), func() {}
	reply, err := c.session.Reply(ctx, func(done, most int) {
		stop()
		limit := c.session.OpponentTime()
		stop = progress.Every(func() metrics.Status { return thinking(before.Side(), done, most, time.Since(began), limit) })
	})
	stop()
	if err != nil {
		return err
	}
	progress.Close()
	if reply.Forfeit != nil {
		c.say("%s %v.\n", c.session.Opponent(), reply.Forfeit)
		return nil
	}
	c.say("%s %s\n", before.TurnLabel(), game.FormatTurn(before, reply.Turn))
	c.board()
	if c.evals && c.session.HasAdviser() && !c.session.Result().Over() {
		if chance, err := c.session.Evaluate(); err == nil {
			c.say("%s\n", chances(c.session.Game().Side(), chance))
		}
	}
	return nil
}

// thinking describes a turn of the opponent's, some time after it began. The limit is 0 if its time is not known. A
// player that chooses whole turns makes no action before the end, so a bar waits for the first.
func thinking(side game.Color, done, most int, since, limit time.Duration) metrics.Status {
	s := metrics.Status{Title: title(side) + " is thinking"}
	switch {
	case limit > 0:
		s.Done, s.Total = since.Seconds(), limit.Seconds()
	case done > 0:
		s.Done, s.Total = float64(done), float64(most)
	}
	return s
}

// leave tells the person where the game is and, unless it is over, how to continue with it. It shows the moves
// if they are in no file.
func (c *conversation) leave() {
	again := fmt.Sprintf("--side %v %s", c.session.Side(), c.against)
	switch open, over := len(c.session.OpenTurn()) > 0, c.session.Result().Over(); {
	case over && c.session.Unsaved():
		c.say("The game is in no file. Its moves:\n%s", c.session.MoveList())
	case over && c.kept != "":
		c.say("The game is in %s.\n", console.Quote(c.kept))
	case over:
	case c.session.Unsaved():
		c.say("The game is in no file. Put these lines in one, and continue with it by: %s --load FILE %s\n%s", c.command, again, c.session.MoveList())
	case c.kept != "" && c.session.MoveList() != "":
		c.say("The game is in %s; continue with it by: %[2]s --load %[1]s --save %[1]s %[3]s\n", console.Quote(c.kept), c.command, again)
		fallthrough
	default:
		if open {
			c.say("The steps of the unfinished turn are not saved.\n")
		}
	}
}

func (c *conversation) say(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

func (c *conversation) board() {
	g := c.session.Game()
	c.say("%s", draw(g, c.color))
	if gone := gone(g); gone != "" {
		c.say("Off the board: %s\n", gone)
	}
}

// chances writes the chance to win of side as both sides' chances.
func chances(side game.Color, chance float32) string {
	if side == game.Silver {
		chance = 1 - chance
	}
	return fmt.Sprintf("gold %.1f%%, silver %.1f%%", 100*chance, 100*(1-chance))
}

func title(c game.Color) string { return strings.ToUpper(c.String()[:1]) + c.String()[1:] }
