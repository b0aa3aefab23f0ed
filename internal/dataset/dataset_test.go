package dataset_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"warren/data"
	"warren/data/datatest"
	"warren/data/replay"
	"warren/internal/dataset"
)

var options = dataset.Options{Format: dataset.Parquet, Licence: "cc-by-4.0"}

// shards writes records in shards of the given size into a new directory.
func shards(t *testing.T, records []*data.Record, size int) string {
	t.Helper()
	dir := t.TempDir()
	for part := range slices.Chunk(records, size) {
		if _, err := data.WriteShard(dir, 0, part); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// mixed returns whole games and stopped ones, with and without a result, in an order that is not that of their numbers.
func mixed() []*data.Record {
	records := slices.Concat(datatest.Records(0, 5, 0), datatest.Records(5, 55, 60))
	none := datatest.Record(60, 20)
	none.Result = data.Record{}.Result
	other := datatest.Record(7, 40) // of another run
	other.Run = "another"
	records = append(records, none, other)
	var turned []*data.Record
	for i := range 7 {
		for j := i; j < len(records); j += 7 {
			turned = append(turned, records[j])
		}
	}
	return turned
}

// The card counts every position with a search once, by how it was searched. A drawn placement is no search, and no policy
// target is known of it.
func TestCardCountsSearches(t *testing.T) {
	records, counts := mixed(), [4]int{}
	for _, r := range records {
		for i := range r.Decisions {
			d := &r.Decisions[i]
			switch {
			case d.Drawn():
				counts[2]++
				continue
			case d.Full:
				counts[0]++
			case d.Searched():
				counts[1]++
			}
			if d.PolicyWeight > 0 {
				counts[3]++
			}
		}
	}
	out, _ := write(t, shards(t, records, 10), options)
	card := contents(t, out)[dataset.Card]
	for i, what := range []string{"full search", "fast search", "placement that was drawn from the policy", "policy target"} {
		if line := fmt.Sprintf("| with a %s | %d |\n", what, counts[i]); counts[i] == 0 || !strings.Contains(card, line) {
			t.Errorf("the card does not have the line %s", line)
		}
	}
}

func write(t *testing.T, dir string, o dataset.Options) (out string, p dataset.Progress) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "out")
	p, err := dataset.Write(t.Context(), dir, out, o)
	if err != nil {
		t.Fatal(err)
	}
	return out, p
}

// Every row is that of the game that it came from, in either format: the records can be made again from the rows.
func TestRowsAreTheGames(t *testing.T) {
	records := mixed()
	positions := 0
	want := map[data.Hash][]byte{}
	for _, r := range records {
		positions += len(r.Decisions)
		plain := *r
		plain.Decisions = slices.Clone(r.Decisions)
		for i := range plain.Decisions {
			d := &plain.Decisions[i]
			if d.Drawn() {
				d.PolicyWeight = 0 // its target is not in the record
			}
			visits := data.Decision{Visits: d.Visits}
			if d.PolicyWeight == 0 || d.Searched() && slices.Equal(d.Policy, visits.Target(nil)) {
				d.Policy = nil // it is no target, or what a record without a policy means
			}
		}
		want[r.Hash()], _ = plain.AppendBinary(nil)
	}
	dir := shards(t, records, 10)
	if _, err := data.WriteShard(dir, 0, records[5:25]); err != nil { // games twice
		t.Fatal(err)
	}
	for _, format := range []string{dataset.Parquet, dataset.JSON} {
		o := options
		o.Format = format
		out, p := write(t, dir, o)
		if p.Games != len(records) || p.Positions != positions || p.Shards != 8 || p.Of != 8 {
			t.Errorf("%s: it says %+v", format, p)
		}
		all, seen := readAll(t, out), map[data.Hash]bool{}
		if format == dataset.JSON {
			nulls(t, all)
		}
		for _, split := range dataset.Splits {
			last := uint64(0)
			for _, r := range all.records(t, split) {
				if got, _ := r.AppendBinary(nil); !bytes.Equal(got, want[r.ID]) {
					t.Errorf("%s: the rows of game %d are not those of its record", format, r.Game)
				}
				if seen[r.ID] || r.Game < last || dataset.Split(r.Game) != split {
					t.Errorf("%s: game %d is in %s, after %d", format, r.Game, split, last)
				}
				seen[r.ID], last = true, r.Game
			}
		}
		if len(seen) != len(records) {
			t.Errorf("%s: %d games, want %d", format, len(seen), len(records))
		}
	}
}

// A split is a function of the game's number. Games that the default settings hold out are in test.
func TestSplits(t *testing.T) {
	count := map[string]int{}
	first := ""
	for n := range uint64(20000) {
		split := dataset.Split(n)
		count[split]++
		if n < 60 {
			first += map[string]string{"train": ".", "validation": "v", "test": "t"}[split]
		}
		if held := replay.HeldOut(n, replay.DefaultConfig().HeldOutFraction); held != (split == "test") {
			t.Fatalf("game %d is in %s, and held out: %t", n, split, held)
		}
	}
	if count["train"] != 17999 || count["validation"] != 1000 || count["test"] != 1001 {
		t.Errorf("20000 games are split into %v", count)
	}
	// These never change, so that data sets of different versions have the same splits.
	if want := "t....v.......t............v.......t............t............"; first != want {
		t.Errorf("the first games are in\n%s, want\n%s", first, want)
	}
}

// The same games give the same bytes, in whatever shards they are.
func TestSameBytes(t *testing.T) {
	records := mixed()
	for _, format := range []string{dataset.Parquet, dataset.JSON} {
		o := options
		o.Format = format
		var before map[string]string
		for _, size := range []int{len(records), 4, 9} {
			out, _ := write(t, shards(t, records, size), o)
			files := contents(t, out)
			if before != nil && !reflect.DeepEqual(files, before) {
				t.Errorf("%s: the data set of shards of %d games is another", format, size)
			}
			before = files
		}
	}
}

// contents returns the content of every file below dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The card is right about the files, and its head leads to them.
func TestCard(t *testing.T) {
	records := mixed()
	records[0].Run = "a|b`\n"
	for i, o := range []dataset.Options{options, {Format: dataset.JSON, Licence: "mit",
		Settings: []*dataset.Known{{Hash: records[0].Settings, Text: "search.rule=puct\n", Must: true}, {Hash: "of no game", Text: "wrong", Must: true}},
		Networks: []*dataset.Known{{Hash: "abc", Text: "few parameters", Must: true}}}} {
		out, p := write(t, shards(t, records, 10), o)
		files := contents(t, out)
		card := files[dataset.Card]
		_, rest, _ := strings.Cut(card, "---\n")
		head, text, _ := strings.Cut(rest, "---\n")
		var h struct {
			License string
			Configs []struct {
				Name  string                         `yaml:"config_name"`
				Files []struct{ Split, Path string } `yaml:"data_files"`
			}
		}
		if err := yaml.Unmarshal([]byte(head), &h); err != nil {
			t.Fatal(err)
		}
		if h.License != o.Licence || len(h.Configs) != 2 || h.Configs[0].Name != "positions" || h.Configs[1].Name != "games" {
			t.Errorf("the head says %+v", h)
		}
		named := 0
		for _, c := range h.Configs {
			for j, f := range c.Files {
				sum := sha256.Sum256([]byte(files[f.Path]))
				line := fmt.Sprintf("| %d | %s |\n", len(files[f.Path]), hex.EncodeToString(sum[:]))
				if files[f.Path] == "" || f.Split != dataset.Splits[j] || !strings.HasPrefix(f.Path, c.Name+"/"+f.Split+".") || !strings.Contains(text, line) {
					t.Errorf("the card is wrong about %s of %s: %s", f.Split, c.Name, f.Path)
				}
				named++
			}
		}
		if named != 6 || len(files) != 7 {
			t.Errorf("the head names %d files of %d", named, len(files)-1)
		}
		for _, part := range []string{fmt.Sprintf("| all | %d | %d |", p.Games, p.Positions), "| a\\|b\\`\\\\n | 7 |", "`" + o.Licence + "`",
			"| that ended by goal |", "| that were stopped without a result | 1 |",
			[]string{"settings was not at hand", "\n    search.rule=puct\n"}[i], "| `visits` | list of {action: uint16, count: uint32} |"} {
			if !strings.Contains(text, part) {
				t.Errorf("the card does not have %q:\n%s", part, text)
			}
		}
		if strings.Contains(text, "wrong") {
			t.Error("the card has settings of no game")
		}
		if strings.Contains(text, "Network abc: few parameters.") != (i == 1) {
			t.Error("the card does not know the network")
		}
	}
}

// Settings or a network that no game has are an error, if they must be those of the games.
func TestSettingsOfOtherGames(t *testing.T) {
	dir, parent := shards(t, datatest.Records(0, 3, 50), 3), t.TempDir()
	for i, use := range []func(*dataset.Options, *dataset.Known){
		func(o *dataset.Options, k *dataset.Known) { o.Settings = []*dataset.Known{k} },
		func(o *dataset.Options, k *dataset.Known) { o.Networks = []*dataset.Known{k} },
	} {
		o, out := options, filepath.Join(parent, fmt.Sprint(i))
		k := &dataset.Known{Hash: "others", Text: "wrong", Source: "my file", Must: true}
		use(&o, k)
		_, err := dataset.Write(t.Context(), dir, out, o)
		oneLine(t, err, "my file", "others")
		if _, err := os.Stat(out); err == nil {
			t.Error("there is a data set after an error")
		}
		k.Must = false
		if _, err := dataset.Write(t.Context(), dir, out, o); err != nil || strings.Contains(contents(t, out)[dataset.Card], "wrong") {
			t.Errorf("error %v, or the card has what is of other games", err)
		}
	}
}

// empty fails if dir has anything in it.
func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// What is damaged, old or not there is a line that names it, and nothing is left behind.
func TestBadInput(t *testing.T) {
	spoil := func(change func(content []byte) []byte) func(t *testing.T, dir, last string) {
		return func(t *testing.T, _, last string) {
			content, err := os.ReadFile(last)
			if err == nil {
				err = os.WriteFile(last, change(content), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir, last string)
		parts []string
	}{
		"cut":     {spoil(func(b []byte) []byte { return b[:len(b)-9] }), []string{"damaged", "games-00000020-"}},
		"flipped": {spoil(func(b []byte) []byte { b[len(b)/2] ^= 4; return b }), []string{"damaged", "games-00000020-"}},
		"named": {func(t *testing.T, dir, _ string) { create(t, filepath.Join(dir, "games-new.parquet")) },
			[]string{"games-new.parquet"}},
		"older": {func(t *testing.T, dir, _ string) {
			if err := os.CopyFS(dir, os.DirFS("../convert/testdata/v4")); err != nil {
				t.Fatal(err)
			}
		}, []string{"warren convert"}},
		"missing": {func(t *testing.T, dir, _ string) { os.RemoveAll(dir) }, []string{"there is no directory"}},
		"none": {func(t *testing.T, dir, _ string) {
			for _, path := range paths(t, dir) {
				os.Remove(path)
			}
		}, []string{"has no games"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, parent := shards(t, datatest.Records(0, 30, 60), 10), t.TempDir()
			c.spoil(t, dir, paths(t, dir)[2])
			_, err := dataset.Write(t.Context(), dir, filepath.Join(parent, "out"), options)
			oneLine(t, err, c.parts...)
			empty(t, parent)
		})
	}
}

func create(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
}

func paths(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(all) < 3 {
		t.Fatal(all, err)
	}
	return all
}

// A data set that is stopped is not there.
func TestStopped(t *testing.T) {
	dir, parent := shards(t, datatest.Records(0, 30, 60), 10), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	o := options
	o.Progress = func(p dataset.Progress) {
		if p.Games == 15 {
			cancel()
		}
	}
	if p, err := dataset.Write(ctx, dir, filepath.Join(parent, "out"), o); !errors.Is(err, context.Canceled) || p.Games != 15 {
		t.Errorf("%+v, error %v", p, err)
	}
	empty(t, parent)
}

// killed is an environment variable: where this test, as a process of its own, writes a data set until it is killed.
const killed = "WRITE_A_DATA_SET_UNTIL_KILLED"

// A process that is killed while it writes leaves no data set. The next one does not mind what is left.
func TestKilled(t *testing.T) {
	if where, ok := os.LookupEnv(killed); ok {
		dir, out, _ := strings.Cut(where, "|")
		o := options
		o.Progress = func(p dataset.Progress) {
			if p.Games == 25 {
				fmt.Println("\nnow")
				select {}
			}
		}
		dataset.Write(context.Background(), dir, out, o)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Skipf("there is no process to kill: %v", err)
	}
	dir, parent := shards(t, datatest.Records(0, 30, 60), 10), t.TempDir()
	out := filepath.Join(parent, "out")
	c := exec.Command(program, "-test.run=^TestKilled$")
	c.Env = append(os.Environ(), killed+"="+dir+"|"+out)
	output, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Skipf("there is no process to kill: %v", err) // an emulator may start none
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() && lines.Text() != "now" {
	}
	c.Process.Kill()
	c.Wait()
	if _, err := os.Stat(out); err == nil {
		t.Error("half of a data set has its name")
	}
	if left := names(t, parent); len(left) != 1 || !strings.HasPrefix(left[0], ".tmp-") {
		t.Fatalf("it was not killed in the middle: %v", left)
	}
	if _, err := dataset.Write(t.Context(), dir, out, options); err != nil {
		t.Fatal(err)
	}
	whole, _ := write(t, dir, options)
	if !reflect.DeepEqual(contents(t, out), contents(t, whole)) {
		t.Error("after a kill the data set is another")
	}
	if left := names(t, parent); !slices.Equal(left, []string{"out"}) {
		t.Errorf("afterwards there are %v", left)
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Every column has a name in both formats, and a description that fits a line of a table.
func TestColumns(t *testing.T) {
	for _, row := range []reflect.Type{reflect.TypeFor[dataset.Game](), reflect.TypeFor[dataset.Position]()} {
		for i := range row.NumField() {
			f := row.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			if doc := f.Tag.Get("doc"); name == "" || name != f.Tag.Get("json") || doc == "" || regexp.MustCompile("[|\n]").MatchString(doc) {
				t.Errorf("%v.%s: %s", row, f.Name, f.Tag)
			}
		}
	}
}
