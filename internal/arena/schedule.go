package arena

import (
	"context"
	"math"
	"slices"
	"time"

	"warren/internal/arena/rating"
)

// take returns the next game to play, or false when the tournament is over or the
// context has ended. It waits if the choice depends on games being played.
func (t *Tournament) take(ctx context.Context) (scheduled, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if ctx.Err() != nil || t.trial.over() {
			return scheduled{}, false, nil
		}
		if len(t.queue) == 0 {
			if err := t.plan(); err != nil {
				return scheduled{}, false, err
			}
		}
		if len(t.queue) > 0 {
			p := t.queue[0]
			t.queue = t.queue[1:]
			t.flying++
			p.duel.pending++
			return p, true, nil
		}
		if t.config.Until == 0 || t.flying == 0 {
			return scheduled{}, false, nil
		}
		t.changed.Wait()
	}
}

// plan fills the queue. The games that an interruption left out of begun pairs come
// first; then a round of the fixed schedule, or with Until the most useful pair.
func (t *Tournament) plan() error {
	if !t.resumed {
		t.resumed = true
		for _, d := range t.duels {
			for number := range 2 * d.begun {
				if !d.done[number] {
					t.queue = append(t.queue, scheduled{d, number})
				}
			}
		}
	}
	if t.config.Until > 0 && len(t.queue) == 0 {
		return t.planNext()
	}
	for len(t.queue) == 0 && t.round < t.rounds() {
		t.round++
		for _, d := range t.duels {
			if d.begun < min(t.round, d.most) {
				t.begin(d)
			}
		}
	}
	return nil
}

// begin queues the next pair of games of a duel.
func (t *Tournament) begin(d *duel) {
	t.queue = append(t.queue, scheduled{d, 2 * d.begun}, scheduled{d, 2*d.begun + 1})
	d.begun++
}

// rounds returns the number of rounds of the fixed schedule.
func (t *Tournament) rounds() int {
	n := 0
	for _, d := range t.duels {
		n = max(n, d.most)
	}
	return n
}

// planNext queues the pair of games expected to narrow the intervals most for its
// cost. It queues nothing if they are narrow enough, or if games cannot narrow them.
func (t *Tournament) planNext() error {
	ratings, err := rating.Fit(t.results(), t.anchor)
	if err != nil {
		return err
	}
	duels, costs := t.open()
	var pending []rating.Pairing
	for _, d := range t.duels {
		if d.pending > 0 {
			pending = append(pending, rating.Pairing{A: d.a, B: d.b})
		}
	}
	for _, i := range ratings.Next(costs, pending, 2, t.config.Until, 1) {
		t.begin(duels[i])
	}
	return nil
}

// open returns the duels that may have more games, and the cost of a game of each.
func (t *Tournament) open() (duels []*duel, costs []rating.Pairing) {
	for _, d := range t.duels {
		if d.most == 0 || d.begun < d.most {
			duels = append(duels, d)
			costs = append(costs, rating.Pairing{A: d.a, B: d.b, Cost: t.cost(d)})
		}
	}
	return duels, costs
}

// apart returns the names of the players in groups between which games can narrow
// nothing more, as [rating.Ratings.Apart] does.
func (t *Tournament) apart(r *rating.Ratings) (groups [][]string) {
	for _, group := range r.Apart(t.pairings()) {
		var names []string
		for _, i := range group {
			names = append(names, t.entrants[i].Name())
		}
		slices.Sort(names)
		groups = append(groups, names)
	}
	return groups
}

// pairings returns all duels without their cost.
func (t *Tournament) pairings() (all []rating.Pairing) {
	for _, d := range t.duels {
		all = append(all, rating.Pairing{A: d.a, B: d.b})
	}
	return all
}

// missing returns the number of games between those of d that are finished and the most it may have.
func (d *duel) missing() int { return max(0, 2*d.most-d.tally.Games()) }

// minCost is the least cost of a game in seconds: the overhead of scheduling it.
const minCost = 0.01

// cost estimates how many seconds a game of d takes: the mean of its games so far,
// or before the first one the mean of the two players' other games.
func (t *Tournament) cost(d *duel) float64 {
	if n := d.tally.Games(); n > 0 {
		return max(d.seconds/float64(n), minCost)
	}
	sum, players := 0.0, 0
	for _, player := range []int{d.a, d.b} {
		seconds, games := 0.0, 0
		for _, other := range t.duels {
			if other.a == player || other.b == player {
				seconds += other.seconds
				games += other.tally.Games()
			}
		}
		if games > 0 {
			sum += seconds / float64(games)
			players++
		}
	}
	if players == 0 {
		return minCost
	}
	return max(sum/float64(players), minCost)
}

// results counts the finished games.
func (t *Tournament) results() *rating.Results {
	r := rating.NewResults(len(t.entrants))
	for _, d := range t.duels {
		r.Add(d.a, d.b, float64(d.tally.Wins))
		r.Add(d.b, d.a, float64(d.tally.Losses))
	}
	return r
}

// Progress says how far a tournament has got.
type Progress struct {
	Entrants int

	Done   float64       // estimated share of the time, from 0 to 1
	Games  int           // finished, including those of earlier processes
	Total  int           // games of the whole tournament; with Until an estimate, within Games
	Widest float64       // widest 95% interval that games can still narrow, in Elo to either side; only with Until
	Turns  int           // of the finished games
	Won    int           // by the first entrant
	Lost   int           // by the first entrant
	Left   time.Duration // estimated
}

// forecast is the expected rest of a tournament.
type forecast struct {
	games   int
	seconds float64 // of all workers together
	widest  float64 // as in Progress
}

// forecastEvery is how long a forecast with Until stays in use. A new one takes a
// few milliseconds, and some games take no longer.
const forecastEvery = time.Second

// Progress says how far the tournament has got.
func (t *Tournament) Progress() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.progress()
}

func (t *Tournament) progress() Progress {
	p, spent := Progress{Entrants: len(t.entrants)}, 0.0
	for _, d := range t.duels {
		p.Games += d.tally.Games()
		p.Turns += d.tally.Turns
		spent += d.seconds
		switch 0 {
		case d.a:
			p.Won, p.Lost = p.Won+d.tally.Wins, p.Lost+d.tally.Losses
		case d.b:
			p.Won, p.Lost = p.Won+d.tally.Losses, p.Lost+d.tally.Wins
		}
	}
	now := t.config.Now()
	if t.config.Until == 0 || t.flying == 0 || now.Sub(t.forecastAt) >= forecastEvery {
		t.forecast, t.forecastAt = t.lookAhead(), now
	}
	games, left := t.forecast.games, t.forecast.seconds
	if room := t.room(); games > room { // the intervals will stay wider
		games, left = room, left*float64(room)/float64(games)
	}
	p.Total, p.Widest = p.Games+games, t.forecast.widest
	p.Done = max(spent, minCost) / max(spent+left, minCost)
	p.Left = time.Duration(left / float64(t.config.workers()) * float64(time.Second))
	return p
}

// room returns the most games that may still be played.
func (t *Tournament) room() int {
	games := 0
	for _, d := range t.duels {
		if d.most == 0 {
			return math.MaxInt
		}
		games += d.missing()
	}
	return games
}

// lookAhead makes the forecast.
func (t *Tournament) lookAhead() (f forecast) {
	if t.config.Until > 0 {
		if ratings, err := rating.Fit(t.results(), t.anchor); err == nil {
			_, costs := t.open()
			f.widest = ratings.Reducible(t.pairings())
			f.games, f.seconds = ratings.GamesLeft(costs, t.config.Until)
		}
		return f
	}
	for _, d := range t.duels {
		f.games += d.missing()
		f.seconds += float64(d.missing()) * t.cost(d)
	}
	return f
}
