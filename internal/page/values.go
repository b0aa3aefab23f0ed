package page

import (
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"warren/internal/durable"
	"warren/internal/eval"
	"warren/net/bundled"
)

// mixed reports whether the values of a run, at the path of its directory, are not
// chances to win: whether its settings make the pieces count in them. Values of a run
// without settings that can be read are taken for chances.
func mixed(run string) bool {
	content, err := durable.ReadFile(filepath.Join(run, "config.yaml"), durable.Document)
	if err != nil {
		return false
	}
	var c struct {
		Data struct {
			MaterialWeight yaml.Node `yaml:"material_weight"`
			LeadWeight     float64   `yaml:"lead_weight"` // its name in earlier versions
		} `yaml:"data"`
	}
	if err := yaml.Unmarshal(content, &c); err != nil {
		return false
	}
	var weight float64 // in earlier versions
	if err := c.Data.MaterialWeight.Decode(&weight); err == nil {
		return max(weight, c.Data.LeadWeight) > 0
	}
	var now struct {
		Initial, Final float64
		Games          int
	}
	err = c.Data.MaterialWeight.Decode(&now)
	return err == nil && (now.Final > 0 || now.Games > 0 && now.Initial > 0)
}

// mixedBy reports whether the values of a network are not chances to win. A network
// file does not say so, but the run in whose directory it is does.
func mixedBy(network *eval.Network) bool {
	path := network.Origin.Path
	return path != bundled.Name && mixed(filepath.Join(filepath.Dir(path), ".."))
}
