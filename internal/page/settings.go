package page

import (
	"fmt"
	"net/http"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"warren/internal/durable"
)

// setting is a setting of a run, as its file has it.
type setting struct {
	Key   string `json:"key"` // such as learner.batch
	Value string `json:"value"`
}

// settings returns the settings of a run, in the order of its file.
func (s *Server) settings(run *run, r *http.Request) (any, error) {
	content, err := durable.ReadFile(filepath.Join(run.path, "config.yaml"), durable.Document)
	if err != nil {
		return nil, fmt.Errorf("reading the settings of %s: %w", run.name, err)
	}
	var file yaml.Node
	if err := yaml.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("reading the settings of %s: %w", run.name, err)
	}
	return flattened("", &file, []setting{}), nil
}

// flattened appends the settings in a node, each with the names of all sections that it is in.
func flattened(key string, n *yaml.Node, list []setting) []setting {
	switch n.Kind {
	case yaml.DocumentNode:
		for _, part := range n.Content {
			list = flattened(key, part, list)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if key != "" {
				name = key + "." + name
			}
			list = flattened(name, n.Content[i+1], list)
		}
	case yaml.ScalarNode:
		list = append(list, setting{key, n.Value})
	}
	return list
}
