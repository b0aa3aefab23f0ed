package train

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warren/internal/arena"
	"warren/internal/arena/rating"
	"warren/internal/durable"
	"warren/internal/eval"
	"warren/internal/metrics"
	"warren/net"
)

// The ladder rates all measured networks on one scale (package rating), from
// all matches of the run but the gatekeeper's. Each measured network plays the baselines, the run's
// first network and the network measured before it, so the ratings are connected.
// Opponents that have become too easy are left out, if there are others: games that
// are always won carry no information.

// ladder measures networks of a run.
type ladder struct {
	*matches
	networks *networks
}

// outgrown is the share of games won against an opponent from which later
// networks no longer play it.
const outgrown = 0.95

// againstFirst is the file name of matches against the first network.
const againstFirst = "first"

// opponents returns the players that me is measured against.
func (l *ladder) opponents(me *eval.Network) ([]opponent, error) {
	records, err := l.dir.records(l.log)
	if err != nil {
		return nil, err
	}
	mine, err := l.record("", me, arena.Tally{})
	if err != nil {
		return nil, err
	}
	how := mine.searching(mine.Search)
	easy := func(o opponent) bool {
		name := o.entrant.Name()
		// This network's own matches do not make an opponent easy for it, nor do those of networks that searched
		// differently: they are other players on the ladder.
		return slices.ContainsFunc(records, func(m matchRecord) bool {
			return m.Opponent == name && m.Generation < me.Origin.Generation && m.Rate >= outgrown && !m.Gatekeeper && m.searching(mine.Search) == how
		})
	}
	var all []opponent
	baselines, err := l.config.Match.Opponents()
	if err != nil {
		return nil, err
	}
	for _, b := range baselines {
		all = append(all, opponent{title: b.Name(), file: b.Series, series: b.Series, entrant: b.Entrant})
	}
	first, _, err := net.Load(l.dir.Network(0))
	if err != nil {
		l.log.Warn("no match against the first network", "error", err)
	}
	newest, generation := l.before(me, records)
	for _, o := range []struct {
		network      *net.Network
		generation   int
		file, series string
	}{{first, 0, againstFirst, againstFirst}, {newest, generation, net.GenerationName(generation), ""}} {
		if o.network == nil {
			continue
		}
		playable, err := l.networks.prepare(o.network, o.generation, 0) // plays only matches
		if err != nil {
			return nil, err
		}
		all = append(all, opponent{title: fmt.Sprintf("generation %d", o.generation), file: o.file, series: o.series, entrant: l.seat(playable)})
	}
	if hard := slices.DeleteFunc(slices.Clone(all), easy); len(hard) > 0 {
		return hard, nil
	}
	return all, nil // all are too easy, since harder ones are missing
}

// before returns the newest network that was measured before me and can be loaded, and its generation.
func (l *ladder) before(me *eval.Network, records []matchRecord) (n *net.Network, generation int) {
	for _, m := range slices.Backward(records) { // they are in order
		if m.Generation >= me.Origin.Generation || m.Gatekeeper || m.Generation == generation {
			continue
		}
		generation = m.Generation
		if n, _, err := net.Load(l.dir.Network(generation)); err == nil {
			return n, generation
		}
	}
	return nil, 0
}

// ladderRecord is a network's rating at the time of its measurement, as saved in
// the run's directory. Later matches may refine the rating.
type ladderRecord struct {
	Generation int     `json:"generation"`
	Network    string  `json:"network"` // content hash
	Zero       string  `json:"zero"`    // the player whose rating is 0
	Visits     int     `json:"visits"`  // of the networks, for every step
	Elo        float64 `json:"elo"`
	Margin     float64 `json:"margin"` // half its 95% interval

	Baselines []baselineRating `json:"baselines"` // the opponents without a network
}

// baselineRating is the rating of a baseline, from the same matches.
type baselineRating struct {
	Name   string  `json:"name"`
	Elo    float64 `json:"elo"`
	Margin float64 `json:"margin"` // 0 where it is 0 by definition
}

// rate rates me from all matches of the run, and reports the rating and the
// results against the opponents. It writes the record last, because a network
// that has one is not measured again.
func (l *ladder) rate(me *eval.Network, opponents []opponent) error {
	records, err := l.dir.records(l.log)
	if err != nil {
		return err
	}
	rated, err := l.rating(me, records)
	if err != nil {
		return err
	}
	l.log.Info(fmt.Sprintf("generation %d is rated %s Elo, +-%.0f (%s is 0)", me.Origin.Generation, rating.Format(rated.Elo), rated.Margin, rated.Zero))
	p := metrics.Point{Step: int64(me.Origin.Generation), Time: time.Now()}
	for _, o := range opponents {
		for _, m := range records {
			if o.series != "" && m.Network == me.Hash && m.Opponent == o.entrant.Name() {
				p.Values = append(p.Values, metrics.Value{Name: "match/" + o.series, Value: m.Rate})
			}
		}
	}
	p.Values = append(p.Values, metrics.Value{Name: "match/elo", Value: rated.Elo}, metrics.Value{Name: "match/elo_margin", Value: rated.Margin})
	if err := l.reports.measured(p); err != nil {
		return err
	}
	return writeRecord(l.dir.ladder(me.Origin.Generation), rated)
}

// rating rates me. The first baseline has rating 0; without baselines the first
// network has.
func (l *ladder) rating(me *eval.Network, records []matchRecord) (*ladderRecord, error) {
	zero := net.GenerationName(0)
	if baselines, err := l.config.Match.Opponents(); err != nil {
		return nil, err
	} else if len(baselines) > 0 {
		zero = baselines[0].Name()
	}
	mine, err := l.record("", me, arena.Tally{})
	if err != nil {
		return nil, err
	}
	named := func(m *matchRecord, name string) string {
		if strings.HasPrefix(name, "gen-") && name != zero {
			return name + m.searching(mine.Search)
		}
		return name
	}
	self := named(mine, mine.Player)
	pairings := []arena.Pairing{{Player: self, Opponent: zero}}
	for i := range records {
		m := &records[i]
		if m.Gatekeeper { // it stops when the network is ahead, and what is rejected plays no more
			continue
		}
		pairings = append(pairings, arena.Pairing{Player: named(m, m.Player), Opponent: named(m, m.Opponent), Tally: m.Score})
	}
	standings, err := arena.Rate(pairings, zero)
	if err != nil {
		return nil, fmt.Errorf("rating the networks: %w", err)
	}
	rated := standings.Player(self)
	record := &ladderRecord{Generation: me.Origin.Generation, Network: me.Hash, Zero: zero, Visits: mine.Visits, Elo: rated.Elo, Margin: rated.Margin}
	for _, p := range standings.Players {
		if !strings.HasPrefix(p.Name, "gen-") {
			record.Baselines = append(record.Baselines, baselineRating{p.Name, p.Elo, p.Margin})
		}
	}
	return record, nil
}

// searching describes how the networks of a match searched. A network that
// searches differently is a different player on the ladder. The description
// omits search settings that the record or present lacks, as one of another version
// may, or that equal those of present.
func (m *matchRecord) searching(present map[string]string) string {
	text := fmt.Sprintf(" visits=%d temperature=%g turns=%d", m.Visits, m.Temperature, m.Turns)
	for _, key := range slices.Sorted(maps.Keys(m.Search)) {
		if now, known := present[key]; known && m.Search[key] != now {
			text += fmt.Sprintf(" %s=%s", key, m.Search[key])
		}
	}
	return text
}

func (d *Dir) ladder(generation int) string {
	return filepath.Join(d.matches(), fmt.Sprintf("ladder-%05d.json", generation))
}

// rated reports whether this network's measurement is complete.
func (d *Dir) rated(me *eval.Network) bool {
	var l ladderRecord
	return durable.ReadJSON(d.ladder(me.Origin.Generation), &l) == nil && l.Network == me.Hash
}
