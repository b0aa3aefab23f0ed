package net

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var smallest = Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 2}

var provenance = map[string]string{"run": "a \"quoted\"\nrun é", "generation": "12", "samples": "34567"}

// saved writes a small checkpoint and returns its path and content.
func saved(t testing.TB) (path string, content []byte, n *Network) {
	t.Helper()
	n = fresh(t, smallest, 1)
	path = filepath.Join(t.TempDir(), "net.safetensors")
	if err := Save(path, n, provenance); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content, n
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCheckpointRoundTrip(t *testing.T) {
	for i, c := range append(architectures, smallest) {
		n := fresh(t, c, uint64(i))
		n.Params[1].Data[0] = -math.MaxFloat32
		n.Params[1].Data[1] = float32(math.Copysign(0, -1))
		path := filepath.Join(t.TempDir(), "net.safetensors")
		if err := Save(path, n, provenance); err != nil {
			t.Fatal(err)
		}
		m, meta, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if m.Config != c || m.Hash() != n.Hash() {
			t.Errorf("%v: another network came back", c)
		}
		if !maps.Equal(meta, provenance) {
			t.Errorf("metadata came back as %v", meta)
		}
		for j, p := range m.Params {
			if p.Name != n.Params[j].Name {
				t.Errorf("parameter %d came back as %s", j, p.Name)
			}
		}
	}
}

// TestRemovedHeads checks that a network with a head of an earlier version is the same network
// without it, and that no other tensor may be there because of that.
func TestRemovedHeads(t *testing.T) {
	n, err := New(Config{Blocks: 1, Channels: 8, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 2, Auxiliary: "stopped reply"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	arch := strings.Replace(n.Config.describe(), "stopped reply", "stopped lead reply", 1)
	old := map[string]string{metaArchitecture: arch, "run": "old"}
	extra := Tensor{Name: "lead.out.bias", Shape: []int{33}, Data: make([]float32, 33)}
	path := filepath.Join(t.TempDir(), "old.safetensors")
	if err := SaveTensors(path, append(slices.Clone(n.Params), extra), old); err != nil {
		t.Fatal(err)
	}
	m, meta, err := Load(path)
	if err != nil || m.Config != n.Config || m.Hash() != n.Hash() || meta[MetaRemoved] != "lead" || meta["run"] != "old" {
		t.Errorf("%v: %v with the metadata %v", err, m, meta)
	}
	if m, meta, err = LoadAs(path, n.Config); err != nil || m.Hash() != n.Hash() || meta[MetaRemoved] != "lead" {
		t.Errorf("%v: %v with the metadata %v", err, m, meta)
	}
	extra.Name = "leader.out.bias"
	if err := SaveTensors(path, append(slices.Clone(n.Params), extra), old); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(path); err == nil || !strings.Contains(err.Error(), "leader.out.bias") {
		t.Errorf("error %v, want one about a tensor of no head", err)
	}
}

// TestCheckpointFormat reads a checkpoint with a reader written from the description of
// the format.
func TestLoadBytes(t *testing.T) {
	_, content, n := saved(t)
	m, meta, err := LoadBytes(content)
	if err != nil || m.Config != n.Config || m.Hash() != n.Hash() || !maps.Equal(meta, provenance) {
		t.Errorf("%v: another network came back, from %v", err, meta)
	}
	content[len(content)-1]++
	if _, _, err := LoadBytes(content); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v for a changed bit", err)
	}
	if _, _, err := LoadBytes(nil); err == nil || !strings.Contains(err.Error(), "too short") {
		t.Errorf("got %v for nothing", err)
	}
}

func TestCheckpointFormat(t *testing.T) {
	_, b, n := saved(t)
	length := binary.LittleEndian.Uint64(b)
	if length%8 != 0 || b[8] != '{' {
		t.Errorf("a header of %d bytes that begins with %q", length, b[8])
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+length], &header); err != nil {
		t.Fatal(err)
	}
	var meta map[string]string
	if err := json.Unmarshal(header["__metadata__"], &meta); err != nil {
		t.Fatal(err)
	}
	if meta["architecture"] != `{"blocks":1,"channels":8,"pool_every":1,"policy_channels":2,"value_channels":1,"value_hidden":2}` {
		t.Errorf("architecture is %s", meta["architecture"])
	}
	if meta["generation"] != "12" || meta["format_version"] != "1" || len(meta["integrity"]) != 64 {
		t.Errorf("metadata are %v", meta)
	}
	if len(header) != len(n.Params)+1 {
		t.Errorf("%d entries for %d parameters", len(header), len(n.Params))
	}
	data, end := b[8+length:], 0
	for _, p := range n.Params {
		var e struct {
			Dtype        string
			Shape        []int
			Data_offsets [2]int
		}
		if err := json.Unmarshal(header[p.Name], &e); err != nil {
			t.Fatal(err)
		}
		if e.Dtype != "F32" || !slices.Equal(e.Shape, p.Shape) || e.Data_offsets != [2]int{end, end + 4*len(p.Data)} {
			t.Errorf("%s is described as %+v", p.Name, e)
		}
		for i, v := range p.Data {
			if math.Float32frombits(binary.LittleEndian.Uint32(data[end+4*i:])) != v {
				t.Fatalf("%s[%d] is wrong", p.Name, i)
			}
		}
		end += 4 * len(p.Data)
	}
	if end != len(data) {
		t.Errorf("%d bytes follow the tensors", len(data)-end)
	}
}

// foreign writes a checkpoint as another program might: sorted by name, with spaces in the
// header and without an integrity hash.
func foreign(t *testing.T, n *Network, meta map[string]string) (content []byte) {
	t.Helper()
	header := map[string]any{"__metadata__": meta}
	var data []byte
	params := slices.Clone(n.Params)
	slices.SortFunc(params, func(a, b Param) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range params {
		start := len(data)
		for _, v := range p.Data {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		header[p.Name] = map[string]any{"dtype": "F32", "shape": p.Shape, "data_offsets": []int{start, len(data)}}
	}
	h, err := json.MarshalIndent(header, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), h, data)
}

func TestLoadForeignFile(t *testing.T) {
	n := fresh(t, smallest, 1)
	arch, err := json.Marshal(n.Config)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "foreign.safetensors")
	write(t, path, foreign(t, n, map[string]string{"architecture": string(arch), "format": "pt"}))
	m, meta, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if m.Hash() != n.Hash() || meta["format"] != "pt" {
		t.Errorf("it came back as %v with %v", m.Config, meta)
	}
}

func TestLoadRefusesWhatDoesNotFit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.safetensors")
	arch := func(c Config) map[string]string {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{"architecture": string(b)}
	}
	bigger, wider, other := smallest, smallest, smallest
	bigger.Blocks, wider.Channels, other.PoolEvery = 2, 16, 0
	for want, meta := range map[string]map[string]string{
		"no \"architecture\"":                  {},
		"cannot be read":                       {"architecture": "6x64"},
		"unknown field \"attention\"":          {"architecture": `{"blocks":1,"attention":4}`},
		"channels is 0":                        {"architecture": `{"blocks":1}`},
		"\"blocks.1.conv1.weight\" is missing": arch(bigger),
		"[3 3 40 8], but a network 1x16 needs": arch(wider),
		"does not belong to":                   arch(other),
		"integrity hash is missing":            {"format_version": "1"},
		"format version \"2\"":                 {"format_version": "2", "integrity": "x"},
		"does not match":                       {"integrity": "x"},
	} {
		write(t, path, foreign(t, fresh(t, smallest, 1), meta))
		checkError(t, path, want)
	}
}

// checkError requires Load to return an error of one line that names the file and contains
// want.
func checkError(t testing.TB, path, want string) {
	t.Helper()
	_, _, err := Load(path)
	if err == nil {
		t.Errorf("no error, want one with %q", want)
		return
	}
	if s := err.Error(); !strings.Contains(s, path) || strings.ContainsAny(s, "\n\r") || !strings.Contains(s, want) || len(s) > len(path)+400 {
		t.Errorf("error is %q, want one line with the path and %q", s, want)
	}
}

func TestLoadTruncated(t *testing.T) {
	path, b, _ := saved(t)
	header := int(binary.LittleEndian.Uint64(b))
	lengths := []int{0, 1, 7, 8, 9, 8 + header/2, 8 + header - 1, 8 + header, 8 + header + 1, len(b) - 4, len(b) - 1}
	for n := 0; n < len(b); n += 97 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		write(t, path, b[:n])
		checkError(t, path, "truncated")
	}
	write(t, path, append(slices.Clone(b), 0))
	checkError(t, path, "after the last tensor")
	checkError(t, filepath.Join(t.TempDir(), "nothing.safetensors"), "")
	checkError(t, t.TempDir(), "")
}

func TestLoadNoticesEveryFlippedBit(t *testing.T) {
	path, b, _ := saved(t)
	header := int(binary.LittleEndian.Uint64(b))
	flip := func(t *rapid.T, bit int) {
		c := slices.Clone(b)
		c[bit/8] ^= 1 << (bit % 8)
		if _, _, err := readTensors(bytes.NewReader(c), int64(len(c))); err == nil {
			t.Fatalf("bit %d of byte %d flipped is not noticed", bit%8, bit/8)
		} else if strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("an error of several lines: %q", err)
		}
	}
	rapid.Check(t, func(t *rapid.T) { flip(t, rapid.IntRange(0, 8*len(b)-1).Draw(t, "bit")) })
	rapid.Check(t, func(t *rapid.T) { flip(t, rapid.IntRange(0, 8*(8+header)-1).Draw(t, "bit")) })
	if testing.Short() {
		return
	}
	// Flip each bit of the strings that the check itself depends on.
	for _, word := range []string{`"__metadata__":{`, `"format_version":"1"`, `"integrity":"`} {
		at := bytes.Index(b, []byte(word))
		for bit := 8 * at; bit < 8*(at+len(word)+4); bit++ {
			c := slices.Clone(b)
			c[bit/8] ^= 1 << (bit % 8)
			if _, _, err := readTensors(bytes.NewReader(c), int64(len(c))); err == nil {
				t.Errorf("bit %d of byte %d flipped is not noticed: %q", bit%8, bit/8, c[at:at+len(word)+4])
			}
		}
	}
	write(t, path, b)
}

func TestLoadTakesNoAbsurdMemory(t *testing.T) {
	file := func(header string) []byte {
		return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), []byte(header))
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `,"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`, i)
	}
	path := filepath.Join(t.TempDir(), "absurd.safetensors")
	for name, content := range map[string][]byte{
		"header": binary.LittleEndian.AppendUint64(nil, 99_000_000),
		"huge":   binary.LittleEndian.AppendUint64(nil, math.MaxUint64),
		"tensor": file(`{"a":{"dtype":"F32","shape":[1000000,1000000],"data_offsets":[0,4000000000000]}}`),
		"shape":  file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`),
		"minus":  file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,-4]}}`),
		"offset": file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[9223372036854775804,9223372036854775807]}}`),
		"many":   file("{" + many.String()[1:] + "}"),
		"more":   file("{" + strings.Repeat(many.String(), 1000)[1:] + "}"),
		"rank":   file(`{"a":{"dtype":"F32","shape":[1` + strings.Repeat(",1", 1000) + `],"data_offsets":[0,4]}}`),
		"tower":  file(`{"__metadata__":{"architecture":"{\"blocks\":40,\"channels\":512,\"pool_every\":1,\"policy_channels\":256,\"value_channels\":64,\"value_hidden\":1024}"}}`),
	} {
		write(t, path, content)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		checkError(t, path, "")
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<22 {
			t.Errorf("%s: %d bytes taken for a file of %d", name, got, len(content))
		}
	}
}

// A file is refused in a line, or takes no more memory than its size, and is read again as it was written.
// The seeds are small, because the fuzzer shortens what it finds byte by byte.
func FuzzReadTensors(f *testing.F) {
	_, b, _ := saved(f)
	f.Add(b[:100])
	for _, tensors := range [][]Tensor{nil, {{Name: "a", Shape: []int{2}, Data: []float32{1, -3}}, {Name: "b", Shape: []int{0, 3}}}} {
		f.Add(writtenTensors(f, tensors, provenance))
		f.Add(writtenTensors(f, tensors, map[string]string{"architecture": `{"blocks":1,"channels":8}`}))
	}
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte("\x3a\x00\x00\x00\x00\x00\x00\x00{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}    \x00\x00\x80\x3f"))
	f.Add([]byte("\x3b\x00\x00\x00\x00\x00\x00\x00{\"a\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[0,2]}}    \x80\x3f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tensors, meta, err := readTensors(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		total := 0
		for _, p := range tensors {
			total += 2 * len(p.Data)
			if size(p.Shape) != len(p.Data) {
				t.Errorf("tensor %q of shape %v has %d numbers", p.Name, p.Shape, len(p.Data))
			}
		}
		if total > len(b) {
			t.Errorf("%d bytes of numbers from a file of %d", total, len(b))
		}
		again := writtenTensors(t, tensors, meta)
		second, secondMeta, err := readTensors(bytes.NewReader(again), int64(len(again)))
		// Tensors without elements have the same offset, so their order may change.
		byName := func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) }
		slices.SortFunc(tensors, byName)
		slices.SortFunc(second, byName)
		if err != nil || !maps.Equal(meta, secondMeta) || fmt.Sprint(second) != fmt.Sprint(tensors) {
			t.Errorf("%q is written as %q, which is read as %v, %v", b, again, second, err)
		}
		_, _ = assemble(tensors, meta)
	})
}

// writtenTensors returns the content of a file of tensors.
func writtenTensors(t testing.TB, tensors []Tensor, meta map[string]string) []byte {
	t.Helper()
	h, err := header(tensors, meta)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := writeTensors(&b, h, tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTensorsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Tensor {
			shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
			n := size(shape)
			return Tensor{Name: rapid.String().Draw(t, "name"), Shape: shape,
				Data: rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "data")}
		}), 0, 6, func(p Tensor) string { return p.Name }).Draw(t, "tensors")
		meta := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "metadata")
		path := filepath.Join(dir, "t.safetensors")
		if err := SaveTensors(path, want, meta); err != nil {
			t.Fatal(err)
		}
		got, gotMeta, err := LoadTensors(path)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(meta, gotMeta) {
			t.Fatalf("metadata came back as %q, not %q", gotMeta, meta)
		}
		// Tensors without elements have the same offset, so their order may change.
		byName := func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) }
		slices.SortFunc(want, byName)
		slices.SortFunc(got, byName)
		if a, b := fmt.Sprintf("%v", want), fmt.Sprintf("%v", got); a != b {
			t.Fatalf("%s came back as %s", a, b)
		}
	})
}

func TestSaveRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no.safetensors")
	n := fresh(t, smallest, 1)
	one := Tensor{Name: "a", Shape: []int{2}, Data: make([]float32, 2)}
	for want, err := range map[string]error{
		`"architecture"`:   Save(path, n, map[string]string{"architecture": "mine"}),
		`"integrity"`:      Save(path, n, map[string]string{"integrity": "mine"}),
		`"format_version"`: SaveTensors(path, nil, map[string]string{"format_version": "1"}),
		"two tensors":      SaveTensors(path, []Tensor{one, one}, nil),
		"has 2 numbers":    SaveTensors(path, []Tensor{{Name: "a", Shape: []int{3}, Data: one.Data}}, nil),
		"shape [-1 -2]":    SaveTensors(path, []Tensor{{Name: "a", Shape: []int{-1, -2}, Data: one.Data}}, nil),
		"no such file":     SaveTensors(filepath.Join(path, "x", "y"), []Tensor{one}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), want) && want != "no such file" {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a refused file was written")
	}
}

func TestHashSeesEverything(t *testing.T) {
	n := fresh(t, smallest, 1)
	seen := map[string]string{n.Hash(): "the network itself"}
	for name, change := range map[string]func(*Network){
		"a number": func(n *Network) { n.Params[0].Data[77] += 1e-6 },
		"a sign": func(n *Network) {
			d := n.Params[1].Data
			d[0] = 0
		},
		"a minus zero": func(n *Network) { n.Params[1].Data[0] = float32(math.Copysign(0, -1)) },
		"a name":       func(n *Network) { n.Params[0].Name = "stem.weights" },
		"a shape":      func(n *Network) { n.Params[0].Shape = []int{9, 40, 8} },
	} {
		m := n.Clone()
		change(m)
		if same, ok := seen[m.Hash()]; ok {
			t.Errorf("%s changed and the hash is that of %s", name, same)
		}
		seen[m.Hash()] = name
	}
}
