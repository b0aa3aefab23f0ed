package aei

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"warren/game"
	"warren/game/clock"
)

// Serve is the engine's side of a session. It reads messages from in and answers
// on out until it is told to quit, in ends or ctx ends. It answers messages while
// the engine thinks.
//
// Malformed messages, messages at the wrong time and illegal moves are answered
// by a line "log Error: ..." and unknown options by "log Warning: ...". After a
// newgame, setposition or makemove that is refused, the controller's position is
// another than the engine's, so every search ends, and go and makemove are refused
// too until the next newgame or setposition. A refused message has no other effect.
// A message of an unknown type ends the session, as the protocol demands. Serve then
// returns an error, as it does if out cannot be written or the engine fails.
//
// If ctx ends first, one goroutine stays until its pending read of in returns.
func Serve(ctx context.Context, in io.Reader, out io.Writer, id ID, e Engine) error {
	s := &server{engine: e, id: id, out: bufio.NewWriter(out), game: game.New(), clock: clock.New(clock.Unlimited())}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.discard()
	lines := read(ctx, in)
	for {
		var finished <-chan answer
		if s.search != nil {
			finished = s.search.answer
		}
		var err error
		select {
		case l, ok := <-lines:
			if !ok {
				return nil
			}
			err = s.receive(ctx, l)
		case a := <-finished:
			err = s.finish(a)
		case <-ctx.Done():
			return nil
		}
		if err == errQuit {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.writeError(); err != nil {
			return fmt.Errorf("answering the controller: %w", err)
		}
	}
}

// errQuit ends a session without an error.
var errQuit = errors.New("quit")

// input is a line from the controller.
type input struct {
	text    string
	tooLong bool
}

// read returns a channel of the lines of in, until in or the context ends.
func read(ctx context.Context, in io.Reader) <-chan input {
	lines := make(chan input)
	w := &lineWriter{take: func(line string, tooLong bool) error {
		select {
		case lines <- input{line, tooLong}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	go func() {
		defer close(lines)
		_, err := io.Copy(w, in)
		if err == nil && len(w.partial) > 0 {
			w.flush() // fails only if the context has ended
		}
	}()
	return lines
}

type server struct {
	engine Engine
	id     ID
	open   bool // whether the opening phase is over
	game   *game.Game
	clock  clock.Clock
	begun  time.Time     // when the game began
	search *search       // nil if none is running
	waited time.Duration // for searches that were dropped, since the last one began or the game

	missing uint64 // squares whose pieces are gone when the setups are over
	refused string // the message since which the controller's position is not known; "" if it is

	mu  sync.Mutex // guards the fields below
	out *bufio.Writer
	err error
}

// search is a call of Engine.Think.
type search struct {
	cancel context.CancelCauseFunc
	begun  time.Time
	ponder bool
	answer chan answer
}

type answer struct {
	turn []game.Action
	err  error
}

// say sends one line. Control characters become spaces.
func (s *server) say(format string, args ...any) {
	line := strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, fmt.Sprintf(format, args...))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.WriteString(strings.TrimSpace(line) + "\n")
	if err := s.out.Flush(); err != nil && s.err == nil {
		s.err = err
	}
}

func (s *server) writeError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *server) complain(format string, args ...any) { s.say("log Error: "+format, args...) }

// refuse complains about a message. If it should have changed the position, the
// controller's is no longer known.
func (s *server) refuse(kind, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	places := kind == unread || messages[kind].places
	if places {
		s.discard()
		s.refused = kind
	}
	if s.refused != "" && (places || kind == "go") {
		text += "; the position is unknown until newgame or setposition"
	}
	s.complain("%s", text)
}

// receive acts on a line. An error ends the session.
func (s *server) receive(ctx context.Context, l input) error {
	if l.tooLong {
		s.refuse(unread, "a line of more than %d bytes; it is ignored", maxLine)
		return nil
	}
	kind, rest := message(l.text)
	m, known := messages[kind]
	switch {
	case kind == "":
		s.complain("an empty line; it is ignored")
	case kind == "quit":
		return errQuit
	case !known:
		s.complain("unknown message %.60q; the session ends", kind)
		return fmt.Errorf("the controller sent the unknown message %.60q", kind)
	case !s.open && kind != "aei":
		s.refuse(kind, "%s before aei; it is ignored", kind)
	case !m.argument && rest != "":
		s.refuse(kind, "%s takes no argument, not %.60q; it is ignored", kind, rest)
	case kind == "stop":
		return s.stop()
	default:
		if err := s.obey(ctx, kind, rest); err != nil {
			s.refuse(kind, "%s: %v", kind, err)
		}
	}
	return nil
}

// obey acts on a message other than quit and stop.
func (s *server) obey(ctx context.Context, kind, rest string) error {
	if s.refused != "" && (kind == "makemove" || kind == "go") {
		return fmt.Errorf("it follows a refused %s", s.refused)
	}
	switch kind {
	case "aei":
		return s.hello()
	case "isready":
		s.say("readyok")
	case "newgame":
		s.discard()
		s.stand(game.New())
		s.begin()
	case "setposition":
		return s.setPosition(rest)
	case "setoption":
		return s.setOption(rest)
	case "makemove":
		return s.makeMove(rest)
	case "go":
		return s.think(ctx, rest)
	}
	return nil
}

// messages are a controller's, other than quit.
var messages = map[string]struct {
	argument bool // whether it takes one
	places   bool // whether it changes the position
}{
	"aei": {}, "isready": {}, "stop": {}, "go": {argument: true}, "setoption": {argument: true},
	"newgame": {places: true}, "setposition": {argument: true, places: true}, "makemove": {argument: true, places: true},
}

// unread stands for the type of a message that was too long to be read. It may have changed the position.
const unread = "line"

func (s *server) hello() error {
	if s.open {
		return errors.New("the session has already begun")
	}
	s.open = true
	s.say("protocol-version 1")
	for _, line := range [][2]string{{"name", s.id.Name}, {"author", s.id.Author}, {"version", s.id.Version}} {
		if line[1] != "" {
			s.say("id %s %s", line[0], line[1])
		}
	}
	s.say("aeiok")
	s.begin()
	return nil
}

// begin starts the clock of a game with the same time control.
func (s *server) begin() {
	s.begun, s.waited = time.Now(), 0
	s.clock.Begin()
}

// stand makes g the game.
func (s *server) stand(g *game.Game) { s.game, s.missing, s.refused = g, 0, "" }

func (s *server) setPosition(text string) error {
	board, side, err := game.ParsePosition(text)
	if err != nil {
		return err
	}
	s.discard()
	s.stand(game.FromBoard(board, side))
	return nil
}

// about holds the options that tell an engine about the players of the game. They
// are ignored.
var about = map[string]bool{"opponent": true, "opponent_rating": true, "rating": true, "rated": true, "event": true}

func (s *server) setOption(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	name, value, _ := strings.Cut(strings.TrimSpace(rest)+" ", " value ")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if word != "name" || name == "" {
		return fmt.Errorf("%.60q is not of the form: name NAME value VALUE", text)
	}
	if about[name] {
		return nil
	}
	ours, err := SetClock(&s.clock, name, value)
	if !ours {
		err = s.engine.SetOption(name, value)
	}
	if errors.Is(err, ErrUnknownOption) {
		s.say("log Warning: unknown option %.60q; it is ignored", name)
		return nil
	}
	if err != nil {
		return fmt.Errorf("option %s: %w", name, err)
	}
	return nil
}

func (s *server) makeMove(text string) error {
	var (
		turn    []game.Action
		missing uint64
		err     error
	)
	if s.game.InSetup() {
		turn, missing, err = game.ParseHandicapSetup(s.game, text)
	} else {
		turn, err = ParseMove(s.game, text)
	}
	if err != nil {
		return err
	}
	s.discard()
	s.missing |= missing
	for _, a := range turn {
		s.game.PlayHandicap(a, s.missing)
	}
	s.clock.MoveUsed = 0
	return nil
}

func (s *server) think(ctx context.Context, mode string) error {
	if mode != "" && mode != "ponder" {
		return fmt.Errorf("%.60q is not known: write go, or go ponder", mode)
	}
	if s.search != nil && !s.search.ponder {
		return errors.New("a search is running already; it continues")
	}
	s.discard()
	if r := s.game.Result(); r.Over() {
		if mode == "" {
			// A controller that waits for an answer must get one.
			s.say("bestmove")
		}
		return fmt.Errorf("the game is over: %v has won by %v", r.Winner, r.Reason)
	}
	s.clock.Elapsed = time.Since(s.begun)
	task := Task{Game: s.game.Clone(), Clock: s.clock, Begun: s.begun, Ponder: mode == "ponder"}
	ctx, cancel := context.WithCancelCause(ctx)
	task.Clock.MoveUsed += s.waited // while the controller's clock was running
	sr := &search{cancel: cancel, begun: time.Now().Add(-s.waited), ponder: task.Ponder, answer: make(chan answer, 1)}
	s.search, s.waited = sr, 0
	from := s.game.Clone()
	go func() {
		turn, err := s.engine.Think(ctx, task, func(i Info) { s.report(from, i) })
		sr.answer <- answer{turn, err}
	}()
	return nil
}

func (s *server) report(from *game.Game, i Info) {
	s.say("info depth %d", len(i.PV))
	s.say("info time %d", int(i.Time.Seconds()))
	s.say("info nodes %d", i.Nodes)
	s.say("info score %d", i.Score)
	if len(i.PV) > 0 {
		s.say("info pv %s", formatLine(from, i.PV))
	}
}

func (s *server) stop() error {
	if s.search == nil {
		// The message may have crossed the answer.
		s.say("log Warning: stop: no search is running")
		return nil
	}
	s.search.cancel(ErrStop)
	return s.finish(<-s.search.answer)
}

// discard ends the search, if one is running, and drops its answer.
func (s *server) discard() {
	if s.search != nil {
		began := time.Now()
		s.search.cancel(nil)
		<-s.search.answer
		s.search = nil
		s.waited += time.Since(began)
	}
}

// finish sends the answer of the search.
func (s *server) finish(a answer) error {
	used := s.clock.MoveUsed + time.Since(s.search.begun)
	s.search.cancel(nil)
	s.search = nil
	if a.err != nil {
		s.complain("%v", a.err)
		return fmt.Errorf("thinking: %w", a.err)
	}
	// An estimate, until the controller sends how the clock stands.
	s.clock.Spend(s.game.Side(), s.game.InSetup(), used)
	s.say("bestmove %s", game.FormatTurn(s.game, a.turn))
	return nil
}
