package compare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warren/internal/quoted"
	"warren/internal/settings"
	"warren/net"
)

// compareNetworks compares the parameters of the networks of the same name.
func compareNetworks(ctx context.Context, a, b string) (*result, error) {
	names, err := networks(a)
	if err != nil {
		return nil, err
	}
	others, err := networks(b)
	if err != nil {
		return nil, err
	}
	r := &result{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !slices.Contains(others, name) {
			r.missing.add(fmt.Sprintf("%s is not in %s", name, b))
			continue
		}
		n, _, err := net.Load(filepath.Join(a, "networks", name))
		if err != nil {
			return nil, err
		}
		other, _, err := net.Load(filepath.Join(b, "networks", name))
		if err != nil {
			return nil, err
		}
		text, err := networkDifference(n, other)
		if err != nil {
			return nil, err
		}
		if text != "" {
			r.differ.add(name + ": " + text)
			continue
		}
		r.same++
		r.parts += n.NumParams()
	}
	for _, name := range others {
		if !slices.Contains(names, name) {
			r.missing.add(fmt.Sprintf("%s is not in %s", name, a))
		}
	}
	return r, nil
}

// networks returns the file names of a run's networks, in order.
func networks(run string) ([]string, error) {
	dir := filepath.Join(run, "networks")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no networks in %s: name the directory of a run, or compare the games alone (--games)", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("looking for networks: %w", err)
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".safetensors" {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// networkDifference names the settings in which two networks differ, or else describes the first number that is not
// the same bits in both. It is empty if there is none.
func networkDifference(a, b *net.Network) (string, error) {
	changes, err := settings.Changes(a.Config, b.Config)
	if err != nil {
		return "", err
	}
	if changes != nil {
		var words []string
		for _, c := range changes {
			words = append(words, fmt.Sprintf("%s %s and %s", c.Key, quoted.Add(c.Before), quoted.Add(c.After)))
		}
		return "networks with " + strings.Join(words, ", "), nil
	}
	for i, p := range a.Params {
		for j, v := range p.Data {
			if w := b.Params[i].Data[j]; math.Float32bits(v) != math.Float32bits(w) {
				return fmt.Sprintf("%s[%d] is %v and %v", p.Name, j, v, w), nil
			}
		}
	}
	return "", nil
}
