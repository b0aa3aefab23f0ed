package compare

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

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
			r.missing = append(r.missing, fmt.Sprintf("%s is not in %s", name, b))
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
		if text := parameterDifference(n, other); text != "" {
			r.differ = append(r.differ, name+": "+text)
			continue
		}
		r.same++
		r.parts += n.NumParams()
	}
	for _, name := range others {
		if !slices.Contains(names, name) {
			r.missing = append(r.missing, fmt.Sprintf("%s is not in %s", name, a))
		}
	}
	return r, nil
}

// networks returns the file names of a run's networks, in order.
func networks(run string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(run, "networks"))
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

// parameterDifference describes the first number that is not the same bits in
// both networks, empty if there is none.
func parameterDifference(a, b *net.Network) string {
	if a.Config != b.Config {
		return fmt.Sprintf("a network %v and a network %v", a.Config, b.Config)
	}
	for i, p := range a.Params {
		for j, v := range p.Data {
			if w := b.Params[i].Data[j]; math.Float32bits(v) != math.Float32bits(w) {
				return fmt.Sprintf("%s[%d] is %v and %v", p.Name, j, v, w)
			}
		}
	}
	return ""
}
