package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"warren/internal/durable"
	"warren/net"
	"warren/net/bundled"
	"warren/net/onnx"
)

// card contains what a person or a program needs to know to use exported files. New
// fields may be added; existing fields keep their meaning while Version is 1.
type card struct {
	Version      int               `json:"card_version"`
	Name         string            `json:"name"`
	Architecture net.Config        `json:"architecture"`
	Parameters   int               `json:"parameters"`
	Hash         string            `json:"hash"` // net.Network.Hash
	Provenance   map[string]string `json:"provenance"`
	Date         string            `json:"date,omitempty"` // modification time of the checkpoint, RFC 3339 in UTC; that of the bundled network is unknown
	Rating       *rating           `json:"rating"`
	Matches      []played          `json:"matches"`
	Input        port              `json:"input"`
	Outputs      []port            `json:"outputs"`
	Planes       []net.Plane       `json:"planes"`
	Actions      []net.ActionRange `json:"actions"`
	Tensors      []layout          `json:"tensors"` // tensors of the .safetensors and .npz files
	Files        []file            `json:"files"`
}

type port struct {
	Name    string `json:"name"`
	Shape   []int  `json:"shape"` // without the batch dimension
	Meaning string `json:"meaning"`
}

type layout struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
}

type file struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const cardVersion = 1

// newCard describes the network that was read from path.
func newCard(path string, n *net.Network, meta map[string]string) (*card, error) {
	c := &card{
		Version: cardVersion, Name: filepath.Base(path),
		Architecture: n.Config, Parameters: n.NumParams(), Hash: n.Hash(),
		Provenance: meta,
		Input: port{onnx.Input().Name, onnx.Input().Shape,
			"[batch][rank][file][plane], as the mover sees the board: rank 0 is the mover's home rank and file 0 is file a; for Silver the ranks are reversed"},
		Planes: net.Planes(), Actions: net.Actions(),
	}
	for i, p := range onnx.Outputs(n.Config) {
		c.Outputs = append(c.Outputs, port{p.Name, p.Shape, n.Config.Heads()[i].Meaning})
	}
	for _, t := range n.Config.Layout() {
		c.Tensors = append(c.Tensors, layout{t.Name, t.Shape})
	}
	if path == bundled.Name {
		return c, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	c.Date = info.ModTime().UTC().Format(time.RFC3339)
	c.Matches, c.Rating = record(path, c.Hash)
	return c, nil
}

// add adds a written file to the card.
func (c *card) add(t target) error {
	f, err := durable.Open(t.path)
	if err != nil {
		return err
	}
	defer f.Close()
	digest := sha256.New()
	size, err := io.Copy(digest, f)
	if err != nil {
		return fmt.Errorf("reading %s: %w", t.path, err)
	}
	c.Files = append(c.Files, file{filepath.Base(t.path), t.name, size, hex.EncodeToString(digest.Sum(nil))})
	return nil
}

func (c *card) save(path string) error {
	return durable.WriteFile(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(c)
	})
}

// readArchitecture reads the architecture from a card.
func readArchitecture(path string) (net.Config, error) {
	content, err := durable.ReadFile(path, durable.Document)
	if err != nil {
		return net.Config{}, err
	}
	c, err := parseArchitecture(content)
	if err != nil {
		return net.Config{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return c, nil
}

// errNotCard is wrapped by the error of parseArchitecture if the content is that of another file.
var errNotCard = errors.New("not a card")

// parseArchitecture reads the architecture from the content of a card. It leaves out the removed heads of a card by an
// earlier version.
func parseArchitecture(content []byte) (net.Config, error) {
	var c struct {
		Version      int             `json:"card_version"`
		Architecture json.RawMessage `json:"architecture"`
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return net.Config{}, fmt.Errorf("%w: %w", errNotCard, err)
	}
	switch {
	case c.Version > cardVersion:
		return net.Config{}, fmt.Errorf("the card has version %d, but this program reads version %d; use a newer Warren", c.Version, cardVersion)
	case c.Architecture == nil || string(c.Architecture) == "null":
		return net.Config{}, fmt.Errorf("%w: it has no \"architecture\"", errNotCard)
	}
	var config net.Config
	if err := json.Unmarshal(c.Architecture, &config); err != nil {
		return net.Config{}, fmt.Errorf("the architecture of the card: %w", err)
	}
	config, _ = config.WithoutRemoved()
	return config, config.Validate()
}
