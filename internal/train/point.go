package train

import (
	"math"
	"runtime"
	"strings"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/learn"
	"warren/internal/metrics"
	"warren/internal/observe"
)

// point collects the values of a generation, or of a measurement while a network learns from recorded games.
type point struct{ metrics.Point }

// add adds a value. What is not a finite number, such as a mean over nothing, is left out.
func (p *point) add(name string, v float64) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		p.Values = append(p.Values, metrics.Value{Name: name, Value: v})
	}
}

// losses reports the losses of the heads.
func (p *point) losses(series string, losses learn.Losses) {
	for _, l := range losses {
		p.add(series+"/"+l.Head, losses.Of(l.Head))
	}
}

// forecast reports how well a forecast predicts.
func (p *point) forecast(series string, f Forecast) {
	losses := f.losses()
	for i, part := range []string{"", "_scaled", "_last_12", "_last_40", "_last_100", "_earlier"} {
		p.add(series+part, losses[i])
	}
}

// speeds reports what was done in a period of the given length. Other machines tell only of games.
func (p *point) speeds(done, before observe.Totals, seconds float64, elsewhere bool) {
	p.add("speed/games", float64(done.Games-before.Games)/seconds)
	p.add("speed/positions", float64(done.Positions-before.Positions)/seconds)
	if !elsewhere {
		p.add("speed/evaluations", float64(done.Evaluations-before.Evaluations)/seconds)
	}
}

// ended reports how games ended: their mean length, the share of the decided ones
// that Gold won, and the share of each reason.
func (p *point) ended(series string, e observe.Ended) {
	games := float64(e.Games)
	p.add(series+"/turns", float64(e.Turns)/games)
	p.add(series+"/gold_wins", float64(e.Wins[game.Gold])/float64(e.Decided())) // a game without a result favours nobody
	for reason := range game.Reason(game.NumReasons) {
		if n := e.Reasons[reason]; n > 0 {
			name := reason.String()
			if reason == game.Ongoing {
				name = "no_result"
			}
			p.add(series+"/end_"+strings.ReplaceAll(name, " ", "_"), float64(n)/games)
		}
	}
}

// searches reports what the searches decided. A mean over nothing is left out.
func (p *point) searches(t observe.SearchTotals) {
	p.add("search/full", float64(t.Full)/float64(t.Searched))
	p.add("search/target_entropy", t.TargetEntropy/float64(t.Targets))
	p.add("search/prior_entropy", t.PriorEntropy/float64(t.Priors))
	p.add("search/passes", float64(t.Passes)/float64(t.Turns))
	p.add("games/early_captures", float64(t.Captures)/float64(t.Games))
}

// waits reports the shares of a period of the given length in which one waited for another. In
// synchronous mode self-play does not wait.
func (p *point) waits(now, since mark, seconds float64, synchronous bool) {
	p.add("wait/learner_for_games", (now.waits.games-since.waits.games).Seconds()/seconds)
	p.add("wait/learner_for_matches", (now.waits.matches-since.waits.matches).Seconds()/seconds)
	if !synchronous {
		p.add("wait/self_play", (now.held-since.held).Seconds()/seconds)
	}
}

// device reports the share of a period of the given length in which the graphics processor that evaluates
// had a batch in flight. It is left out if it was another device before, or the processor.
func (p *point) device(now, since mark, seconds float64) {
	if now.device != "" && now.device == since.device {
		p.add("device/busy", (now.busy-since.busy).Seconds()/seconds)
	}
}

// saturation reports the share of positions in which an activation was limited.
func (p *point) saturation(s *eval.Saturation) {
	looked, limited := s.Counts()
	switch share := float64(limited) / float64(looked); {
	case looked == 0:
	case s.Format == "int8":
		p.add("int8/limited", share)
	default:
		p.add("int16/limited", share)
	}
}

// memory reports the memory of this process.
func (p *point) memory() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	p.add("memory/heap_mb", float64(memory.HeapInuse)/1e6)
	p.add("memory/system_mb", float64(memory.Sys)/1e6)
}
