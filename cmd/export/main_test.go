package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/net"
	"warren/net/onnx"
)

// trained saves a small network as a run would and returns it with its file.
func trained(t *testing.T) (n *net.Network, path string) {
	t.Helper()
	n, err := net.New(net.Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "gen-00007.safetensors")
	if err := net.Save(path, n, map[string]string{"run": "quick", "generation": "7"}); err != nil {
		t.Fatal(err)
	}
	return n, path
}

func TestExport(t *testing.T) {
	n, path := trained(t)
	f := flags{Network: path, Out: filepath.Join(t.TempDir(), "out.onnx"), Inputs: true}
	var out strings.Builder
	// Twice, for a model that is there is replaced.
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
		t.Error("the file is not the model of the network with its provenance")
	}
	for _, part := range []string{"1x8", "run quick, generation 7", n.Hash()[:16],
		"planes  float32 [batch, 8, 8, 40]", "policy  float32 [batch, 263]", "value   float32 [batch, 1]", onnx.Policy.Doc} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the report does not say %q:\n%s", part, out.String())
		}
	}
}

func TestBadInputGivesOneLine(t *testing.T) {
	_, path := trained(t)
	dir := t.TempDir()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(dir, "short.safetensors")
	if err := os.WriteFile(short, whole[:len(whole)-9], 0o666); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.safetensors")
	if err := net.SaveTensors(other, []net.Tensor{{Name: "a", Shape: []int{1}, Data: []float32{1}}}, nil); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing.safetensors")
	model := filepath.Join(dir, "model.onnx")

	for _, test := range []struct{ name, network, out, want string }{
		{"no such network", missing, model, "missing.safetensors"},
		{"truncated", short, model, "short.safetensors: truncated"},
		{"not a network", other, model, `other.safetensors: not a network's checkpoint`},
		{"a directory", dir, model, dir},
		{"another format", path, filepath.Join(dir, "model.pb"), "model.pb: the model's name must end in .onnx"},
		{"no such directory", path, filepath.Join(dir, "none", "model.onnx"), "there is no directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := flags{Network: test.network, Out: test.out}
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
