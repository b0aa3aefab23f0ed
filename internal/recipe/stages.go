package recipe

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"warren/internal/quoted"
	"warren/internal/settings"
)

// Stage is a part of a run and its settings.
type Stage struct {
	Begin float64 // fraction of the run that is done when it begins, from 0 to 1
	Config
}

// ofStages are the settings that a stage may change: keys, or sections.
var ofStages = []string{"network", "selfplay", "search", "data", "learner", "loop.replay_ratio"}

// ofRuns are those among them that are the same in all stages: those of files and of this machine, and the
// share of the games that are held out, because none of these may be trained on later.
var ofRuns = []string{"selfplay.workers", "selfplay.games_per_worker", "data.games_per_shard", "data.held_out_fraction", "learner.device"}

// StageList returns the stages of a run with the settings c, at least one. A stage has the settings of the stage
// before, except for those that c.Loop.Stages changes. The error has a line for each mistake in c.Loop.Stages.
func (c *Config) StageList() ([]Stage, error) {
	words, err := quoted.Words(c.Loop.Stages)
	if err != nil {
		return nil, fmt.Errorf("loop.stages: %w", err)
	}
	list := []Stage{{Config: *c}}
	for len(words) > 0 {
		share := words[0]
		n := 1
		for n < len(words) && strings.Contains(words[n], "=") {
			n++
		}
		next, err := list[len(list)-1].next(share, words[1:n])
		if err != nil {
			return nil, err
		}
		list, words = append(list, next), words[n:]
	}
	return list, nil
}

// leaveRemoved leaves the settings that were removed out of the stages, as the reader of settings does elsewhere in a file.
func (c *Config) leaveRemoved(older *settings.Older) {
	words, err := quoted.Split(c.Loop.Stages, " \t\r\n")
	if err != nil {
		return // StageList says why
	}
	left := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return older.Leave(quoted.Remove(word)) })
	if len(left) < len(words) {
		c.Loop.Stages = strings.Join(left, " ")
	}
}

// Last returns the settings of the last stage, as those of a run with one stage, with overrides of the form key=value.
// They suit a network that has been trained; the errors are those of [Config.StageList] and [Apply].
func (c *Config) Last(set []string) (Config, error) {
	last, err := c.From(math.MaxInt)
	if err != nil {
		return last, err
	}
	_, err = Apply("", set, &last)
	return last, err
}

// From returns the settings of a run that begins with a stage, counted from 0, of a run with the settings c, or with its
// last if it has fewer. The later stages follow. The errors are those of [Config.StageList].
func (c *Config) From(stage int) (Config, error) {
	list, err := c.StageList()
	if err != nil || stage == 0 {
		return *c, err
	}
	from := list[min(stage, len(list)-1)].Config
	words, err := quoted.Split(c.Loop.Stages, " \t\r\n") // with their quotes
	var later []string
	for _, word := range words {
		if word != "" && !strings.Contains(word, "=") {
			stage--
		}
		if word != "" && stage < 0 {
			later = append(later, word)
		}
	}
	from.Loop.Stages = strings.Join(later, " ")
	return from, err
}

// next returns the stage that follows at a share of the run with some settings changed.
func (s *Stage) next(share string, set []string) (Stage, error) {
	at, err := strconv.ParseFloat(share, 64)
	if err != nil || !(at > 0 && at < 1) {
		return Stage{}, fmt.Errorf("loop.stages: %q is not the share of the run at which a stage begins: write a number between 0 and 1, and after it the settings that change, as in 0.35 network.blocks=6", share)
	}
	if at <= s.Begin {
		return Stage{}, fmt.Errorf("loop.stages: the stage from %s on comes after that from %v on: write them in the order of the run", share, s.Begin)
	}
	var problems []error
	for _, text := range set {
		key, _, _ := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); mayNot(key) {
			problems = append(problems, fmt.Errorf("loop.stages: from %s on: %s: this setting is the same in all stages", share, key))
		}
	}
	next := Stage{at, s.Config}
	problems = append(problems, settingsProblems(settings.Read("", set, &next.Config), "loop.stages: from "+share+" on")...)
	if len(problems) == 0 {
		if err := next.validate(); err != nil {
			problems = append(problems, fmt.Errorf("loop.stages: from %s on: %w", share, err))
		} else if err := s.Network.FitsInto(next.Network); err != nil {
			problems = append(problems, fmt.Errorf("loop.stages: from %s on: %w", share, err))
		}
	}
	return next, errors.Join(problems...)
}

// mayNot reports whether the key is that of a setting that no stage changes.
func mayNot(key string) bool {
	in := func(sections []string) bool {
		return slices.ContainsFunc(sections, func(s string) bool { return key == s || strings.HasPrefix(key, s+".") })
	}
	list, err := settings.List(DefaultConfig())
	known := err == nil && slices.ContainsFunc(list, func(s settings.Setting) bool { return s.Key == key })
	return known && (!in(ofStages) || in(ofRuns))
}

// settingsProblems returns the mistakes in an error of [settings.Read], from another source than --set.
func settingsProblems(err error, source string) []error {
	if err == nil {
		return nil
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for _, e := range list {
		if p, ok := errors.AsType[*settings.Problem](e); ok {
			p.Source = source
		}
	}
	return list
}

// Changes returns the settings of s that an earlier stage has otherwise.
func (s *Stage) Changes(earlier *Stage) ([]settings.Change, error) {
	return settings.Changes(earlier.Config, s.Config)
}

// ChangedLater returns a line for each of the settings with these keys whose value holds only until a stage changes it.
func (c *Config) ChangedLater(keys []string) (lines []string, err error) {
	list, err := c.StageList()
	if err != nil {
		return nil, err
	}
	for i := range list[1:] {
		changes, err := list[i+1].Changes(&list[i])
		if err != nil {
			return nil, err
		}
		for _, x := range changes {
			if at := slices.Index(keys, x.Key); at >= 0 {
				lines = append(lines, fmt.Sprintf("%s is %s only until %v of the run, where loop.stages makes it %s", x.Key, x.Before, list[i+1].Begin, x.After))
				keys = slices.Delete(slices.Clone(keys), at, at+1)
			}
		}
	}
	return lines, nil
}

// DescribeStages writes what changes at the beginning of each stage, nothing if there is only one.
func DescribeStages(w io.Writer, list []Stage) error {
	var text strings.Builder
	for i, s := range list[1:] {
		changes, err := s.Changes(&list[i])
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "\nstage %d, when %v of the run is done\n", i+2, s.Begin)
		for _, c := range changes {
			fmt.Fprintf(&text, "    %s: %s, before %s\n", c.Key, c.After, c.Before)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
