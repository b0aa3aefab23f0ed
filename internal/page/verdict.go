package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"warren/internal/arena/rating"
	"warren/internal/metrics"
	"warren/internal/plural"
)

// Verdict summarizes in words the progress of the run in a directory. It fails if the run's
// measurements cannot be read. If only some of them are damaged, it says how many.
func Verdict(path string) (text string, err error) {
	r, err := openRun(path)
	if err != nil {
		return "", err
	}
	err = r.look(func(_ *series, verdict string) { text = verdict })
	return text, err
}

// verdict summarizes the progress of a run in words.
func verdict(all *series) string {
	if len(all.steps) == 0 {
		return "Nothing has been measured yet. The first figures come with the first trained network."
	}
	v := verdicts{all}
	var parts []string
	for _, part := range []string{v.length(), v.rating(), v.learning(), v.games()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, " "), " -", " \u2212") // a minus sign, not a hyphen
}

type verdicts struct{ *series }

// last returns the latest value with a name.
func (v verdicts) last(name string) (float64, bool) {
	s := v.samples(name)
	if len(s) == 0 {
		return 0, false
	}
	return s[len(s)-1].Value, true
}

// length says where the run was when its last generation had been trained, not where it is.
func (v verdicts) length() string {
	text, before := fmt.Sprintf("Generation %d", v.steps[len(v.steps)-1]), ", after "
	if games, ok := v.last("total/games"); ok {
		text, before = text+before+plural.Of(int(games), "game"), " and "
	}
	if minutes, ok := v.last("total/minutes"); ok {
		text += before + spell(time.Duration(minutes*float64(time.Minute)))
	}
	return text + "."
}

// spell formats a duration with one or two units.
func spell(d time.Duration) string {
	switch m := int(math.Round(d.Minutes())); {
	case m < 1:
		return "less than a minute"
	case m == 1:
		return "1 minute"
	case m < 120:
		return fmt.Sprintf("%d minutes", m)
	default:
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
}

// rating describes the rating and its change over the last hour.
func (v verdicts) rating() string {
	elo := v.samples("match/elo")
	if len(elo) == 0 {
		return "Not rated: no match has been played."
	}
	now := elo[len(elo)-1]
	text := "Rated " + rating.Format(now.Value)
	if margin := v.samples("match/elo_margin"); len(margin) > 0 {
		text += fmt.Sprintf(" ± %.0f", margin[len(margin)-1].Value)
	}
	for i := len(elo) - 2; i >= 0; i-- {
		if since := v.between(elo[i], now); i == 0 && since >= 0 || since >= time.Hour {
			since = max(time.Minute, since)
			text += fmt.Sprintf(", %s in the last %s", rating.Format(now.Value-elo[i].Value), strings.TrimPrefix(spell(since), "1 "))
			break
		}
	}
	return text + "."
}

// between returns the time from one sample to a later one. Time while the run was stopped does not count, if the
// minutes of the run are known.
func (v verdicts) between(earlier, later metrics.Sample) time.Duration {
	minutes := map[int64]float64{}
	for _, s := range v.samples("total/minutes") {
		minutes[s.Step] = s.Value
	}
	from, known := minutes[earlier.Step]
	if to, ends := minutes[later.Step]; known && ends {
		return time.Duration((to - from) * float64(time.Minute))
	}
	return later.Time.Sub(earlier.Time)
}

// recent is the number of generations that are compared with as many before
// them.
const recent = 5

// stage returns the samples with the given name since the newest stage of the run began. Losses of different
// stages are not compared, because their targets may be different.
func (v verdicts) stage(name string) []metrics.Sample {
	list, first := v.samples(name), v.stageBegan()
	return slices.DeleteFunc(list, func(s metrics.Sample) bool { return s.Step < first })
}

// stageBegan returns the first step of the newest stage.
func (v verdicts) stageBegan() int64 {
	stages := v.samples("learner/stage")
	for i := len(stages) - 1; i > 0; i-- {
		if stages[i].Value != stages[i-1].Value {
			return stages[i].Step
		}
	}
	return v.steps[0]
}

// learning describes the trend of the held-out losses, and reports whether they
// diverge from the training losses.
func (v verdicts) learning() string {
	var text []string
	for _, head := range []string{"policy", "value"} {
		held, train := v.stage("held_out/"+head), v.stage("loss/"+head)
		if len(held) < 2*recent || len(train) < 2*recent {
			continue
		}
		now, before := mean(held[len(held)-recent:]), mean(held[len(held)-2*recent:len(held)-recent])
		change, least := now-before, max(0.005*before, 2*chance(held[len(held)-2*recent:]))
		how := "is level"
		switch {
		case change < -least:
			how = "falls"
		case change > least:
			how = "rises"
		}
		line := fmt.Sprintf("held-out %s loss %s (%.3f, %.3f before)", head, how, now, before)
		gap := now - mean(train[len(train)-recent:])
		earlier := before - mean(train[len(train)-2*recent:len(train)-recent])
		if how == "rises" && gap > earlier+0.02*before && gap > 0.1*now {
			line += " and parts from training"
		}
		text = append(text, line)
	}
	if len(text) == 0 {
		if n := len(v.stage("held_out/policy")); 0 < n && n < 2*recent {
			return fmt.Sprintf("Whether the losses fall is known from generation %d on.", v.stageBegan()+2*recent-1)
		}
		return ""
	}
	all := strings.Join(text, "; ")
	return strings.ToUpper(all[:1]) + all[1:] + "."
}

// games describes how the games of the last generation that begin with the setup ended.
func (v verdicts) games() string {
	turns, ok := v.last("games/turns")
	if !ok {
		return ""
	}
	goal := 0.0 // a generation without a goal has no value for goals
	row := len(v.columns["games/turns"]) - 1
	if column := v.columns["games/end_goal"]; row < len(column) && column[row] > 0 {
		goal = column[row]
	}
	return fmt.Sprintf("%.0f%% of the games from the setup end by goal; a game lasts %.0f turns on average.", 100*goal, turns)
}

// chance returns the standard error of the difference between the means of both halves of s, by how much each sample
// differs from the one before it.
func chance(s []metrics.Sample) float64 {
	squares := 0.0
	for i := 1; i < len(s); i++ {
		d := s[i].Value - s[i-1].Value
		squares += d * d
	}
	variance := squares / float64(2*(len(s)-1)) // of a sample
	return math.Sqrt(variance * 4 / float64(len(s)))
}

func mean(s []metrics.Sample) float64 {
	sum := 0.0
	for _, x := range s {
		sum += x.Value
	}
	return sum / float64(len(s))
}
