package net

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNumberTypes reads numbers from bytes written by hand.
func TestNumberTypes(t *testing.T) {
	inf, denormal := math.Inf(1), 0x1p-24
	for _, test := range []struct {
		kind  string
		bytes []byte
		want  float64
	}{
		{"F32", []byte{0, 0, 0x80, 0x3f}, 1},
		{"F64", []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, 1.5},
		{"F64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1)), float64(float32(0.1))},
		{"BF16", []byte{0x80, 0x3f}, 1},
		{"BF16", []byte{0x80, 0xff}, -inf},
		{"F16", []byte{0, 0x3c}, 1},
		{"F16", []byte{0, 0xc0}, -2},
		{"F16", []byte{0xff, 0x7b}, 65504},
		{"F16", []byte{0x55, 0x35}, 0x1.554p-2}, // a third, rounded
		{"F16", []byte{0, 0x04}, 0x1p-14},
		{"F16", []byte{1, 0}, denormal},
		{"F16", []byte{0xff, 0x83}, -1023 * denormal},
		{"F16", []byte{0, 0x7c}, inf},
	} {
		if got := numbers[test.kind].read(test.bytes); float64(got) != test.want {
			t.Errorf("%s % x is %v, want %v", test.kind, test.bytes, got, test.want)
		}
	}
	if got := numbers["F16"].read([]byte{0, 0x80}); got != 0 || !math.Signbit(float64(got)) {
		t.Errorf("minus zero is %v", got)
	}
	if got := numbers["F16"].read([]byte{0, 0x7e}); got == got {
		t.Errorf("not a number is %v", got)
	}
}

// typed writes a file with one tensor of the given type.
func typed(t *testing.T, kind string, content []byte, elements int) string {
	t.Helper()
	header := fmt.Sprintf(`{"a":{"dtype":%q,"shape":[%d],"data_offsets":[0,%d]}}`, kind, elements, len(content))
	path := filepath.Join(t.TempDir(), "typed.safetensors")
	write(t, path, slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), []byte(header), content))
	return path
}

func TestLoadConvertsTypes(t *testing.T) {
	double := make([]byte, 8*5000) // more than one read
	for i := range 5000 {
		binary.LittleEndian.PutUint64(double[8*i:], math.Float64bits(float64(i)/4))
	}
	tensors, _, err := LoadTensors(typed(t, "F64", double, 5000))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range tensors[0].Data {
		if v != float32(i)/4 {
			t.Fatalf("number %d was read as %v", i, v)
		}
	}
	checkTensors(t, typed(t, "I32", make([]byte, 8), 2), `tensor "a" has type "I32"; the supported types are F32, F16, BF16 and F64`)
	checkTensors(t, typed(t, "F16", make([]byte, 3), 1), `tensor "a" has shape [1] but 3 bytes`)
}

func TestNumbersMustBeFinite(t *testing.T) {
	for want, file := range map[string]string{
		"1e+300": typed(t, "F64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e300)), 1),
		"-Inf":   typed(t, "F64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Inf(-1))), 1),
		"NaN":    typed(t, "F32", []byte{0, 0, 0xc0, 0x7f}, 1),
		"+Inf":   typed(t, "F16", []byte{0, 0x7c}, 1),
		"NaN ":   typed(t, "F16", []byte{0, 0x7e}, 1),
		" -Inf ": typed(t, "BF16", []byte{0x80, 0x3f, 0x80, 0xff}, 2),
	} {
		checkTensors(t, file, `tensor "a": the number `+strings.TrimSpace(want)+" is not finite")
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		err := SaveTensors(path, []Tensor{{"a", []int{2}, []float32{math.MaxFloat32, float32(x)}}}, nil)
		if err == nil || !strings.Contains(err.Error(), `number 1 of tensor "a"`) {
			t.Errorf("saving %v: %v", x, err)
		}
	}
}

func TestTensorsHaveFewDimensions(t *testing.T) {
	header := `{"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}}`
	path := filepath.Join(t.TempDir(), "deep.safetensors")
	write(t, path, slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), []byte(header), make([]byte, 4)))
	checkTensors(t, path, `tensor "a" has 9 dimensions`)
}

func checkTensors(t *testing.T, path, want string) {
	t.Helper()
	if _, _, err := LoadTensors(path); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestNewerVersionIsNamedFirst checks that the error for a file of a newer version is about
// the version, whatever else is different in the file.
func TestNewerVersionIsNamedFirst(t *testing.T) {
	meta, err := json.Marshal(map[string]string{"format_version": "2"})
	if err != nil {
		t.Fatal(err)
	}
	header := fmt.Sprintf(`{"__metadata__":%s,"a":{"dtype":"F8","shape":[[1]],"stride":4}}`, meta)
	path := filepath.Join(t.TempDir(), "newer.safetensors")
	write(t, path, append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...))
	checkError(t, path, `format version "2", but this program reads version 1`)
}

func TestLoadAs(t *testing.T) {
	path, _, n := saved(t)
	bare := filepath.Join(t.TempDir(), "bare.safetensors")
	if err := SaveTensors(bare, n.Params, nil); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, bare} {
		if m, _, err := LoadAs(p, n.Config); err != nil || m.Hash() != n.Hash() {
			t.Errorf("%s was read as another network: %v", p, err)
		}
		other := n.Config
		other.Channels = 16
		if _, _, err := LoadAs(p, other); err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%s as another architecture: %v", p, err)
		}
	}
	for i, l := range n.Config.Layout() {
		if p := n.Params[i]; l.Name != p.Name || !slices.Equal(l.Shape, p.Shape) {
			t.Errorf("tensor %d is %s %v in the layout and %s %v in the network", i, l.Name, l.Shape, p.Name, p.Shape)
		}
	}
}
