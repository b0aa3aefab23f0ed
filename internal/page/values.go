package page

import (
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"warren/internal/durable"
	"warren/internal/eval"
	"warren/internal/quoted"
	"warren/net"
	"warren/net/bundled"
)

// mixed reports whether the values of a generation are not chances to win: whether the stage
// that trained it makes the pieces count in them. Values of a run without settings that can be
// read are taken for chances.
func (r *run) mixed(generation int) bool {
	content, err := durable.ReadFile(filepath.Join(r.path, "config.yaml"), durable.Document)
	if err != nil {
		return false
	}
	var c struct {
		Loop struct{ Stages string }
		Data struct {
			MaterialWeight yaml.Node `yaml:"material_weight"`
			LeadWeight     float64   `yaml:"lead_weight"` // its name in earlier versions
		}
	}
	if err := yaml.Unmarshal(content, &c); err != nil {
		return false
	}
	var weight float64 // in earlier versions
	if err := c.Data.MaterialWeight.Decode(&weight); err == nil {
		return max(weight, c.Data.LeadWeight) > 0
	}
	var now struct{ Initial, Final, Games float64 }
	if err := c.Data.MaterialWeight.Decode(&now); err != nil {
		return false
	}
	words, _ := quoted.Words(c.Loop.Stages)
	left := 0 // stages that begin until the generation is trained
	if len(words) > 0 {
		left = r.stage(generation) - 1
	}
	for _, word := range words {
		key, value, changes := strings.Cut(word, "=")
		if !changes { // the share of the run at which the next stage begins
			left--
		}
		if left < 0 {
			break
		}
		x, _ := strconv.ParseFloat(value, 64)
		switch key {
		case "data.material_weight.initial":
			now.Initial = x
		case "data.material_weight.final":
			now.Final = x
		case "data.material_weight.games":
			now.Games = x
		}
	}
	return now.Final > 0 || now.Games > 0 && now.Initial > 0
}

// stage returns the stage of the run, from 1 on, that trained a generation.
func (r *run) stage(generation int) int {
	stage := 1
	r.look(func(all *series, _ string) {
		for _, s := range all.samples("learner/stage") {
			if s.Step <= int64(generation) {
				stage = int(s.Value)
			}
		}
	})
	return stage
}

// mixedBy reports whether the values of a network are not chances to win. A network
// file does not say so, but the run in whose directory it is does.
func (s *Server) mixedBy(network *eval.Network) bool {
	path, generation := network.Origin.Path, network.Origin.Generation
	if path == bundled.Name {
		return false
	}
	for _, r := range s.runs { // whose series are at hand
		if path == net.GenerationFile(r.path, generation) {
			return r.mixed(generation)
		}
	}
	return (&run{path: filepath.Join(filepath.Dir(path), "..")}).mixed(generation)
}
