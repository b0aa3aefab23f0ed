package onnx

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warren/internal/durable"
	"warren/net"
)

const (
	irVersion = 7  // version of the file format, from ONNX 1.8
	operators = 13 // version of the standard operator set, from ONNX 1.8
)

// Port is an input or output of the exported network. Its values are float32, and
// a batch dimension precedes those of Shape.
type Port struct {
	Name  string
	Shape []int  // dimensions after that of the batch
	Doc   string // meaning of the values, as documented in the file
}

// Input returns the input.
func Input() Port {
	return Port{"planes", []int{8, 8, net.NumPlanes},
		"Positions as the player to move sees them, herself at the bottom (for Silver the ranks are reversed): " +
			"[batch][rank 1 to 8][file a to h][plane]. The planes are those of Warren's net.Encode: " + planes()}
}

// Outputs returns the outputs of a network of architecture c. Each head has one,
// which has the head's name.
func Outputs(c net.Config) []Port {
	var ports []Port
	for _, h := range c.Heads() {
		doc := strings.ToUpper(h.Meaning[:1]) + h.Meaning[1:]
		if h.Name == "policy" {
			doc += ": [batch][action]. " + actions()
		} else {
			doc += fmt.Sprintf(": [batch][%d].", h.Size)
		}
		ports = append(ports, Port{h.Name, []int{h.Size}, doc})
	}
	return ports
}

func planes() string {
	var text strings.Builder
	for i, p := range net.Planes() {
		if i > 0 {
			text.WriteString("; ")
		}
		fmt.Fprintf(&text, "%d %s: %s", p.Index, p.Name, p.Meaning)
	}
	return text.String() + "."
}

func actions() string {
	var text strings.Builder
	for _, a := range net.Actions() {
		if a.First == a.Last {
			fmt.Fprintf(&text, "%d %s: %s. ", a.First, a.Name, a.Meaning)
		} else {
			fmt.Fprintf(&text, "%d-%d %s: %s. ", a.First, a.Last, a.Name, a.Meaning)
		}
	}
	return strings.TrimSuffix(text.String(), " ")
}

// Save writes n to path as an ONNX model. The file appears at path only when it is
// complete. meta is the network's provenance as net.Load returns it (run,
// generation and so on). It becomes the model's metadata_props, together with
// "architecture", n.Config as JSON, and "hash", n.Hash(). The same network and
// meta give the same bytes.
func Save(path string, n *net.Network, meta map[string]string) error {
	model, err := Build(n, meta)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return durable.WriteBytes(path, model)
}

// Build returns the model that Save writes.
func Build(n *net.Network, meta map[string]string) ([]byte, error) {
	arch, err := json.Marshal(n.Config)
	if err != nil {
		return nil, fmt.Errorf("describing the architecture: %w", err)
	}
	all := map[string]string{}
	maps.Copy(all, meta)
	all["architecture"], all["hash"] = string(arch), n.Hash()

	g := graph{network: n, results: make([]string, len(n.Program.Ops))}
	if err := g.build(); err != nil {
		return nil, err
	}
	var body message
	for _, m := range g.nodes {
		body.sub(1, m)
	}
	body.text(2, "warren")
	for _, m := range g.weights {
		body.sub(5, m)
	}
	body.sub(11, Input().message())
	for _, p := range Outputs(n.Config) {
		body.sub(12, p.message())
	}

	var opset, model message
	opset.number(2, operators) // without a domain: the standard one
	model.number(1, irVersion)
	model.text(2, "warren")
	model.text(6, fmt.Sprintf("Arimaa policy and value network of Warren, %v (blocks x channels).", n.Config))
	model.sub(7, body)
	model.sub(8, opset)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		model.sub(14, entry(key, all[key]))
	}
	return model, nil
}
