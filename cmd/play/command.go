package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"warren/alphabeta"
	"warren/game"
	"warren/internal/nearest"
	"warren/metrics"
)

// command is something the person can type.
type command struct {
	names []string // the first is the one that is listed
	args  string
	help  string
	run   func(s *session, ctx context.Context, args []string) error
}

var commands []command

func init() {
	commands = []command{
		{[]string{"setup"}, "[PLACEMENTS]", "set up your pieces: a good setup, or your own, as Ra1 Rb1 ... with 16 placements", (*session).setup},
		{[]string{"step", "s"}, "STEPS", "make one or more steps and leave the turn open", (*session).steps},
		{[]string{"end", "pass"}, "", "end the turn", (*session).end},
		{[]string{"undo", "takeback"}, "", "take back the last step of an open turn, else your last turn and the reply", (*session).undo},
		{[]string{"moves", "legal"}, "", "list what can be played now", (*session).moves},
		{[]string{"hint"}, "[VISITS]", "what the network would play: visits, Q (chance to win), prior, expected line", (*session).hint},
		{[]string{"eval"}, "[on|off]", "the network's evaluation, now or after every turn", (*session).eval},
		{[]string{"board", "show"}, "", "draw the board", (*session).show},
		{[]string{"game"}, "", "the moves so far", (*session).list},
		{[]string{"save"}, "FILE", "save the game as a move list", (*session).save},
		{[]string{"load"}, "FILE", "go on with a saved game", (*session).load},
		{[]string{"swap"}, "", "play the other side from here on", (*session).swap},
		{[]string{"new"}, "", "begin another game", (*session).begin},
		{[]string{"resign"}, "", "give the game up", (*session).resign},
		{[]string{"help", "?"}, "", "this list", (*session).help},
		{[]string{"quit", "exit", "q"}, "", "leave; an unsaved game is kept in a file", (*session).quit},
	}
}

// obey does what a line says: a command, or else a turn.
func (s *session) obey(ctx context.Context, line string) error {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	for _, c := range commands {
		if slices.Contains(c.names, words[0]) {
			if c.args == "" && len(words) > 1 {
				return fmt.Errorf("%q: nothing comes after %s", words[1], words[0])
			}
			return c.run(s, ctx, words[1:])
		}
	}
	if !startsWithPiece(words[0]) {
		return fmt.Errorf("%.20q is neither a command nor a step%s; \"help\" lists the commands, and a step is Ed2n", words[0], suggestion(words[0]))
	}
	if s.table.game.InSetup() {
		return s.setup(ctx, words)
	}
	return s.whole(strings.Join(words, " "))
}

// startsWithPiece reports whether a word looks like the notation of a step:
// a piece and a square.
func startsWithPiece(word string) bool {
	if len(word) < 3 || !strings.ContainsRune("RCDHMErcdhme", rune(word[0])) {
		return false
	}
	_, err := game.ParseSquare(word[1:3])
	return err == nil
}

// nearest suggests a command for a mistyped one.
func suggestion(word string) string {
	var names []string
	for _, c := range commands {
		names = append(names, c.names...)
	}
	if near := nearest.Of(word, names); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// mine is an error unless the person is to play.
func (s *session) mine() error {
	if r := s.table.result(); r.Over() {
		return fmt.Errorf("the game is over: %v has won by %v; \"new\" begins another, \"undo\" takes back", r.Winner, r.Reason)
	}
	return nil
}

// whole plays a line of steps as the whole turn, or the rest of it.
func (s *session) whole(text string) error {
	if err := s.mine(); err != nil {
		return err
	}
	actions, err := game.ParseSteps(s.table.game, text)
	if err != nil {
		return err
	}
	// Written out with its captures the turn is as game files have it, and is
	// asked whether it may end there.
	actions, err = game.ParseTurn(s.table.game, game.FormatTurn(s.table.game, actions))
	if err != nil {
		return err
	}
	s.play(actions)
	return nil
}

func (s *session) steps(_ context.Context, args []string) error {
	if err := s.mine(); err != nil {
		return err
	}
	actions, err := game.ParseSteps(s.table.game, strings.Join(args, " "))
	if err != nil {
		return err
	}
	before, side := s.table.game.Clone(), s.side
	s.play(actions)
	if g := s.table.game; g.Side() == side && !g.Result().Over() {
		s.say("%s; %d steps left\n", game.FormatTurn(before, actions), g.StepsLeft())
		s.board()
	}
	return nil
}

func (s *session) end(context.Context, []string) error {
	if err := s.mine(); err != nil {
		return err
	}
	g := s.table.game
	switch {
	case g.InSetup():
		return errors.New("the setup ends by itself, with its last placement")
	case g.StepsLeft() == 4:
		return errors.New("a turn has at least one step")
	case !slices.Contains(g.Legal(nil), game.Pass):
		if hole, pushed, ok := g.Push(); ok {
			return fmt.Errorf("a push is unfinished: a piece stronger than the pushed %v must step to %v", pushed, hole)
		}
		return errors.New("the turn may not end here: the board would be as before, or repeat for the third time")
	}
	s.play([]game.Action{game.Pass})
	return nil
}

func (s *session) undo(context.Context, []string) error {
	t := s.table
	switch {
	case t.resigned:
		t.resigned = false
	case len(t.open()) > 0 && !t.game.InSetup():
		t.back(len(t.actions) - 1)
	default:
		// To the person's latest turn, with what followed it.
		i := len(t.turns) - 1
		for i--; i >= 0 && t.at(t.turns[i]).Side() != s.side; i-- {
		}
		if i < 0 {
			return errors.New("there is no turn of yours to take back")
		}
		t.back(t.turns[i])
	}
	s.leave()
	s.board()
	return nil
}

func (s *session) setup(_ context.Context, args []string) error {
	g := s.table.game
	if !g.InSetup() {
		return errors.New("the setup is over; \"new\" begins another game")
	}
	if len(args) == 0 {
		s.play(alphabeta.Setup(g, rand.New(rand.NewPCG(s.seed, uint64(g.Side())))))
		return nil
	}
	actions, err := game.ParseTurn(g, strings.Join(args, " "))
	if err != nil {
		return err
	}
	s.play(actions)
	return nil
}

func (s *session) moves(context.Context, []string) error {
	if err := s.mine(); err != nil {
		return err
	}
	g := s.table.game
	var words []string
	for _, a := range g.Legal(nil) {
		words = append(words, name(g, a))
	}
	slices.Sort(words)
	const width = 80
	text := ""
	for _, w := range words {
		if len(text)+1+len(w) > width {
			s.say("%s\n", text)
			text = ""
		}
		text = strings.TrimSpace(text + "  " + w)
	}
	s.say("%s\n", text)
	return nil
}

func (s *session) hint(ctx context.Context, args []string) error {
	if err := s.mine(); err != nil {
		return err
	}
	if err := s.advised(); err != nil {
		return err
	}
	visits := s.adviser.visits
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 || n > 1e6 || len(args) > 1 {
			return fmt.Errorf("%q: the visits of a hint are a number from 1 to 1000000", strings.Join(args, " "))
		}
		visits = n
	}
	progress := s.progress()
	defer progress.Close()
	found, err := s.adviser.advise(ctx, s.table.game, visits, func(done, total int) {
		progress.Update(metrics.Status{Title: "thinking", Done: float64(done), Total: float64(total)})
	})
	progress.Close()
	if err != nil {
		return err
	}
	var text strings.Builder
	found.write(&text, s.table.game)
	s.say("%s", text.String())
	return nil
}

// advised is an error if there is no network to ask.
func (s *session) advised() error {
	if s.adviser == nil {
		return errors.New("there is no network to ask: start with --adviser FILE, a .safetensors network")
	}
	return nil
}

func (s *session) eval(_ context.Context, args []string) error {
	if err := s.advised(); err != nil {
		return err
	}
	switch text := strings.Join(args, " "); text {
	case "on", "off":
		s.evals = text == "on"
		return nil
	case "":
	default:
		return fmt.Errorf("eval %s: it is eval, eval on or eval off", text)
	}
	if err := s.mine(); err != nil {
		return err
	}
	g := s.table.game
	value, err := s.adviser.evaluate(g)
	if err != nil {
		return err
	}
	s.say("%s\n", chances(g.Side(), value))
	return nil
}

func (s *session) show(context.Context, []string) error {
	s.board()
	return nil
}

func (s *session) list(context.Context, []string) error {
	s.say("%s", s.table.moves())
	return nil
}

func (s *session) save(_ context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("save FILE: the name of one file")
	}
	if err := s.table.save(args[0]); err != nil {
		return err
	}
	s.say("saved in %s", args[0])
	if len(s.table.open()) > 0 {
		s.say(", without the steps of the unfinished turn")
	}
	s.say("\n")
	return nil
}

func (s *session) load(_ context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("load FILE: the name of one file")
	}
	if err := s.table.load(args[0]); err != nil {
		return err
	}
	s.leave()
	s.board()
	return nil
}

func (s *session) swap(context.Context, []string) error {
	s.side = s.side.Other()
	s.leave()
	s.say("You are %v.\n", s.side)
	return nil
}

func (s *session) begin(context.Context, []string) error {
	if s.table.unsaved() {
		if err := s.goodbye(); err != nil {
			return err
		}
	}
	s.leave()
	s.table = newTable()
	s.seed++
	s.board()
	return nil
}

func (s *session) resign(context.Context, []string) error {
	if err := s.mine(); err != nil {
		return err
	}
	s.table.back(s.table.turns[len(s.table.turns)-1])
	s.table.resigned = true
	return nil
}

func (s *session) help(context.Context, []string) error {
	s.say("  %-20s %s\n", "Ed2n Ed3n Hb2n", "play a whole turn, or the rest of it; captures may be left out")
	for _, c := range commands {
		s.say("  %-20s %s\n", strings.TrimSpace(strings.Join(c.names, ", ")+" "+c.args), c.help)
	}
	return nil
}

func (s *session) quit(context.Context, []string) error { return errQuit }
