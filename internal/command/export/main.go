// Package export writes a trained network in formats that other programs and languages
// read. It also imports networks that other programs have trained.
package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warren/internal/console"
	"warren/internal/settings"
	"warren/internal/visible"
	"warren/net"
	"warren/net/bundled"
	"warren/net/npz"
	"warren/net/onnx"
)

const description = `Write a network for other programs, with a card that explains it.

The extension of OUT selects the format: .safetensors (the tensors, with the architecture and the provenance
in the metadata), .npz (the tensors for numpy.load) or .onnx (a model for ONNX Runtime 1.6 or later, for
batches of any size). The network warren is the one that comes with this program. If OUT is a directory, all three are written there. The card is a .json file next to
them. It contains the architecture, the meaning of every input plane and every action, the origin of the
network, and the results of its matches.

A network that was trained elsewhere is imported in the same way. Its .safetensors file must contain the
tensors of the architecture with their names and shapes, in any order, as F32, F16, BF16 or F64. The
architecture is in its metadata as JSON under the key "architecture", or --like names a card or a network
that has the same architecture.

warren export games writes recorded games as a data set.

Examples:
  warren export runs/quick/networks/gen-00040.safetensors quick.onnx
  warren export runs/quick/networks/gen-00040.safetensors exported/
  warren export warren exported/
  warren export --format onnx --format npz runs/quick/networks/gen-00040.safetensors exported/
  warren export --like quick.json trained-elsewhere.safetensors mine.safetensors
  warren export --average runs/b/network.safetensors runs/a/network.safetensors both.safetensors`

type flags struct {
	Network string   `arg:"" help:"The network: a .safetensors file, the directory of a run, or warren, which comes with this program."`
	Out     string   `arg:"" help:"The file to write, or a directory. Existing files are replaced, including the card."`
	Format  []string `placeholder:"NAME" help:"The format: safetensors, npz or onnx. Overrides the extension of OUT. May be given several times if OUT is a directory."`
	Like    string   `placeholder:"FILE" help:"A card (.json) or network (.safetensors) with the same architecture, for a network whose metadata does not contain it."`
	Average []string `placeholder:"NETWORK" sep:"none" help:"Write the mean of its weights and those of this network, which has the same architecture. It can play better than each if they began with the same weights. May be given several times."`
}

// Main runs the command.
func Main(c console.Command) {
	if c.First() == "games" {
		var games gamesFlags
		c = c.Sub()
		c.Parse(&games, gamesDescription, "presets", strings.Join(settings.Presets(), ", "))
		c.Run(games.run)
		return
	}
	var f flags
	c.Parse(&f, description)
	c.Run(func(_ context.Context, out io.Writer) error { return f.run(out) })
}

// format is a way to write a network.
type format struct {
	name string // also the extension of its files, without the dot
	save func(path string, n *net.Network, meta map[string]string) error
}

var formats = []format{
	{"safetensors", net.Save},
	{"npz", func(path string, n *net.Network, _ map[string]string) error { return npz.Save(path, n) }},
	{"onnx", onnx.Save},
}

// target is a file to write.
type target struct {
	format
	path string
}

func (f *flags) run(out io.Writer) error {
	targets, card, err := f.targets()
	if err != nil {
		return err
	}
	switch _, err := readArchitecture(card); {
	case errors.Is(err, errNotCard):
		return fmt.Errorf("%s already exists and is not a card, but the card would replace it; choose another name for OUT", card)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the card would replace %s; choose another name for OUT: %w", card, err)
	}
	n, meta, err := f.load()
	if err != nil {
		return err
	}
	if n, meta, err = f.average(n, meta); err != nil {
		return err
	}
	if trailingSeparator(f.Out) {
		if err := os.MkdirAll(f.Out, 0o777); err != nil {
			return fmt.Errorf("creating the directory: %w", err)
		}
	}
	c, err := newCard(f.Network, n, meta)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if err := t.save(t.path, n, meta); err != nil {
			return err
		}
		if err := c.add(t); err != nil {
			return err
		}
	}
	if err := c.save(card); err != nil {
		return err
	}
	report(out, c, targets, card)
	return nil
}

// targets returns the files to write and the path of the card.
func (f *flags) targets() (targets []target, card string, err error) {
	var chosen []format
	for _, name := range f.Format {
		i := slices.IndexFunc(formats, func(known format) bool { return known.name == name })
		if i < 0 {
			return nil, "", fmt.Errorf("--format %s: there is no such format; the formats are safetensors, npz and onnx", name)
		}
		chosen = append(chosen, formats[i])
	}
	info, err := os.Stat(f.Out)
	if trailingSeparator(f.Out) || err == nil && info.IsDir() {
		if len(chosen) == 0 {
			chosen = formats
		}
		name := strings.TrimSuffix(filepath.Base(console.Absolute(f.Network)), ".safetensors")
		for _, c := range chosen {
			targets = append(targets, target{c, filepath.Join(f.Out, name+"."+c.name)})
		}
		card = filepath.Join(f.Out, name+".json")
	} else {
		ending := filepath.Ext(f.Out)
		switch {
		case len(chosen) > 1:
			return nil, "", fmt.Errorf("%s: several formats need a directory; end its name with a slash to create it", f.Out)
		case len(chosen) == 0:
			i := slices.IndexFunc(formats, func(known format) bool { return strings.EqualFold(ending, "."+known.name) })
			if i < 0 {
				return nil, "", fmt.Errorf("%s: the name must end in .safetensors, .npz or .onnx; otherwise name a directory or give --format", f.Out)
			}
			chosen = formats[i : i+1]
		}
		if strings.EqualFold(ending, ".json") {
			return nil, "", fmt.Errorf("%s: the card goes to a .json file; give the network another ending", f.Out)
		}
		if dir, err := os.Stat(filepath.Dir(f.Out)); err != nil || !dir.IsDir() {
			return nil, "", fmt.Errorf("%s: there is no directory %s; make it first", f.Out, filepath.Dir(f.Out))
		}
		targets = []target{{chosen[0], f.Out}}
		card = strings.TrimSuffix(f.Out, ending) + ".json"
	}
	for _, t := range targets {
		if slices.ContainsFunc(append(f.Average, f.Network), func(input string) bool { return same(t.path, input) }) {
			return nil, "", fmt.Errorf("%s: this is the input network itself; choose another name", t.path)
		}
	}
	return targets, card, nil
}

func trailingSeparator(path string) bool {
	return strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator))
}

// same reports whether path is the file of the network that input names.
func same(path, input string) bool {
	input, err := bundled.Find(input)
	x, errX := os.Stat(path)
	y, errY := os.Stat(input)
	return err == nil && errX == nil && errY == nil && os.SameFile(x, y)
}

// load reads the network. If --like is given, it takes the architecture from there.
func (f *flags) load() (*net.Network, map[string]string, error) {
	path, err := bundled.Find(f.Network)
	if err != nil {
		return nil, nil, err
	}
	f.Network = path
	if f.Like == "" {
		n, meta, err := bundled.Checkpoint(f.Network)
		if errors.Is(err, net.ErrNoArchitecture) {
			err = fmt.Errorf("%w; if the network was trained elsewhere, name a card or network with its architecture with --like", err)
		}
		return n, meta, err
	}
	if f.Network == bundled.Name {
		return nil, nil, fmt.Errorf("--like is for a network that was trained elsewhere: leave it out with %s", bundled.Name)
	}
	config, err := architecture(f.Like)
	if err != nil {
		return nil, nil, err
	}
	return net.LoadAs(f.Network, config)
}

// average returns the mean of the network and those that --average names, if there are any. Its
// provenance is what theirs have in common, plus the hashes of all of them.
func (f *flags) average(n *net.Network, meta map[string]string) (*net.Network, map[string]string, error) {
	if len(f.Average) == 0 {
		return n, meta, nil
	}
	networks, hashes := []*net.Network{n}, []string{n.Hash()}
	for _, path := range f.Average {
		other, its, err := bundled.Checkpoint(path)
		if err != nil {
			return nil, nil, fmt.Errorf("--average: %w", err)
		}
		networks, hashes = append(networks, other), append(hashes, other.Hash())
		maps.DeleteFunc(meta, func(key, value string) bool { return its[key] != value })
	}
	mean, err := net.Mean(networks...)
	if err != nil {
		return nil, nil, fmt.Errorf("--average, with %s as network 1: %w", f.Network, err)
	}
	meta["average_of"] = strings.Join(hashes, " ")
	return mean, meta, nil
}

// architecture reads the architecture from a card or a network.
func architecture(path string) (net.Config, error) {
	if path == bundled.Name || strings.EqualFold(filepath.Ext(path), ".safetensors") {
		n, _, err := bundled.Checkpoint(path)
		if err != nil {
			return net.Config{}, err
		}
		return n.Config, nil
	}
	return readArchitecture(path)
}

func report(out io.Writer, c *card, targets []target, card string) {
	p := c.Provenance
	fmt.Fprintf(out, "%v network, %d parameters; run %s, generation %s, hash %.16s\n", c.Architecture, c.Parameters,
		visible.Text(cmp.Or(p["run"], "unknown")), visible.Text(cmp.Or(p["generation"], "unknown")), c.Hash)
	for i, t := range targets {
		fmt.Fprintf(out, "  %s: %.1f MB\n", t.path, float64(c.Files[i].Bytes)/1e6)
	}
	fmt.Fprintf(out, "  %s: the card\n", card)
	if slices.ContainsFunc(targets, func(t target) bool { return t.name == "onnx" }) {
		input, outputs := onnx.Input(), onnx.Outputs(c.Architecture)
		width := len(input.Name)
		for _, p := range outputs {
			width = max(width, len(p.Name))
		}
		writePort(out, "input ", width, input)
		for _, p := range outputs {
			writePort(out, "output", width, p)
		}
	}
}

// writePort prints the name, padded to a width, and the shape of an input or output.
func writePort(out io.Writer, kind string, width int, p onnx.Port) {
	shape := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(p.Shape), "[]")), ", ")
	fmt.Fprintf(out, "  %s %-*s  float32 [batch, %s]\n", kind, width, p.Name, shape)
}
