package experiment

import (
	"errors"
	"fmt"
	"io/fs"

	"warren/game"
	"warren/internal/metrics"
)

// RunState is the state of a run.
type RunState struct {
	Run
	State      string   `json:"state"` // waiting, training, stopped, finished or failed
	Done       float64  `json:"done"`
	Minutes    float64  `json:"minutes"`    // of processor time, up to the newest network
	Generation int      `json:"generation"` // of the newest network
	Games      int      `json:"games"`      // saved by then
	Decided    *float64 `json:"decided"`    // share of its latest games that ended on the board; nil if that is not known
	Starts     int      `json:"starts"`     // of its process; above 1 it was interrupted
}

// state is the state of a run that this process works on.
type state struct {
	word string
	done float64
}

// runState returns the state of a run. states are those of the runs that this process works on.
func (d dir) runState(r Run, p *Plan, states map[Run]state) (RunState, error) {
	s := RunState{Run: r, State: "waiting", Starts: starts(d.log(r.String()))}
	points, err := metrics.ReadLines(d.metrics(r))
	if err != nil && len(points) == 0 && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	s.add(points)
	s.Done = min(1, s.Minutes/p.Budget.Minutes())
	if s.Starts > 0 {
		s.State = "stopped"
	}
	if now, ok := states[r]; ok {
		s.State, s.Done = now.word, max(s.Done, now.done)
	}
	over, err := d.over(r)
	if over {
		s.State, s.Done = "finished", 1
	}
	return s, err
}

// add adds what the run has measured.
func (s *RunState) add(points []metrics.Point) {
	if minutes := metrics.Series(points, "total/minutes"); len(minutes) > 0 {
		newest := minutes[len(minutes)-1]
		s.Minutes, s.Generation = newest.Value, int(newest.Step)
	}
	if games := metrics.Series(points, "total/games"); len(games) > 0 {
		s.Games = int(games[len(games)-1].Value)
	}
	s.Decided = decided(points)
}

// latest is the number of generations whose games say whether a run is alive.
const latest = 5

// decided returns the share of games that ended on the board, a mean over a run's last
// generations that had games from the setup.
func decided(points []metrics.Point) *float64 {
	played := metrics.Series(points, "games/turns")
	if len(played) == 0 {
		return nil
	}
	played = played[max(0, len(played)-latest):]
	sum := 0.0
	for reason := range game.Reason(game.NumReasons) {
		if !reason.OnBoard() {
			continue
		}
		// A generation lacks the reasons for which none of its games ended.
		for _, s := range metrics.Series(points, "games/end_"+reason.String()) {
			if s.Step >= played[0].Step {
				sum += s.Value
			}
		}
	}
	share := sum / float64(len(played))
	return &share
}

func (r *Report) writeRuns(p *page) {
	p.line("\n## Runs\n")
	p.row("run", "state", "done", "minutes", "generation", "games", "decided", "starts")
	p.rule(8)
	for _, s := range r.Runs {
		share := ""
		if s.Decided != nil {
			share = percent(*s.Decided)
		}
		p.row(s.Run.String(), s.State, percent(s.Done), short(s.Minutes), fmt.Sprint(s.Generation), fmt.Sprint(s.Games), share, fmt.Sprint(s.Starts))
	}
	p.line("\nMinutes of processor time and games are those up to the newest generation. Decided: the share of games from the setup that ended on the")
	p.line("board, in the last %d generations. It tells a dead run from a live one, and not a good run from a better one.", latest)
	p.line("\nA run with more than one start was interrupted. It may have repeated up to a minute of training.")
}
