package train

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"warren/internal/durable"
	"warren/match"
	"warren/selfplay"
)

// MatchRecord is the result of a match, as it is kept in the run's directory.
type MatchRecord struct {
	Player      string      `json:"player"`
	Opponent    string      `json:"opponent"`   // a baseline's name, or "gen-00012"
	Generation  int         `json:"generation"` // of the player
	Network     string      `json:"network"`    // content hash of the player's
	Visits      int         `json:"visits"`     // root visits for every step of the networks
	Temperature float64     `json:"temperature"`
	Turns       int         `json:"temperature_turns"`
	Score       match.Tally `json:"score"` // the player's
	Rate        float64     `json:"rate"`
	Low         float64     `json:"low"` // 95% interval of the rate
	High        float64     `json:"high"`
}

// opponent is whom a network is measured against.
type opponent struct {
	name   string // as MatchRecord.Opponent
	file   string // what its records are called after
	series string // of the rates of games won; empty for none
	player match.Player
}

// measure plays the present network against its opponents if it is due to be
// measured, keeps the results, and rates all networks measured so far on one
// scale. Matches whose results are there are not played again.
func (r *Run) measure(ctx context.Context) error {
	me := r.Latest()
	if every := r.config.Match.Every; every == 0 || me.Generation == 0 || r.state.Generation%every != 0 && !r.Finished() || r.dir.rated(me) {
		return nil
	}
	opponents, err := r.opponents(me)
	if err != nil {
		return err
	}
	defer r.playing("")
	for _, o := range opponents {
		if ctx.Err() != nil || r.dir.measured(me, o.file) {
			continue
		}
		r.playing(o.player.Name())
		score, err := match.Play(ctx, match.Config{
			Games:     r.config.Match.Games,
			Seed:      r.config.Seed + uint64(me.Generation)<<20,
			TurnLimit: r.config.SelfPlay.TurnLimit,
		}, r.seat(me), o.player, nil)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		r.log.Info(fmt.Sprintf("generation %d against %s: %v", me.Generation, o.player.Name(), score))
		if err := writeRecord(r.dir.match(me.Generation, o.file), r.matchRecord(o.name, me, score)); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return r.rate(me, opponents)
}

// playing notes for Status whom the network is playing against.
func (r *Run) playing(opponent string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.match = opponent
}

func (r *Run) matchRecord(opponent string, me *selfplay.Network, score match.Tally) MatchRecord {
	low, high := score.Interval()
	return MatchRecord{
		Player: generationName(me.Generation), Opponent: opponent, Generation: me.Generation, Network: me.Hash,
		Visits: r.config.matchVisits(), Temperature: r.config.Match.Temperature, Turns: r.config.Match.Turns,
		Score: score, Rate: score.Rate(), Low: low, High: high,
	}
}

// seat returns a network as a player of the run's matches.
func (r *Run) seat(n *selfplay.Network) *match.Searcher {
	search := r.config.Search
	search.NoiseFraction = 0
	return &match.Searcher{
		Label: fmt.Sprintf("generation %d", n.Generation),
		SearchSettings: match.SearchSettings{
			Search: search, Visits: r.config.matchVisits(),
			Temperature: r.config.Match.Temperature, TemperatureTurns: r.config.Match.Turns,
		},
		NewEvaluator: func(batch int) (match.Evaluator, error) { return n.NewEvaluator(batch) },
	}
}

// generationName is what a network is called in the records.
func generationName(generation int) string { return fmt.Sprintf("gen-%05d", generation) }

func (d *Dir) match(generation int, file string) string {
	return filepath.Join(d.matches(), fmt.Sprintf("gen-%05d-%s.json", generation, file))
}

// measured reports whether the result of a match of this very network is there.
func (d *Dir) measured(me *selfplay.Network, file string) bool {
	var m MatchRecord
	return readRecord(d.match(me.Generation, file), &m) == nil && m.Network == me.Hash
}

// gatekeeper reports whether the match was the gatekeeper's.
func (m *MatchRecord) gatekeeper() bool { return m.Score.Pairs != [3]int{} }

func readRecord(path string, to any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading a match: %w", err)
	}
	if err := json.Unmarshal(content, to); err != nil {
		return fmt.Errorf("reading the match %s: %w", path, err)
	}
	return nil
}

func writeRecord(path string, record any) error {
	err := durable.WriteFile(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(record)
	})
	if err != nil {
		return fmt.Errorf("saving a match: %w", err)
	}
	return nil
}
