package net

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Metadata keys of a checkpoint.
const (
	metaArchitecture = "architecture" // its Config as JSON
	// MetaRemoved is set by Load in the metadata of a network that was trained with heads that this
	// program does not have any more: their names, separated by spaces. Load leaves them out. Play
	// never read them.
	MetaRemoved = "removed_heads"
)

// ErrNoArchitecture is wrapped by the error of Load if the metadata of the file does not
// contain an architecture. The file is then not a checkpoint, or it is a network from
// another program, which LoadAs can read.
var ErrNoArchitecture = fmt.Errorf("not a network's checkpoint: its metadata has no %q", metaArchitecture)

// ErrVersion is wrapped by the error of Load and LoadTensors if the file is undamaged, but
// another version of the program has written it.
var ErrVersion = errors.New("written by another version")

// Save writes the network to path as a safetensors file. The file contains the parameters
// by name and, as metadata, the Config as JSON under the key "architecture" and the
// entries of meta. Meta describes the provenance of the network, such as the run, the
// generation and the number of samples; it must not use the keys "architecture",
// "format_version" and "integrity". An existing file is replaced only when the new one is
// complete.
func Save(path string, n *Network, meta map[string]string) error {
	if _, ok := meta[metaArchitecture]; ok {
		return fmt.Errorf("writing %s: the metadata key %q is reserved", path, metaArchitecture)
	}
	arch, err := json.Marshal(n.Config)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	all := map[string]string{metaArchitecture: string(arch)}
	maps.Copy(all, meta)
	return SaveTensors(path, n.Params, all)
}

// Load reads a checkpoint and returns the network and the metadata that it was saved with. See
// MetaRemoved for networks with heads of earlier versions.
// If the file is damaged, or its tensors do not match its architecture, Load returns an
// error of one line that names the file.
func Load(path string) (*Network, map[string]string, error) {
	tensors, meta, err := LoadTensors(path)
	if err != nil {
		return nil, nil, err
	}
	n, err := assemble(tensors, meta)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return n, meta, nil
}

// LoadBytes is like [Load] for the content of a checkpoint. Its errors name no file.
func LoadBytes(content []byte) (*Network, map[string]string, error) {
	tensors, meta, err := readTensors(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, nil, err
	}
	n, err := assemble(tensors, meta)
	if err != nil {
		return nil, nil, err
	}
	return n, meta, nil
}

// LoadAs is like Load for a file whose metadata need not contain the architecture, such as
// a network trained by another program. The file must contain exactly the tensors of
// c.Layout, by name and shape, in any order. If its metadata contains another
// architecture than c, LoadAs returns an error.
func LoadAs(path string, c Config) (*Network, map[string]string, error) {
	tensors, meta, err := LoadTensors(path)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := meta[metaArchitecture]; ok {
		stated, err := architecture(meta)
		if err == nil && stated != c {
			err = fmt.Errorf("the network has another architecture: %s, not %s", stated.describe(), c.describe())
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading %s: %w", path, err)
		}
	}
	n, err := c.assemble(without(tensors, meta[MetaRemoved]))
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	delete(meta, metaArchitecture)
	return n, meta, nil
}

// describe returns all settings as JSON, to distinguish two architectures in a message.
func (c Config) describe() string {
	b, err := json.Marshal(c)
	if err != nil {
		return c.String()
	}
	return string(b)
}

// architecture reads the Config in the metadata of a checkpoint. It leaves out the removed heads, and
// notes them in the metadata.
func architecture(meta map[string]string) (c Config, err error) {
	arch, ok := meta[metaArchitecture]
	if !ok {
		return c, ErrNoArchitecture
	}
	if err := strictJSON([]byte(arch), &c); err != nil {
		return c, fmt.Errorf("%w: the architecture in the metadata cannot be read, or is that of a newer Warren: %v", ErrVersion, err)
	}
	c, removed := c.WithoutRemoved()
	if removed != "" {
		meta[MetaRemoved] = removed
	}
	return c, c.Validate()
}

// without returns the tensors without those of the named heads.
func without(tensors []Tensor, heads string) []Tensor {
	return slices.DeleteFunc(tensors, func(t Tensor) bool {
		head, _, _ := strings.Cut(t.Name, ".")
		return slices.Contains(strings.Fields(heads), head)
	})
}

// assemble makes the network that meta describes from the tensors. It takes the
// architecture out of meta.
func assemble(tensors []Tensor, meta map[string]string) (*Network, error) {
	c, err := architecture(meta)
	if err != nil {
		return nil, err
	}
	delete(meta, metaArchitecture)
	return c.assemble(without(tensors, meta[MetaRemoved]))
}

// assemble makes a network with the architecture c from the tensors, which may be in any
// order.
func (c Config) assemble(tensors []Tensor) (*Network, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	n := &Network{Config: c, Program: c.Program()}
	byName := make(map[string]Tensor, len(tensors))
	for _, t := range tensors {
		byName[t.Name] = t
	}
	for _, want := range n.Program.layout() {
		t, ok := byName[want.Name]
		if !ok {
			return nil, fmt.Errorf("tensor %q is missing; a network %v needs it", want.Name, n.Config)
		}
		if !slices.Equal(t.Shape, want.Shape) {
			return nil, fmt.Errorf("tensor %.80q has shape %v, but a network %v needs %v", want.Name, t.Shape, n.Config, want.Shape)
		}
		n.Params = append(n.Params, t)
		delete(byName, want.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		return nil, fmt.Errorf("tensor %.80q does not belong to a network %v", name, n.Config)
	}
	return n, nil
}

// Hash returns a hash that identifies the network by its content: the SHA-256, in
// hexadecimal, of the names, shapes and data of its parameters. It does not depend on the
// provenance. Networks with equal hashes compute the same outputs.
func (n *Network) Hash() string {
	h := sha256.New()
	number := func(v int) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(v)))
	}
	for _, p := range n.Params {
		number(len(p.Name))
		h.Write([]byte(p.Name))
		number(len(p.Shape))
		for _, d := range p.Shape {
			number(d)
		}
		writeFloats(h, p.Data) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}
