package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"warren/internal/nettest"
	"warren/net"
	"warren/net/bundled"
	"warren/net/onnx"
)

// trained saves a small network as a run would and returns it with its file.
func trained(t *testing.T) (n *net.Network, path string) {
	t.Helper()
	n = nettest.New(t, net.Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 4}, 1)
	path = nettest.Save(t, filepath.Join(t.TempDir(), "gen-00007.safetensors"), n, map[string]string{"run": "quick", "generation": "7"})
	return n, path
}

func TestOneFileByItsEnding(t *testing.T) {
	n, path := trained(t)
	f := flags{Network: path, Out: filepath.Join(t.TempDir(), "out.onnx")}
	var out strings.Builder
	// Run twice, because an existing model must be replaced.
	for range 2 {
		out.Reset()
		if err := f.run(&out); err != nil {
			t.Fatal(err)
		}
	}
	want, err := onnx.Build(n, map[string]string{"run": "quick", "generation": "7"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(f.Out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the file differs from the model of the network with its provenance")
	}
	for _, part := range []string{"1x8", "run quick, generation 7", n.Hash()[:16],
		"planes  float32 [batch, 8, 8, 40]", "policy  float32 [batch, 263]", "value   float32 [batch, 1]"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the report does not contain %q:\n%s", part, out.String())
		}
	}
}

func TestAllFormatsAndTheCard(t *testing.T) {
	n, path := trained(t)
	dir := filepath.Join(t.TempDir(), "exported") + "/"
	f := flags{Network: path, Out: dir}
	if err := f.run(io.Discard); err != nil {
		t.Fatal(err)
	}
	back, meta, err := net.Load(filepath.Join(dir, "gen-00007.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if back.Hash() != n.Hash() || meta["run"] != "quick" || meta["generation"] != "7" {
		t.Errorf("the copy is another network or has another provenance: %v", meta)
	}

	content, err := os.ReadFile(filepath.Join(dir, "gen-00007.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c card
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		t.Fatal(err)
	}
	if c.Architecture != n.Config || c.Hash != n.Hash() || c.Provenance["generation"] != "7" || c.Rating != nil {
		t.Errorf("the card says %+v", c)
	}
	if !slices.Equal(c.Planes, net.Planes()) || !slices.Equal(c.Actions, net.Actions()) || len(c.Tensors) != len(n.Params) {
		t.Error("the card does not explain the planes, the actions and the tensors")
	}
	if len(c.Files) != 3 {
		t.Fatalf("the card lists the files %v", c.Files)
	}
	for _, file := range c.Files {
		content, err := os.ReadFile(filepath.Join(dir, file.Name))
		if err != nil {
			t.Fatal(err)
		}
		if digest := sha256.Sum256(content); hex.EncodeToString(digest[:]) != file.SHA256 || file.Bytes != int64(len(content)) {
			t.Errorf("the card is wrong about %s", file.Name)
		}
	}
}

// The bundled network is exported by its name.
func TestBox(t *testing.T) {
	dir := t.TempDir()
	f := flags{Network: bundled.Name, Out: dir + "/"}
	if err := f.run(io.Discard); err != nil {
		t.Fatal(err)
	}
	want, _, err := bundled.Checkpoint(bundled.Name)
	if err != nil {
		t.Fatal(err)
	}
	n, meta, err := net.Load(filepath.Join(dir, "warren.safetensors"))
	if err != nil || n.Hash() != want.Hash() || meta["run"] == "" {
		t.Errorf("%v: another network, or it has lost its provenance %v", err, meta)
	}
	for _, name := range []string{"warren.onnx", "warren.npz", "warren.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	f = flags{Network: filepath.Join(dir, "warren.safetensors"), Average: []string{bundled.Name}, Like: filepath.Join(dir, "warren.json"), Out: filepath.Join(dir, "mean.safetensors")}
	if err := f.run(io.Discard); err != nil {
		t.Error(err)
	}
	f = flags{Network: bundled.Name, Like: filepath.Join(dir, "warren.json"), Out: filepath.Join(dir, "like.onnx")}
	if err := f.run(io.Discard); err == nil || !strings.Contains(err.Error(), "leave it out with warren") {
		t.Errorf("got %v for an architecture that is known", err)
	}
}

// TestCardHasTheAuxiliaryHeads checks that the card describes every output of a network with all heads.
func TestCardHasTheAuxiliaryHeads(t *testing.T) {
	n := nettest.New(t, net.Config{Blocks: 1, Channels: 8, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 4,
		Auxiliary: strings.Join(net.AuxiliaryHeads(), " ")}, 1)
	path := nettest.Save(t, filepath.Join(t.TempDir(), "gen-00001.safetensors"), n, nil)
	c, err := newCard(path, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	heads := n.Config.Heads()
	if len(c.Outputs) != len(heads) || c.Architecture != n.Config {
		t.Fatalf("the card has the outputs %v of %+v", c.Outputs, c.Architecture)
	}
	for i, h := range heads {
		if got := c.Outputs[i]; got.Name != h.Name || !slices.Equal(got.Shape, []int{h.Size}) || got.Meaning != h.Meaning {
			t.Errorf("the card has the output %+v for the head %s", got, h.Name)
		}
	}
}

// TestCardHasTheMatches checks that the card contains the matches of the network, and not
// those of other networks of the run.
func TestCardHasTheMatches(t *testing.T) {
	n, path := trained(t)
	run := filepath.Join(t.TempDir(), "run[1]") // not a pattern
	for _, sub := range []string{"networks", "matches"} {
		if err := os.MkdirAll(filepath.Join(run, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	network := filepath.Join(run, "networks", "gen-00007.safetensors")
	if err := os.Rename(path, network); err != nil {
		t.Fatal(err)
	}
	for name, hash := range map[string]string{"mine": n.Hash(), "others": "0123"} {
		match := fmt.Sprintf(`{"opponent": %q, "network": %q, "visits": 48, "score": {"wins": 19, "losses": 1}, "rate": 0.95, "low": 0.76, "high": 0.99}`, name, hash)
		if err := os.WriteFile(filepath.Join(run, "matches", name+".json"), []byte(match), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ladder := fmt.Sprintf(`{"generation": 7, "network": %q, "zero": "random", "elo": 812.5, "margin": 40}`, n.Hash())
	if err := os.WriteFile(filepath.Join(run, "matches", "ladder-00007.json"), []byte(ladder), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := newCard(network, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (played{"mine", 48, 20, 0.95, 0.76, 0.99}); len(c.Matches) != 1 || c.Matches[0] != want {
		t.Errorf("the card has the matches %v, want %v", c.Matches, want)
	}
	if want := (rating{812.5, 40, "random"}); c.Rating == nil || *c.Rating != want {
		t.Errorf("the card has the rating %v, want %v", c.Rating, want)
	}
}

// TestNetworkFromElsewhere imports a network without metadata, with the architecture of a
// card and of another network.
func TestNetworkFromElsewhere(t *testing.T) {
	n, path := trained(t)
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.safetensors")
	tensors := slices.Clone(n.Params)
	slices.Reverse(tensors)
	if err := net.SaveTensors(foreign, tensors, nil); err != nil {
		t.Fatal(err)
	}
	if err := (&flags{Network: path, Out: filepath.Join(dir, "known.npz")}).run(io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, like := range []string{filepath.Join(dir, "known.json"), path} {
		mine := filepath.Join(dir, "mine.safetensors")
		if err := (&flags{Network: foreign, Out: mine, Like: like}).run(io.Discard); err != nil {
			t.Fatal(err)
		}
		back, _, err := net.Load(mine)
		if err != nil {
			t.Fatal(err)
		}
		if back.Hash() != n.Hash() {
			t.Errorf("like %s: another network was imported", like)
		}
	}
}

func TestBadInputGivesOneLine(t *testing.T) {
	n, path := trained(t)
	dir := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	save := func(name string, tensors []net.Tensor, meta map[string]string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := net.SaveTensors(path, tensors, meta); err != nil {
			t.Fatal(err)
		}
		return path
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(content)
	short := write("short.safetensors", whole[:len(whole)-9])
	newer := write("newer.safetensors", strings.Replace(whole, `"format_version":"1"`, `"format_version":"9"`, 1))
	later := save("later.safetensors", n.Params, map[string]string{"architecture": `{"blocks":1,"heads":4}`})
	flipped := write("flipped.safetensors", whole[:len(whole)-1]+string(whole[len(whole)-1]^1))
	text := write("text.safetensors", "This is a shopping list: bread, butter, eggs.\n")
	empty := write("empty.safetensors", "")
	other := save("other.safetensors", []net.Tensor{{Name: "a", Shape: []int{1}, Data: []float32{1}}}, nil)
	lacking := save("lacking.safetensors", n.Params[1:], nil)
	extra := save("extra.safetensors", append(slices.Clone(n.Params), net.Tensor{Name: "a", Shape: []int{1}, Data: []float32{1}}), nil)
	bent := slices.Clone(n.Params)
	bent[0].Shape = []int{9, 40, 8}
	shaped := save("shaped.safetensors", bent, nil)
	notCard := write("not.json", `{"name": "x"}`)
	notJSON := write("text.json", "bread")
	newCard := write("newer.json", `{"card_version": 2}`)
	badCard := write("bad.json", `{"architecture": {"blocks": 0}}`)
	another := write("another.json", `{"architecture": {"blocks":2,"channels":8,"pool_every":1,"policy_channels":2,"value_channels":1,"value_hidden":4}}`)
	missing := filepath.Join(dir, "missing.safetensors")
	model := filepath.Join(dir, "model.onnx")
	run := t.TempDir()
	newest := filepath.Join(run, "networks", "gen-00001.safetensors")
	if err := errors.Join(os.Mkdir(filepath.Dir(newest), 0o777), os.WriteFile(newest, content, 0o666)); err != nil {
		t.Fatal(err)
	}

	for name, test := range map[string]struct {
		flags
		want string
	}{
		"no such network":         {flags{Network: missing}, "missing.safetensors"},
		"truncated":               {flags{Network: short}, "short.safetensors: truncated"},
		"empty":                   {flags{Network: empty}, "too short for a safetensors file"},
		"newer":                   {flags{Network: newer}, `format version "9", but this program reads version 1`},
		"newer architecture":      {flags{Network: later}, "of a newer Warren"},
		"damaged":                 {flags{Network: flipped}, "damaged: its content does not match"},
		"text":                    {flags{Network: text}, "not a safetensors file"},
		"not a network":           {flags{Network: other}, "other.safetensors: not a network's checkpoint"},
		"no architecture":         {flags{Network: lacking}, "name a card or network with its architecture with --like"},
		"a directory":             {flags{Network: dir}, dir},
		"a tensor missing":        {flags{Network: lacking, Like: path}, `tensor "stem.weight" is missing`},
		"a tensor too many":       {flags{Network: extra, Like: path}, `tensor "a" does not belong to`},
		"a tensor of a shape":     {flags{Network: shaped, Like: path}, `tensor "stem.weight" has shape [9 40 8], but a network 1x8 needs [3 3 40 8]`},
		"like a shopping list":    {flags{Network: extra, Like: notJSON}, "text.json: not a card"},
		"like no card":            {flags{Network: extra, Like: notCard}, `not.json: not a card: it has no "architecture"`},
		"like a newer card":       {flags{Network: extra, Like: newCard}, "newer.json: the card has version 2"},
		"like a bad card":         {flags{Network: extra, Like: badCard}, "bad.json: network: blocks is 0"},
		"like nothing":            {flags{Network: extra, Like: missing}, "missing.safetensors"},
		"of another":              {flags{Network: path, Like: another}, "the network has another architecture"},
		"another format":          {flags{Network: path, Out: filepath.Join(dir, "model.pb")}, "model.pb: the name must end in"},
		"no such format":          {flags{Network: path, Format: []string{"onyx"}}, "--format onyx: there is no such format"},
		"two formats, one file":   {flags{Network: path, Format: []string{"onnx", "npz"}}, "several formats need a directory"},
		"no such directory":       {flags{Network: path, Out: filepath.Join(dir, "none", "model.onnx")}, "there is no directory"},
		"where the card goes":     {flags{Network: path, Out: filepath.Join(dir, "x.json"), Format: []string{"onnx"}}, "the card goes to a .json file"},
		"the card over a file":    {flags{Network: path, Out: strings.TrimSuffix(notJSON, "json") + "onnx"}, "text.json already exists and is not a card"},
		"over the network itself": {flags{Network: path, Out: path}, "this is the input network itself"},
		"over that of the run":    {flags{Network: run, Out: newest}, "this is the input network itself"},
	} {
		t.Run(name, func(t *testing.T) {
			f := test.flags
			if f.Out == "" {
				f.Out = model
			}
			var out strings.Builder
			err := f.run(&out)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, test.want)
			}
			if out.String() != "" {
				t.Errorf("reported %q", out.String())
			}
			if _, err := os.Stat(model); err == nil {
				t.Error("a model was written")
			}
		})
	}
}

// Paths with commas are one network each.
func TestAverageTakesAnyPath(t *testing.T) {
	var f flags
	parser, err := kong.New(&f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"--average", "a, b.safetensors", "--average", "c=d,e", "x,y", "z"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a, b.safetensors", "c=d,e"}; !slices.Equal(f.Average, want) || f.Network != "x,y" {
		t.Errorf("averages %q of %q, want %q", f.Average, f.Network, want)
	}
}

func TestAverage(t *testing.T) {
	n, path := trained(t)
	other := n.Clone()
	for _, p := range other.Params {
		for i := range p.Data {
			p.Data[i] += 2
		}
	}
	dir := t.TempDir()
	second := nettest.Save(t, filepath.Join(dir, "second.safetensors"), other, map[string]string{"run": "quick", "generation": "8"})
	f := flags{Network: path, Average: []string{second}, Out: filepath.Join(dir, "mean.safetensors")}
	if err := f.run(io.Discard); err != nil {
		t.Fatal(err)
	}
	mean, meta, err := net.Load(f.Out)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := mean.Params[0].Data[0], n.Params[0].Data[0]+1; max(got-want, want-got) > 1e-6 {
		t.Errorf("a weight is %v, want %v", got, want)
	}
	if meta["run"] != "quick" || meta["generation"] != "" || meta["average_of"] != n.Hash()+" "+other.Hash() {
		t.Errorf("the provenance is %v", meta)
	}

	third := nettest.Save(t, filepath.Join(dir, "third.safetensors"), nettest.New(t, nettest.Small, 1), nil) // without pooling
	for want, f := range map[string]flags{
		"network 3 is":             {Network: path, Average: []string{second, third}, Out: f.Out},
		"--average: ":              {Network: path, Average: []string{"none.safetensors"}, Out: f.Out},
		"the input network itself": {Network: path, Average: []string{second}, Out: second},
	} {
		if err := f.run(io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}
