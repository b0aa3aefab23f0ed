package net

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// metaArchitecture is the metadata key of a checkpoint's Config, as JSON.
const metaArchitecture = "architecture"

// ErrNoArchitecture is wrapped by the error of a file of tensors whose metadata
// do not say what network they are of: another sort of file, or a network from
// elsewhere, which LoadAs reads.
var ErrNoArchitecture = fmt.Errorf("not a network's checkpoint: its metadata has no %q", metaArchitecture)

// Save writes the network to path as a safetensors file: its parameters by
// name, its Config as JSON under the metadata key "architecture", and meta,
// the network's provenance (run, generation, samples and what else the caller
// wants known). The file is written whole, then renamed. Meta must not use the
// keys "architecture", "format_version" and "integrity".
func Save(path string, n *Network, meta map[string]string) error {
	if _, ok := meta[metaArchitecture]; ok {
		return fmt.Errorf("writing %s: the metadata key %q is the checkpoint's own", path, metaArchitecture)
	}
	arch, err := json.Marshal(n.Config)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	all := map[string]string{metaArchitecture: string(arch)}
	maps.Copy(all, meta)
	return SaveTensors(path, n.Params, all)
}

// Load reads a checkpoint: the network, and the metadata it was saved with. A
// file that is damaged, or whose tensors are not those of its architecture,
// gives an error of one line that names it.
func Load(path string) (*Network, map[string]string, error) {
	tensors, meta, err := LoadTensors(path)
	if err != nil {
		return nil, nil, err
	}
	n, err := assemble(tensors, meta)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	delete(meta, metaArchitecture)
	return n, meta, nil
}

// LoadAs reads a checkpoint of the architecture c, as Load does, from a file
// whose metadata need not say the architecture: one that was trained
// elsewhere, with tensors of the names and shapes of Layout in any order. If
// the metadata name another architecture it is refused.
func LoadAs(path string, c Config) (*Network, map[string]string, error) {
	tensors, meta, err := LoadTensors(path)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := meta[metaArchitecture]; ok {
		stated, err := architecture(meta)
		if err == nil && stated != c {
			err = fmt.Errorf("it is a network of another architecture: %s, not %s", stated.describe(), c.describe())
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading %s: %w", path, err)
		}
	}
	n, err := c.assemble(tensors)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	delete(meta, metaArchitecture)
	return n, meta, nil
}

// Layout lists the tensors of a network of this architecture: the names and
// shapes, without numbers, in the order in which Save writes them.
func (c Config) Layout() []Tensor {
	var tensors []Tensor
	for _, l := range c.layers() {
		tensors = append(tensors, Tensor{Name: l.name, Shape: l.shape})
	}
	return tensors
}

// describe gives every setting, for where two architectures must be told apart.
func (c Config) describe() string {
	b, err := json.Marshal(c)
	if err != nil {
		return c.String()
	}
	return string(b)
}

// architecture reads the Config in a checkpoint's metadata.
func architecture(meta map[string]string) (c Config, err error) {
	arch, ok := meta[metaArchitecture]
	if !ok {
		return c, ErrNoArchitecture
	}
	if err := strictJSON([]byte(arch), &c); err != nil {
		return c, fmt.Errorf("the architecture in its metadata is unreadable, or of a newer Warren: %w", err)
	}
	return c, c.Validate()
}

// assemble makes the network that meta describes of the tensors' numbers.
func assemble(tensors []Tensor, meta map[string]string) (*Network, error) {
	c, err := architecture(meta)
	if err != nil {
		return nil, err
	}
	return c.assemble(tensors)
}

// assemble makes a network of the tensors, which may be in any order.
func (c Config) assemble(tensors []Tensor) (*Network, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	n := &Network{Config: c}
	byName := make(map[string]Tensor, len(tensors))
	for _, t := range tensors {
		byName[t.Name] = t
	}
	for _, l := range n.Config.layers() {
		t, ok := byName[l.name]
		if !ok {
			return nil, fmt.Errorf("tensor %q of a network %v is missing", l.name, n.Config)
		}
		if !slices.Equal(t.Shape, l.shape) {
			return nil, fmt.Errorf("tensor %q has shape %v, a network %v needs %v", l.name, t.Shape, n.Config, l.shape)
		}
		n.Params = append(n.Params, t)
		delete(byName, l.name)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		return nil, fmt.Errorf("tensor %q has no place in a network %v", name, n.Config)
	}
	return n, nil
}

// Hash identifies the network by its content: the SHA-256, in hexadecimal, of
// the names, shapes and numbers of its parameters. Networks with equal hashes
// play alike; provenance does not enter.
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
