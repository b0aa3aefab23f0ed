package settings

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// A schedule is a section with an initial and a final value and the number of games from one to the other.
// Earlier versions had settings of other names for it.

// olderSchedules puts what the file of an earlier version says of a schedule into the section that it has now.
func (r *reader) olderSchedules(section string, settings *yaml.Node) {
	f := r.byKey["selfplay.visits"]
	if section == "selfplay" && f != nil && f.section {
		initial := take(settings, "initial_visits", "visits_begin")
		final := take(settings, "visits")
		games := take(settings, "visits_ramp_games", "visits_games")
		if initial != nil && equal(initial.value.Value, "0") { // every game had the final visits
			initial, games = nil, &part{initial.name, scalar("0", initial.value.Line)}
		}
		r.put(settings, f, initial, final, games)
	}
	f = r.byKey["data.material_weight"]
	if section == "data" && f != nil && f.section {
		weight, games := take(settings, "material_weight", "lead_weight"), take(settings, "material_games", "lead_games")
		if games == nil || equal(games.value.Value, "0") { // every game had the same weight
			r.put(settings, f, nil, weight, games)
		} else {
			r.put(settings, f, weight, &part{games.name, scalar("0", games.value.Line)}, games)
		}
	}
}

// part is a setting that is a part of a schedule now.
type part struct {
	name  string // that the file has
	value *yaml.Node
}

// take removes the first setting with one of the names from a section, and returns it.
func take(section *yaml.Node, names ...string) *part {
	for i := 0; i+1 < len(section.Content); i += 2 {
		name, value := section.Content[i], section.Content[i+1]
		if slices.Contains(names, name.Value) && value.Kind == yaml.ScalarNode && !isNull(value) {
			section.Content = slices.Delete(section.Content, i, i+2)
			return &part{name.Value, value}
		}
	}
	return nil
}

// put adds the section of a schedule with the parts that are not nil.
func (r *reader) put(section *yaml.Node, f *field, initial, final, games *part) {
	schedule := &yaml.Node{Kind: yaml.MappingNode}
	for _, p := range []struct {
		name string
		*part
	}{{"initial", initial}, {"final", final}, {"games", games}} {
		if p.part == nil {
			continue
		}
		schedule.Line = p.value.Line
		schedule.Content = append(schedule.Content, scalar(p.name, p.value.Line), p.value)
		r.older.Renamed = append(r.older.Renamed, f.parent()+"."+p.part.name+" -> "+f.key+"."+p.name)
	}
	if schedule.Content != nil {
		_, name := cut(f.key)
		section.Content = append(section.Content, scalar(name, schedule.Line), schedule)
	}
}

func scalar(text string, line int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: text, Line: line}
}
