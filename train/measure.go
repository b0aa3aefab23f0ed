package train

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	Visits      int         `json:"visits"`     // root visits for every step of either side
	Temperature float64     `json:"temperature"`
	Turns       int         `json:"temperature_turns"`
	Score       match.Score `json:"score"` // the player's
	Rate        float64     `json:"rate"`
	Low         float64     `json:"low"` // 95% interval of the rate
	High        float64     `json:"high"`
}

// measure plays the present network against the random player and against the
// first generation, and keeps the results.
func (r *Run) measure(ctx context.Context) error {
	generation := r.state.Generation
	p := metrics.Point{Step: int64(generation), Time: time.Now()}
	opponents := map[string]match.Player{"random": match.Random{}}
	names := []string{"random"}
	if first, _, err := net.Load(r.dir.Network(0)); err != nil {
		r.log.Warn("no match against the first generation", "error", err)
	} else if generation > 0 {
		opponents["first"] = r.seat(Playable(first, 0))
		names = append(names, "first")
	}
	me := r.seat(r.Latest())
	defer r.playing("")
	for _, name := range names {
		r.playing(opponents[name].Name())
		score, err := match.Play(ctx, match.Config{
			Games:     r.config.Match.Games,
			Seed:      r.config.Seed + uint64(generation)<<20,
			TurnLimit: r.config.SelfPlay.TurnLimit,
		}, me, opponents[name], nil)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		r.log.Info(fmt.Sprintf("generation %d against %s: %v", generation, opponents[name].Name(), score))
		if err := r.dir.saveMatch(r.matchRecord(name, generation, score)); err != nil {
			return err
		}
		p.Values = append(p.Values, metrics.Value{Name: "match/" + name, Value: score.Rate()})
	}
	if err := r.sink.Write(p); err != nil {
		return fmt.Errorf("writing the series: %w", err)
	}
	return nil
}

// playing notes for Status whom the network is playing against.
func (r *Run) playing(opponent string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.match = opponent
}

func (r *Run) matchRecord(opponent string, generation int, score match.Score) MatchRecord {
	low, high := score.Interval()
	return MatchRecord{
		Player: fmt.Sprintf("gen-%05d", generation), Opponent: opponent, Generation: generation,
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

func (d *Dir) saveMatch(m MatchRecord) error {
	path := filepath.Join(d.matches(), fmt.Sprintf("gen-%05d-%s.json", m.Generation, m.Opponent))
	err := durable.WriteFile(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(m)
	})
	if err != nil {
		return fmt.Errorf("saving a match: %w", err)
	}
	return nil
}
