// Package bundled holds the network that comes with the program, so that everybody
// can play against it without training one. It was trained by this program from
// the rules alone. The card, card.md, says what it cost, how strong it is, how it
// was made, and the commands that make it again.
//
// To bundle another network, copy its checkpoint over the file:
//
//	cp runs/NAME/networks/gen-00070.safetensors net/bundled/warren.safetensors
//
// and let "go test ./net/bundled" say which lines of the card must change, and which
// game the network now plays. It refuses a file of more than 10 MB. No other place
// depends on the network. Package internal/eval/device opens it for play.
package bundled

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"

	"warren/internal/durable"
	"warren/net"
)

// Name is the name of the bundled network, wherever a command reads a network.
const Name = "warren"

//go:embed warren.safetensors
var checkpoint []byte

// Find returns the path of the network that path names: [Name] for the bundled
// network, even if a directory has this name, and otherwise as net.Newest does.
func Find(path string) (string, error) {
	if path == Name {
		return path, nil
	}
	return net.Newest(path)
}

// File returns the content of the file of the network that path names, as Find says. It must not be changed.
func File(path string) ([]byte, error) {
	path, err := Find(path)
	switch {
	case err != nil:
		return nil, err
	case path == Name:
		return checkpoint, nil
	}
	return durable.ReadFile(path, net.MaxFile)
}

// Checkpoint reads the network that path names, as Find says, and its metadata. The error for a file that is not
// there says what names a network.
func Checkpoint(path string) (*net.Network, map[string]string, error) {
	path, err := Find(path)
	if err != nil {
		return nil, nil, err
	}
	if path != Name {
		n, meta, err := net.Load(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: a network is a .safetensors file, the directory of a run, or %s; players without a network, such as greedy, are for play and evaluate", err, Name)
		}
		return n, meta, err
	}
	n, meta, err := net.LoadBytes(checkpoint)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the network in this program: %w", err)
	}
	return n, meta, nil
}
