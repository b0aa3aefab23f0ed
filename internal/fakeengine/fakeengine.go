// Package fakeengine lets a test binary be an external engine: a process that
// speaks the Arimaa Engine Interface, well or badly. The tests of
// internal/arena and internal/arena/aei share it; only tests import it. It has its
// own small implementation of the protocol, so that the client is not tested
// against our own server alone.
package fakeengine

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"warren/game"
)

const program = "fake-engine"

// Wordy is what the mode of that name writes before each answer, in bytes.
const Wordy = 10_000

// Main makes the process a fake engine and ends it, if it was started by a
// [Command]. Otherwise it does nothing. A TestMain calls it first.
func Main() {
	if len(os.Args) < 3 || os.Args[1] != program {
		return
	}
	mode, argument, _ := strings.Cut(os.Args[2], "=")
	if fault, ok := opening[mode]; ok {
		fault(argument)
	}
	e := &engine{mode: mode, out: bufio.NewWriter(os.Stdout), game: game.New()}
	e.serve(os.Stdin)
	os.Exit(0)
}

// Command returns the command line that starts this test binary as a fake
// engine. The mode is one of these, and otherwise a good engine:
//
//	gone          ends at once with status 3 and two lines on stderr
//	mute          never says or reads anything
//	old, new      speaks no version of the protocol, or version 2
//	deaf          is ready, and never reads
//	unready       logs an error and never gets ready
//	loud          writes a megabyte to stderr first
//	parent=ADDR   starts a process that dials ADDR and stays
//
// Those that follow play the setup, and go wrong when they are first asked for
// a turn:
//
//	crash, hang, illegal, empty, resign, resigns
//	flood, endless, chatter   write without end: lines, a line, answers
//	orphan                    ends, but a process that it starts keeps its output open
//	steps                     is good, but leaves the captures out
//	pass, label, comma, upper, unended
//	                          write the answer with a pass, with the turn's label, with commas,
//	                          as BESTMOVE, without the end of the line
//
// These are good but for what they say besides the answers to go:
//
//	twice                     every answer again
//	wordy                     [Wordy] bytes before every answer
func Command(mode string) []string { return []string{os.Args[0], program, mode} }

// Turn returns the turn or setup that a good engine plays from g.
func Turn(g *game.Game) (turn []game.Action) {
	play := g.Clone()
	for play.Side() == g.Side() && !play.Result().Over() {
		legal := play.Legal(nil)
		a := legal[len(turn)%len(legal)]
		turn = append(turn, a)
		play.Play(a)
	}
	return turn
}

// opening holds what some modes do before they speak.
var opening = map[string]func(argument string){
	"gone": func(string) {
		fmt.Fprintln(os.Stderr, "loading\nno such network")
		os.Exit(3)
	},
	"mute": func(string) { stay() },
	"old":  func(string) { only("aeiok") },
	"new":  func(string) { only("protocol-version 2\naeiok") },
	"deaf": func(string) {
		fmt.Println("protocol-version 1\naeiok\nreadyok")
		stay()
	},
	"unready": func(string) { only("protocol-version 1\nlog Error: the hash is too large\naeiok") },
	// More than any pipe holds.
	"loud":   func(string) { fmt.Fprint(os.Stderr, strings.Repeat("warming up\n", 1<<17)) },
	"parent": parent,
	"child":  child,
}

// stay never returns.
func stay() {
	for {
		time.Sleep(time.Hour)
	}
}

// only writes some lines, and nothing else until the input ends.
func only(lines string) {
	fmt.Println(lines)
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// parent starts a child that dials the address, and waits for it to say that it
// has.
func parent(address string) {
	command := Command("child=" + address)
	cmd := exec.Command(command[0], command[1:]...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = bufio.NewReader(out).ReadString('\n')
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer conn.Close()
	fmt.Println("connected")
	stay()
}

type engine struct {
	mode string
	out  *bufio.Writer
	game *game.Game
}

func (e *engine) say(format string, args ...any) {
	fmt.Fprintf(e.out, format+"\n", args...)
	e.out.Flush()
}

// serve answers the controller until it quits.
func (e *engine) serve(in io.Reader) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		switch kind {
		case "aei":
			e.say("protocol-version 1\nid name Fake\nid author Nobody\nid version 7\naeiok")
		case "isready":
			e.say("readyok")
		case "newgame":
			e.game = game.New()
		case "setposition":
			if board, side, err := game.ParsePosition(rest); err != nil {
				e.say("log Error: setposition: %v", err)
			} else {
				e.game = game.FromBoard(board, side)
			}
		case "makemove":
			turn, err := game.ParseTurn(e.game, rest)
			if err != nil {
				e.say("log Error: makemove: %v", err)
			}
			for _, a := range turn {
				e.game.Play(a)
			}
		case "go":
			if rest == "" {
				e.answer()
			}
		case "quit":
			return
		}
	}
}

// answer answers go.
func (e *engine) answer() {
	move := game.FormatTurn(e.game, Turn(e.game))
	switch e.mode {
	case "twice":
		defer e.say("bestmove %s", move)
	case "wordy":
		e.say("info %s", strings.Repeat("x", Wordy-len("info \n")))
	}
	if !e.game.InSetup() {
		switch e.mode {
		case "crash":
			fmt.Fprintln(os.Stderr, "segmentation fault, I fear")
			os.Exit(2)
		case "hang":
			stay()
		case "illegal":
			move = "Ea1n Ea2n"
		case "empty":
			move = ""
		case "resign":
			move = "resign"
		case "resigns":
			move = "Resigns"
		case "pass":
			move = "Ra2n pass"
		case "label":
			move = e.game.TurnLabel() + " " + move
		case "comma":
			move = strings.ReplaceAll(move, " ", ",")
		case "upper":
			e.say("BESTMOVE %s", move)
			return
		case "unended":
			fmt.Fprintf(e.out, "bestmove %s", move)
			e.out.Flush()
			stay()
		case "orphan":
			command := Command("mute")
			orphan := exec.Command(command[0], command[1:]...)
			orphan.Stdout = os.Stdout
			if err := orphan.Start(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			os.Exit(1)
		case "flood":
			for {
				e.say("info depth 4")
			}
		case "endless":
			for {
				fmt.Fprint(e.out, "info pv Ee2n ")
			}
		case "chatter":
			for {
				e.say("readyok")
			}
		case "steps":
			words := slices.DeleteFunc(strings.Fields(move), func(w string) bool { return strings.HasSuffix(w, "x") })
			move = strings.Join(words, " ")
		}
	}
	e.say("bestmove %s", move)
}
