package train

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"

	"warren/internal/arena"
	"warren/internal/durable"
	"warren/internal/eval"
	"warren/internal/settings"
	"warren/net"
)

// matchRecord is the result of a match, as saved in the run's directory.
type matchRecord struct {
	Player     string `json:"player"`
	Opponent   string `json:"opponent"`   // a baseline's name, or "gen-00012"
	Generation int    `json:"generation"` // of the player
	Network    string `json:"network"`    // content hash of the player's
	Gatekeeper bool   `json:"gatekeeper,omitempty"`

	// The settings of the match.
	TurnLimit   int               `json:"turn_limit,omitempty"`
	Visits      int               `json:"visits"` // root visits for every step of the networks
	Temperature float64           `json:"temperature"`
	Turns       int               `json:"temperature_turns"`
	Search      map[string]string `json:"search,omitempty"` // values by setting, such as cpuct_init

	Score arena.Tally `json:"score"` // the player's
	Rate  float64     `json:"rate"`
	Low   float64     `json:"low"` // 95% interval of the rate
	High  float64     `json:"high"`
}

// searchOf returns the settings that affect how a network searches.
func searchOf(how *arena.SearchSettings) (map[string]string, error) {
	list, err := settings.List(how.Search)
	if err != nil {
		return nil, err
	}
	search := map[string]string{}
	for _, s := range list {
		search[s.Key] = s.Value
	}
	return search, nil
}

// match returns the path of a match's record.
func (d *Dir) match(generation int, file string) string {
	return filepath.Join(d.matches(), net.GenerationName(generation)+"-"+file+".json")
}

// measured reports whether there is the result of this network's match against o.
func (d *Dir) measured(me *eval.Network, o *opponent) bool {
	m, err := readMatch(d.match(me.Origin.Generation, o.file))
	return err == nil && m.Network == me.Hash && m.Opponent == o.entrant.Name()
}

// records returns the matches of the run. It logs and renames damaged records. A
// record that cannot be opened is an error.
func (d *Dir) records(log *slog.Logger) ([]matchRecord, error) {
	all, unusable, err := d.findRecords()
	if err != nil {
		return nil, err
	}
	return all, doWithout(unusable, log)
}

// findRecords is records, but it changes nothing: it returns what cannot be used.
func (d *Dir) findRecords() (all []matchRecord, unusable []damage, err error) {
	paths, err := durable.List(d.matches(), "gen-*.json")
	if err != nil {
		return nil, nil, fmt.Errorf("looking for matches: %w", err)
	}
	for _, path := range paths {
		m, err := readMatch(path)
		switch {
		case err == nil:
			all = append(all, m)
		case isNoFile(err):
			unusable = append(unusable, damage{path, err, "passing over what has the name of a match's record and is no file", true})
		case isDamage(err):
			unusable = append(unusable, damage{path, err, "setting aside a damaged record of a match; it does not count any more", false})
		default:
			return nil, nil, err
		}
	}
	return all, unusable, nil
}

// readMatch reads the record of a match.
func readMatch(path string) (matchRecord, error) {
	content, err := durable.ReadFile(path, durable.Document)
	if err != nil {
		return matchRecord{}, fmt.Errorf("reading a match: %w", err)
	}
	m, err := parseMatch(content)
	if err != nil {
		return m, fmt.Errorf("reading the match %s: %w", path, err)
	}
	return m, nil
}

// parseMatch reads the content of a record.
func parseMatch(content []byte) (m matchRecord, err error) {
	if err := json.Unmarshal(content, &m); err != nil {
		return m, err
	}
	if m.Player == "" || m.Opponent == "" || m.Player == m.Opponent {
		return m, fmt.Errorf("it is of %q against %q", m.Player, m.Opponent)
	}
	return m, m.Score.Validate()
}

func writeRecord(path string, record any) error {
	if err := durable.WriteJSON(path, record, "  "); err != nil {
		return fmt.Errorf("saving a match: %w", err)
	}
	return nil
}
