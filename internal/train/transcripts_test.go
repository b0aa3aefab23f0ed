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

	"warren/internal/arena"
	"warren/internal/recipe"
	"warren/internal/settings"
)

var update = flag.Bool("update", false, "write what happens into the transcripts")

// TestTranscripts carries out the commands of testdata/*.txt, which begin with
// "> ", and compares what happens with the lines that follow them. Lines that begin
// with # are comments; a line of --- begins another run. The commands are:
//
//	train SETTING=VALUE ...          work on the run until it is finished
//	train until N ...                ... until N points of the series are written
//	kill in the match                of the second network, after half of its games
//	damage the match                 in the second line of its log
//	flip a bit of FILES              in the middle of the first file that matches the pattern
//	cut off the end of FILES         of the last file that matches
//	remove FILES                     all files that match
//	status                           print which network plays
//	records                          print the saved results
//	weights                          compare them with those of an uninterrupted run
//	files FILES                      count the files that match
//
// The answers omit scores, which differ between processors.
func TestTranscripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) < 2 {
		t.Fatalf("found the transcripts %v, %v", paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			transcript(t, path)
		})
	}
}

func transcript(t *testing.T, path string) {
	var got strings.Builder
	for i, text := range strings.Split(string(read(t, path)), "---\n") {
		if i > 0 {
			got.WriteString("---\n")
		}
		s := &script{t: t, path: filepath.Join(t.TempDir(), "run")}
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

// script is one run of a transcript.
type script struct {
	t        *testing.T
	path     string
	settings []string
}

// obey carries out a command and returns what happened, one event a line.
func (s *script) obey(command string) string {
	for prefix, do := range map[string]func(rest string) string{
		"train until ":        s.trainUntil,
		"flip a bit of ":      s.flip,
		"cut off the end of ": s.cutOff,
		"remove ":             s.remove,
		"files ":              func(pattern string) string { return fmt.Sprintln(len(s.files(pattern))) },
	} {
		if rest, ok := strings.CutPrefix(command, prefix); ok {
			return do(rest)
		}
	}
	if words := strings.Fields(command); words[0] == "train" {
		return s.train(-1, words[1:]...)
	}
	switch command {
	case "kill in the match":
		return s.kill()
	case "damage the match":
		games := filepath.Join(s.path, "matches", "gen-00002-gatekeeper", arena.GamesFile)
		content := read(s.t, games)
		content[bytes.IndexByte(content, '\n')+1] = '!'
		s.write(games, content)
		return ""
	case "status":
		return s.status()
	case "records":
		return s.records()
	case "weights":
		return s.weights()
	}
	s.t.Fatalf("there is no command %q", command)
	return ""
}

func (s *script) trainUntil(text string) string {
	var points int
	words := strings.Fields(text)
	if _, err := fmt.Sscan(words[0], &points); err != nil {
		s.t.Fatal(err)
	}
	return s.train(points, words[1:]...)
}

// files returns the run's files that match a pattern.
func (s *script) files(pattern string) []string {
	all, err := filepath.Glob(filepath.Join(s.path, filepath.FromSlash(pattern)))
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func (s *script) flip(pattern string) string {
	path := s.files(pattern)[0]
	content := read(s.t, path)
	content[len(content)/2] ^= 4
	s.write(path, content)
	return ""
}

func (s *script) cutOff(pattern string) string {
	all := s.files(pattern)
	path := all[len(all)-1]
	content := read(s.t, path)
	s.write(path, content[:len(content)*2/3])
	return ""
}

func (s *script) remove(pattern string) string {
	for _, path := range s.files(pattern) {
		if err := os.Remove(path); err != nil {
			s.t.Fatal(err)
		}
	}
	return ""
}

// weights compares the networks with those of an undisturbed run with the same
// settings.
func (s *script) weights() string {
	whole := &script{t: s.t, path: filepath.Join(s.t.TempDir(), filepath.Base(s.path)), settings: s.settings}
	whole.train(-1)
	names := whole.files("networks/*.safetensors")
	same := 0
	for _, path := range names {
		theirs, err := os.ReadFile(filepath.Join(s.path, "networks", filepath.Base(path)))
		if err == nil && bytes.Equal(theirs, read(s.t, path)) {
			same++
		}
	}
	return fmt.Sprintf("%d of %d networks are those of an uninterrupted run\n", same, len(names))
}

// gates are words for the two hypotheses of a gatekeeper that accepts or rejects every network.
var gates = map[string][2]float64{"accepting": {-1000, -900}, "rejecting": {900, 1000}}

// train works on the run until it has written this many more points of the series;
// -1 means until its end. The settings stay in force unless they are refused.
func (s *script) train(points int, set ...string) string {
	c := tiny(recipe.Sync)
	c.Match.Visits, c.Match.TurnLimit, c.Match.Gatekeeper.Games = 2, 16, 6
	c.Seed = 2 // with which no network loses all games of a match, on any path of the kernels
	set = append(slices.Clone(s.settings), set...)
	given := slices.DeleteFunc(slices.Clone(set), func(word string) bool {
		test, ok := gates[word]
		if ok {
			c.Match.Gatekeeper.Test.Elo0, c.Match.Gatekeeper.Test.Elo1 = test[0], test[1]
		}
		return ok
	})
	if err := settings.Read("", given, &c); err != nil {
		return err.Error() + "\n"
	}
	dir, err := OpenDir(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer dir.Close()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	w, sink := &watcher{}, &watcher{cancel: cancel, left: points}
	run, err := Open(ctx, dir, c, sink, nil, slog.New(w))
	if err != nil {
		return strings.ReplaceAll(err.Error(), s.path, "RUN") + "\n"
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
			about, _, _ = strings.Cut(about, " path=")
			fmt.Fprintln(&text, about)
		}
	}
	if !finished {
		fmt.Fprintln(&text, "stopped")
	}
	return text.String()
}

// kill finishes the run, then puts back its state from before with half of the
// games of the second network's match, as a kill during the match leaves it.
func (s *script) kill() string {
	before := filepath.Join(s.t.TempDir(), "before")
	if err := os.CopyFS(before, os.DirFS(s.path)); err != nil {
		s.t.Fatal(err)
	}
	s.train(-1)
	const games = "matches/gen-00002-gatekeeper/" + arena.GamesFile
	lines := bytes.SplitAfter(read(s.t, filepath.Join(s.path, games)), []byte("\n"))
	s.path = before
	if err := os.MkdirAll(filepath.Dir(filepath.Join(s.path, games)), 0o777); err != nil {
		s.t.Fatal(err)
	}
	half := bytes.Join(lines[:3+(len(lines)-3)/2], nil) // the rules and two players come first
	s.write(filepath.Join(s.path, games), half)
	return fmt.Sprintf("killed after %d of %d games\n", bytes.Count(half, []byte(`{"game":`)), len(lines)-4)
}

func (s *script) status() string {
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

func (s *script) records() string {
	all, err := (&Dir{path: s.path}).records(slog.New(slog.DiscardHandler))
	if err != nil {
		s.t.Fatal(err)
	}
	var text strings.Builder
	for _, m := range all {
		fmt.Fprintf(&text, "%s against %s: gatekeeper %t, turn limit %d, %d visits, win_test_steps %s\n", m.Player, m.Opponent, m.Gatekeeper, m.TurnLimit, m.Visits, m.Search["win_test_steps"])
		if n := 2 * (m.Score.Pairs[0] + m.Score.Pairs[1] + m.Score.Pairs[2]); n == 0 || n > m.Score.Games() {
			s.t.Errorf("the test counted %d games of %d", n, m.Score.Games())
		}
	}
	return text.String()
}

func (s *script) write(path string, content []byte) {
	s.t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		s.t.Fatal(err)
	}
}
