package train

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warren/match"
	"warren/metrics"
	"warren/net"
	"warren/rating"
	"warren/selfplay"
)

// The ladder: every network that is measured plays the baselines, the run's
// first network, and the network measured before it. So all of them hang
// together, and are rated on one scale by the likelihood of all these games; a
// rung that has become too easy is left out, for games that are always won say
// nothing.

// outgrown is the share of the games that a network must have won for its
// successors to be spared the opponent.
const outgrown = 0.95

// againstFirst is the file name of matches against the first network.
const againstFirst = "first"

// opponents returns whom me is to be measured against.
func (r *Run) opponents(me *selfplay.Network) ([]opponent, error) {
	records, err := r.dir.records()
	if err != nil {
		return nil, err
	}
	var list []opponent
	add := func(o opponent) {
		// What this network has played already counts as played, not as outgrown.
		easy := slices.ContainsFunc(records, func(m MatchRecord) bool {
			return m.Opponent == o.name && m.Generation < me.Generation && m.Rate >= outgrown
		})
		if !easy {
			list = append(list, o)
		}
	}
	for _, text := range r.config.Match.baselines() {
		e, err := (&match.Names{}).Parse(text)
		if err != nil {
			return nil, fmt.Errorf("match.baselines: %w", err)
		}
		add(opponent{e.Name(), fileName(e.Name()), fileName(e.Name()), e})
	}
	before := 0
	for _, m := range records {
		if m.Generation < me.Generation && !m.gatekeeper() {
			before = max(before, m.Generation)
		}
	}
	for _, generation := range slices.Compact([]int{0, before}) {
		o := opponent{name: generationName(generation), file: generationName(generation)}
		if generation == 0 {
			o.file, o.series = againstFirst, againstFirst
		}
		network, _, err := net.Load(r.dir.Network(generation))
		if err != nil {
			r.log.Warn("no match against an earlier generation", "error", err)
			continue
		}
		o.player = r.seat(Playable(network, generation))
		add(o)
	}
	return list, nil
}

// baselines returns the names in Baselines.
func (c *MatchConfig) baselines() []string { return strings.Fields(c.Baselines) }

// fileName makes a player's name one that any file system takes.
func fileName(name string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, name)
}

// records returns the matches of the run. One that cannot be read is an error,
// for files are written whole.
func (d *Dir) records() ([]MatchRecord, error) {
	paths, err := filepath.Glob(filepath.Join(d.matches(), "gen-*.json"))
	if err != nil {
		return nil, fmt.Errorf("looking for matches: %w", err)
	}
	slices.Sort(paths)
	var all []MatchRecord
	for _, path := range paths {
		var m MatchRecord
		if err := readRecord(path, &m); err != nil {
			return nil, err
		}
		// Of records from before opponents were called by generation.
		if m.Opponent == againstFirst {
			m.Opponent = generationName(0)
		}
		all = append(all, m)
	}
	return all, nil
}

// LadderRecord is a network's rating as it was when it was measured, as it is
// kept in the run's directory. Later matches tell more about it.
type LadderRecord struct {
	Generation int     `json:"generation"`
	Network    string  `json:"network"` // content hash
	Zero       string  `json:"zero"`    // the player whose rating is 0
	Elo        float64 `json:"elo"`
	Margin     float64 `json:"margin"` // half its 95% interval
}

// rate rates me by all the run's matches, and reports that with the results of
// its matches against the opponents. That is done when the record is there.
func (r *Run) rate(me *selfplay.Network, opponents []opponent) error {
	records, err := r.dir.records()
	if err != nil {
		return err
	}
	ladder, err := r.ladder(me, records)
	if err != nil {
		return err
	}
	r.log.Info(fmt.Sprintf("generation %d is rated %+.0f Elo, +-%.0f (%s is 0)", me.Generation, ladder.Elo, ladder.Margin, ladder.Zero))
	p := metrics.Point{Step: int64(me.Generation), Time: time.Now()}
	for _, o := range opponents {
		for _, m := range records {
			if o.series != "" && m.Network == me.Hash && m.Opponent == o.name {
				p.Values = append(p.Values, metrics.Value{Name: "match/" + o.series, Value: m.Rate})
			}
		}
	}
	p.Values = append(p.Values, metrics.Value{Name: "match/elo", Value: ladder.Elo}, metrics.Value{Name: "match/elo_margin", Value: ladder.Margin})
	if err := r.sink.Write(p); err != nil {
		return fmt.Errorf("writing the series: %w", err)
	}
	return writeRecord(r.dir.ladder(me.Generation), ladder)
}

// ladder rates me. The scale's zero is the first of the baselines, or the first
// network if there are none.
func (r *Run) ladder(me *selfplay.Network, records []MatchRecord) (*LadderRecord, error) {
	zero := generationName(0)
	if names := r.config.Match.baselines(); len(names) > 0 {
		e, err := (&match.Names{}).Parse(names[0])
		if err != nil {
			return nil, fmt.Errorf("match.baselines: %w", err)
		}
		zero = e.Name()
	}
	players := []string{zero}
	number := func(name string) int {
		i := slices.Index(players, name)
		if i < 0 {
			i, players = len(players), append(players, name)
		}
		return i
	}
	// With another search budget a network is another player.
	named := func(m *MatchRecord, name string) string {
		if strings.HasPrefix(name, "gen-") && name != zero {
			return fmt.Sprintf("%s visits=%d temperature=%g turns=%d", name, m.Visits, m.Temperature, m.Turns)
		}
		return name
	}
	mine := r.matchRecord("", me, match.Tally{})
	self := number(named(&mine, mine.Player))
	type pairing struct{ player, opponent int }
	played := make([]pairing, len(records))
	for i := range records {
		m := &records[i]
		played[i] = pairing{number(named(m, m.Player)), number(named(m, m.Opponent))}
	}
	results := rating.NewResults(len(players))
	for i, p := range played {
		results.Add(p.player, p.opponent, float64(records[i].Score.Wins))
		results.Add(p.opponent, p.player, float64(records[i].Score.Losses))
	}
	ratings, err := rating.Fit(results, 0)
	if err != nil {
		return nil, fmt.Errorf("rating the networks: %w", err)
	}
	return &LadderRecord{me.Generation, me.Hash, zero, ratings.Elo[self], ratings.Margin(self)}, nil
}

func (d *Dir) ladder(generation int) string {
	return filepath.Join(d.matches(), fmt.Sprintf("ladder-%05d.json", generation))
}

// rated reports whether this very network has been measured to the end.
func (d *Dir) rated(me *selfplay.Network) bool {
	var l LadderRecord
	return readRecord(d.ladder(me.Generation), &l) == nil && l.Network == me.Hash
}
