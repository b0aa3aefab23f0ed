package train

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/configs"
	"warren/match"
)

var update = flag.Bool("update", false, "write what happens into the transcripts")

// TestGatekeeperTranscripts carries out the commands of testdata/gatekeeper.txt,
// which begin with "> ", and compares what happens with the lines that follow
// them. Lines that begin with # are comments; a line of --- begins another run.
// The commands are:
//
//	train SETTING=VALUE ...          work on the run until it is finished
//	train until waiting SETTING ...  ... until the second network waits for its match
//	kill in the match                from there, as if killed after half of the games
//	damage the games                 of the match, in their middle
//	status                           which network plays
//	records                          the results that are kept
//
// The answers leave out scores, which differ between processors.
func TestGatekeeperTranscripts(t *testing.T) {
	const path = "testdata/gatekeeper.txt"
	var got strings.Builder
	for i, text := range strings.Split(string(read(t, path)), "---\n") {
		if i > 0 {
			got.WriteString("---\n")
		}
		s := &gateScript{t: t, path: filepath.Join(t.TempDir(), "run")}
		for line := range strings.Lines(text) {
			switch command, ok := strings.CutPrefix(line, "> "); {
			case ok:
				got.WriteString(line + s.obey(strings.TrimSpace(command)))
			case strings.HasPrefix(line, "#") || line == "\n":
				got.WriteString(line)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(read(t, path)); got.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
	}
}

// gateScript is one run of a transcript.
type gateScript struct {
	t        *testing.T
	path     string
	settings []string
}

// obey carries out a command and returns what happened, in lines.
func (s *gateScript) obey(command string) string {
	words, train := strings.CutPrefix(command, "train")
	words, waiting := strings.CutPrefix(words, " until waiting")
	switch {
	case train:
		return s.train(waiting, strings.Fields(words)...)
	case command == "kill in the match":
		return s.kill()
	case command == "damage the games":
		games := filepath.Join(s.path, "matches", "gen-00002-gatekeeper", match.GamesFile)
		content := read(s.t, games)
		content[bytes.IndexByte(content, '\n')+1] = '!'
		s.write(games, content)
		return ""
	case command == "status":
		return s.status()
	case command == "records":
		return s.records()
	}
	s.t.Fatalf("there is no command %q", command)
	return ""
}

// train works on the run, with these settings from now on unless they are refused.
func (s *gateScript) train(untilWaiting bool, set ...string) string {
	c := tiny(Sync)
	c.Match.Visits, c.Match.TurnLimit, c.Match.Gatekeeper.Games = 2, 16, 6
	set = append(slices.Clone(s.settings), set...)
	if err := configs.Read("", set, &c); err != nil {
		return err.Error() + "\n"
	}
	dir, err := OpenDir(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer dir.Close()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	w, sink := &watcher{}, &watcher{cancel: cancel}
	if untilWaiting {
		sink.left = 2 // points of the series: a generation's come before its match
	}
	run, err := Open(dir, c, sink, slog.New(w))
	if err != nil {
		return err.Error() + "\n"
	}
	s.settings = set
	if err := run.Train(ctx); err != nil {
		s.t.Fatal(err)
	}
	finished := run.Finished()
	if err := run.Close(); err != nil {
		s.t.Fatal(err)
	}
	var text strings.Builder
	for _, line := range w.lines {
		if verdict, _, ok := strings.Cut(line, " ("); ok && strings.HasPrefix(line, "gatekeeper: ") {
			fmt.Fprintln(&text, verdict)
		}
		if about, _, ok := strings.Cut(line, " error="); ok {
			fmt.Fprintln(&text, about)
		}
	}
	if !finished {
		fmt.Fprintln(&text, "stopped")
	}
	return text.String()
}

// kill goes on, and takes back all but the first half of the match's games.
func (s *gateScript) kill() string {
	before := filepath.Join(s.t.TempDir(), "before")
	if err := os.CopyFS(before, os.DirFS(s.path)); err != nil {
		s.t.Fatal(err)
	}
	s.train(false)
	const games = "matches/gen-00002-gatekeeper/" + match.GamesFile
	lines := bytes.SplitAfter(read(s.t, filepath.Join(s.path, games)), []byte("\n"))
	s.path = before
	if err := os.MkdirAll(filepath.Dir(filepath.Join(s.path, games)), 0o777); err != nil {
		s.t.Fatal(err)
	}
	half := bytes.Join(lines[:3+(len(lines)-3)/2], nil) // the rules and two players come first
	s.write(filepath.Join(s.path, games), half)
	return fmt.Sprintf("killed after %d of %d games\n", bytes.Count(half, []byte(`{"game":`)), len(lines)-4)
}

func (s *gateScript) status() string {
	dir, err := OpenDir(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer dir.Close()
	now, _, err := dir.loadCheckpoint(slog.New(slog.DiscardHandler))
	if err != nil {
		s.t.Fatal(err)
	}
	text := fmt.Sprintf("generation %d is the newest, generation %d plays", now.Generation, now.playing())
	if now.Untested {
		text += fmt.Sprintf(", generation %d waits for its match", now.Generation)
	}
	return text + "\n"
}

func (s *gateScript) records() string {
	all, err := (&Dir{path: s.path}).records()
	if err != nil {
		s.t.Fatal(err)
	}
	var text strings.Builder
	for _, m := range all {
		fmt.Fprintf(&text, "%s against %s: gatekeeper %t, turn limit %d, %d visits, cpuct_init %s\n", m.Player, m.Opponent, m.Gatekeeper, m.TurnLimit, m.Visits, m.Search["cpuct_init"])
		if n := 2 * (m.Score.Pairs[0] + m.Score.Pairs[1] + m.Score.Pairs[2]); n == 0 || n > m.Score.Games() {
			s.t.Errorf("the test counted %d games of %d", n, m.Score.Games())
		}
	}
	return text.String()
}

func (s *gateScript) write(path string, content []byte) {
	s.t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		s.t.Fatal(err)
	}
}
