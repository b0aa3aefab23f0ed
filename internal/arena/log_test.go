package arena

import (
	"bytes"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// holdLogged is like hold, and returns what is said about the log.
func holdLogged(t *testing.T, dir string, c TournamentConfig, players []*Entrant) (s *Standings, said string) {
	t.Helper()
	var out bytes.Buffer
	c.Log = slog.New(slog.NewTextHandler(&out, nil))
	s = hold(t, dir, c, players, -1)
	return s, out.String()
}

// finished plays a tournament of three and returns its log and its games.
func finished(t *testing.T) (content []byte, games map[string]string) {
	t.Helper()
	dir := t.TempDir()
	hold(t, dir, rules(4), field(0.9, 0.6, 0.3), -1)
	content, err := os.ReadFile(filepath.Join(dir, GamesFile))
	if err != nil {
		t.Fatal(err)
	}
	return content, logged(t, dir)
}

// written returns a directory with a log.
func written(t *testing.T, content []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, GamesFile), content, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Whatever bit of a log flips, the damage is said, the line is set aside, and the
// tournament ends with the games that it would have had.
func TestFlippedBits(t *testing.T) {
	content, want := finished(t)
	rng := rand.New(rand.NewPCG(6, 6))
	tries := 400
	if testing.Short() {
		tries = 100
	}
	for range tries {
		damaged := bytes.Clone(content)
		i, bit := rng.IntN(len(damaged)), byte(1)<<rng.IntN(8)
		damaged[i] ^= bit
		dir := written(t, damaged)
		_, said := holdLogged(t, dir, rules(4), field(0.9, 0.6, 0.3))
		if got := logged(t, dir); !maps.Equal(got, want) {
			t.Fatalf("bit %d of byte %d, %q, flipped: %d games, want %d", bit, i, content[i], len(got), len(want))
		}
		// A last line without its end is one that a kill left.
		if i < len(content)-1 && strings.Count(said, "setting aside a damaged line") == 0 {
			t.Fatalf("bit %d of byte %d, %q, flipped: said %q", bit, i, content[i], said)
		}
		if _, said = holdLogged(t, dir, rules(4), field(0.9, 0.6, 0.3)); said != "" {
			t.Fatalf("said again: %q", said)
		}
	}
}

// Several damaged lines, the rules among them, are kept as they were.
func TestDamagedLinesAreSetAside(t *testing.T) {
	content, want := finished(t)
	lines := bytes.SplitAfter(content, []byte("\n"))
	lines[0] = bytes.Replace(lines[0], []byte(`"seed":3`), []byte(`"seed":4`), 1)
	lines[2] = []byte("\x00\xff\n")
	lines[5] = bytes.Replace(lines[5], []byte(`"winner":"gold"`), []byte(`"winner":"lead"`), 1)
	lines[6] = bytes.Replace(lines[6], []byte(`"turns":`), []byte(`"turns":1`), 1)
	lines[7] = lines[7][:len(lines[7])/2]
	dir := written(t, bytes.Join(lines, nil))
	_, said := holdLogged(t, dir, rules(4), field(0.9, 0.6, 0.3))
	if got := logged(t, dir); !maps.Equal(got, want) {
		t.Errorf("%d games, want %d", len(got), len(want))
	}
	for _, number := range []string{" line=1 ", " line=3 ", " line=7 ", " line=8 ", "the damaged line has the rules"} {
		if strings.Count(said, number) != 1 {
			t.Errorf("not said once: %q in %q", number, said)
		}
	}
	aside, err := os.ReadFile(filepath.Join(dir, GamesFile+damagedSuffix))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{0, 2, 6, 7} {
		if !bytes.Contains(aside, lines[k]) {
			t.Errorf("line %d is lost: %q", k+1, lines[k])
		}
	}
	c := rules(4)
	c.Seed++
	if _, err := NewTournament(dir, c, field(0.9, 0.6, 0.3)); err == nil || !strings.Contains(err.Error(), "the seed 3, and now it is 4") {
		t.Errorf("with another seed: %v", err)
	}
}

// A log of an earlier version, without checksums, is read and given them. What cannot
// be read or played in it is damage too.
func TestLogsWithoutChecksums(t *testing.T) {
	content, want := finished(t)
	var old []byte
	for text := range bytes.Lines(content) {
		if !isSealed(bytes.TrimSuffix(text, []byte("\n"))) {
			t.Fatalf("no checksum in %q", text)
		}
		old = append(append(old, text[:bytes.LastIndex(text, []byte(`,"sum":`))]...), "}\n"...)
	}
	dir := written(t, old)
	_, said := holdLogged(t, dir, rules(4), field(0.9, 0.6, 0.3))
	if got, err := os.ReadFile(filepath.Join(dir, GamesFile)); err != nil || said != "" || !bytes.Equal(got, content) {
		t.Errorf("%v; said %q; the log is now\n%s", err, said, got)
	}
	for before, after := range map[string]string{
		`"winner":"gold"`: `"winner":"lead"`,
		`"pair":0`:        `"pair":1000000000000`, // its missing games would fill the memory
		`"reason":"`:      `"reason":"of `,
		`{"game":`:        `{"game":[`,
	} {
		damaged := []byte(strings.Replace(string(old), before, after, 1))
		dir := written(t, damaged)
		if got := logged(t, dir); len(got) != len(want)-1 {
			t.Errorf("%s: %d of %d games", after, len(got), len(want))
		}
		_, said := holdLogged(t, dir, rules(4), field(0.9, 0.6, 0.3))
		if got := logged(t, dir); !maps.Equal(got, want) || strings.Count(said, "setting aside") != 1 {
			t.Errorf("%s: %d games, want %d; said %q", after, len(got), len(want), said)
		}
	}
}

// A file of other lines is no tournament's log, and stays as it is.
func TestOtherLogs(t *testing.T) {
	for content, want := range map[string]string{
		`{"player":{"name":"p0","identity":"x"}}`: "line 1 comes before the rules",
		`{"step":1}`: "line 1: it has neither",
		`step 1`:     "line 1: invalid",
	} {
		dir := written(t, []byte(content+"\n"))
		if _, err := NewTournament(dir, rules(2), field(0.9, 0.5)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", content, err)
		}
		if now, err := os.ReadFile(filepath.Join(dir, GamesFile)); err != nil || string(now) != content+"\n" {
			t.Errorf("%s is now %s, %v", content, now, err)
		}
	}
}

// A game that is in the log twice counts once.
func TestGameLoggedTwice(t *testing.T) {
	content, _ := finished(t)
	last := content[bytes.LastIndexByte(content[:len(content)-1], '\n')+1:]
	want, _ := holdLogged(t, written(t, content), rules(4), field(0.9, 0.6, 0.3))
	got, said := holdLogged(t, written(t, slices.Concat(content, last)), rules(4), field(0.9, 0.6, 0.3))
	if said != "" || !reflect.DeepEqual(got.Pairings, want.Pairings) {
		t.Errorf("said %q; the pairings are %+v, want %+v", said, got.Pairings, want.Pairings)
	}
}

// A log that is being written has its whole lines.
func TestGamesOfAGrowingLog(t *testing.T) {
	content, want := finished(t)
	if got := logged(t, written(t, append(content, `{"game":{"gold":"p1","sil`...))); !maps.Equal(got, want) {
		t.Errorf("%d games, want %d", len(got), len(want))
	}
	if got := logged(t, t.TempDir()); len(got) != 0 {
		t.Errorf("%d games in an empty directory", len(got))
	}
}
