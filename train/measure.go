package train

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"warren/internal/durable"
	"warren/match"
	"warren/metrics"
	"warren/net"
	"warren/selfplay"
)

// MatchRecord is the result of a match, as it is kept in the run's directory.
type MatchRecord struct {
	Player      string      `json:"player"`
	Opponent    string      `json:"opponent"`
	Generation  int         `json:"generation"` // of the player
	Network     string      `json:"network"`    // content hash of the player's
	Visits      int         `json:"visits"`     // root visits for every step of either side
	Temperature float64     `json:"temperature"`
	Turns       int         `json:"temperature_turns"`
	Score       match.Score `json:"score"` // the player's
	Rate        float64     `json:"rate"`
	Low         float64     `json:"low"` // 95% interval of the rate
	High        float64     `json:"high"`
}

// measure plays the present network against the random player and against the
// first generation if it is due to be measured, and keeps the results. Matches
// whose results are there are not played again.
func (r *Run) measure(ctx context.Context) error {
	generation, me := r.state.Generation, r.Latest()
	if every := r.config.Match.Every; every == 0 || generation == 0 || generation%every != 0 && !r.Finished() {
		return nil
	}
	p := metrics.Point{Step: int64(generation), Time: time.Now()}
	defer r.playing("")
	for _, name := range []string{againstRandom, againstFirst} {
		if ctx.Err() != nil || r.dir.measured(generation, name, me.Hash) {
			continue
		}
		opponent, err := r.opponent(name)
		if err != nil {
			r.log.Warn("no match against the first generation", "error", err)
			continue
		}
		r.playing(opponent.Name())
		score, err := match.Play(ctx, match.Config{
			Games:     r.config.Match.Games,
			Seed:      r.config.Seed + uint64(generation)<<20,
			TurnLimit: r.config.SelfPlay.TurnLimit,
		}, r.seat(me), opponent, nil)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		r.log.Info(fmt.Sprintf("generation %d against %s: %v", generation, opponent.Name(), score))
		if err := r.dir.saveMatch(r.matchRecord(name, me, score)); err != nil {
			return err
		}
		p.Values = append(p.Values, metrics.Value{Name: "match/" + name, Value: score.Rate()})
	}
	if len(p.Values) == 0 {
		return nil
	}
	if err := r.sink.Write(p); err != nil {
		return fmt.Errorf("writing the series: %w", err)
	}
	return nil
}

// The opponents of MatchRecord.Opponent.
const (
	againstRandom = "random"
	againstFirst  = "first"
)

func (r *Run) opponent(name string) (match.Player, error) {
	if name == againstRandom {
		return match.Random{}, nil
	}
	first, _, err := net.Load(r.dir.Network(0))
	if err != nil {
		return nil, err
	}
	return r.seat(Playable(first, 0)), nil
}

// playing notes for Status whom the network is playing against.
func (r *Run) playing(opponent string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.match = opponent
}

func (r *Run) matchRecord(opponent string, me *selfplay.Network, score match.Score) MatchRecord {
	low, high := score.Interval()
	return MatchRecord{
		Player: fmt.Sprintf("gen-%05d", me.Generation), Opponent: opponent, Generation: me.Generation, Network: me.Hash,
		Visits: r.config.matchVisits(), Temperature: r.config.Match.Temperature, Turns: r.config.Match.Turns,
		Score: score, Rate: score.Rate(), Low: low, High: high,
	}
}

// seat returns a network as a player of the run's matches.
func (r *Run) seat(n *selfplay.Network) *match.Searcher {
	return &match.Searcher{
		Label:  fmt.Sprintf("generation %d", n.Generation),
		Search: r.config.Search, Visits: r.config.matchVisits(),
		Temperature: r.config.Match.Temperature, TemperatureTurns: r.config.Match.Turns,
		NewEvaluator: func(batch int) (match.Evaluator, error) { return n.NewEvaluator(batch) },
	}
}

func (d *Dir) match(generation int, opponent string) string {
	return filepath.Join(d.matches(), fmt.Sprintf("gen-%05d-%s.json", generation, opponent))
}

// measured reports whether the result of a match of this very network is there.
func (d *Dir) measured(generation int, opponent, network string) bool {
	var m MatchRecord
	content, err := os.ReadFile(d.match(generation, opponent))
	return err == nil && json.Unmarshal(content, &m) == nil && m.Network == network
}

func (d *Dir) saveMatch(m MatchRecord) error {
	err := durable.WriteFile(d.match(m.Generation, m.Opponent), func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(m)
	})
	if err != nil {
		return fmt.Errorf("saving a match: %w", err)
	}
	return nil
}
