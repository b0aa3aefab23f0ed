package recipe

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStages: a stage has the settings of the stage before, except for those that it changes.
func TestStages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	content := `
loop:
  replay_ratio: 0.75
  stages: >
    0.125 data.q_ratio=0.5 "learner.loss_weights=values=0 reply=0.5"

    0.5   network.blocks=9 loop.replay_ratio=0.25 selfplay.visits.final=256
    0.75
`
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := Read(path, []string{"network.heads=stopped reply values"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	list, err := c.StageList()
	if err != nil {
		t.Fatal(err)
	}
	want := []Stage{{0, c}, {0.125, c}, {0.5, c}, {0.75, c}}
	for i := range want[1:] {
		s := &want[i+1]
		s.Data.QRatio, s.Learner.LossWeights = 0.5, "values=0 reply=0.5"
		if i > 0 {
			s.Network.Blocks, s.Loop.ReplayRatio, s.SelfPlay.Visits.Final = 9, 0.25, 256
		}
	}
	for i := range want {
		if i >= len(list) || list[i] != want[i] {
			t.Fatalf("stage %d of %d is %+v\nwant %+v", i, len(list), list[min(i, len(list)-1)], want[i])
		}
	}
	var text strings.Builder
	if err := DescribeStages(&text, list); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"\nstage 2, when 0.125 of the run is done\n    data.q_ratio: 0.5, before 0.3\n",
		"\nstage 3, when 0.5 of the run is done\n    loop.replay_ratio: 0.25, before 0.75\n    network.blocks: 9, before 6\n    selfplay.visits.final: 256, before 128\n\nstage 4, when 0.75 of the run is done\n",
	} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("the description %q lacks %q", &text, line)
		}
	}
}

// TestChangedLater: whoever sets a setting is told if a stage sets it otherwise.
func TestChangedLater(t *testing.T) {
	c := DefaultConfig()
	c.SelfPlay.Visits.Final, c.Network.Blocks, c.Data.QRatio = 32, 3, 0.5
	c.Loop.Stages = "0.1 selfplay.visits.final=64 data.q_ratio=0.5 0.35 selfplay.visits.final=256 network.blocks=6"
	got, err := c.ChangedLater([]string{"network.blocks", "selfplay.visits.final", "data.q_ratio", "search.noise_fraction"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"selfplay.visits.final is 32 only until 0.1 of the run, where loop.stages makes it 64",
		"network.blocks is 3 only until 0.35 of the run, where loop.stages makes it 6",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLastStage: other commands than train use the last stage, and an override has the last word.
func TestLastStage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	content := "loop: {stages: 0.25 selfplay.visits.final=256 0.5 network.blocks=9}\n"
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	want := DefaultConfig()
	want.Network.Blocks, want.SelfPlay.Visits.Final = 9, 256
	if c, err := ReadLast(path, nil, io.Discard); err != nil || c != want {
		t.Errorf("the last stage is %+v, %v\nwant %+v", c, err, want)
	}
	want.SelfPlay.Visits.Final = 32
	if c, err := ReadLast(path, []string{"selfplay.visits.final=32"}, io.Discard); err != nil || c != want {
		t.Errorf("with an override, the last stage is %+v, %v\nwant %+v", c, err, want)
	}
	if _, err := ReadLast(path, []string{"selfplay.visit=32"}, io.Discard); err == nil || !strings.Contains(err.Error(), "warren train --settings") {
		t.Errorf("a setting that does not exist is refused with: %v", err)
	}
	if _, err := ReadLast(path, []string{"search.draw_penalty=0.5", "search.lcb=5"}, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "search.draw_penalty is 0.5, but ") {
		t.Errorf("a search that is not valid is refused with: %v", err)
	}
}

// TestFromAStage: a run that begins with a stage has its settings, and then the stages after it, in the same words.
func TestFromAStage(t *testing.T) {
	c := DefaultConfig()
	c.Loop.Stages = "0.25\tselfplay.visits.final=256\n0.5 network.blocks=9  \"learner.loss_weights=values=0 reply=0.5\"\n"
	for stage, want := range []struct {
		visits, blocks int
		stages         string
	}{
		{c.SelfPlay.Visits.Final, c.Network.Blocks, c.Loop.Stages},
		{256, c.Network.Blocks, `0.5 network.blocks=9 "learner.loss_weights=values=0 reply=0.5"`},
		{256, 9, ""},
		{256, 9, ""}, // there is none
	} {
		from, err := c.From(stage)
		if err != nil || from.SelfPlay.Visits.Final != want.visits || from.Network.Blocks != want.blocks || from.Loop.Stages != want.stages {
			t.Errorf("from stage %d on it has %+v, %v; want %+v", stage, from, err, want)
		}
	}
}

// TestStagesOfAnEarlierVersion: settings that were removed are left out of the stages of a file, which is told. They are
// refused where a person gives the stages.
func TestStagesOfAnEarlierVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	const stages = `0.25 selfplay.setup_visits=9 "learner.loss_weights=values=0 reply=0.5" 0.5 selfplay.setups=search`
	if err := os.WriteFile(path, []byte("loop: {stages: '"+stages+"'}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var notes strings.Builder
	c, err := Read(path, []string{"seed=7"}, &notes)
	if want := `0.25 "learner.loss_weights=values=0 reply=0.5" 0.5`; err != nil || c.Loop.Stages != want || c.Validate() != nil {
		t.Errorf("the stages are %s, %v; want %s", c.Loop.Stages, err, want)
	}
	if want := "removed: selfplay.setup_visits (setups are not searched), selfplay.setups ("; !strings.Contains(notes.String(), want) {
		t.Errorf("it is told %q, want %q", &notes, want)
	}
	const kept = "0.25\tsearch.cpuct_init=2"
	if err := os.WriteFile(path, []byte(`loop: {stages: "0.25\tsearch.cpuct_init=2"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if c, err := Read(path, nil, io.Discard); err != nil || c.Loop.Stages != kept {
		t.Errorf("the stages %q become %q, %v", kept, c.Loop.Stages, err)
	}
	for _, set := range []string{"loop.stages=" + stages, "loop.stages =" + stages} {
		c, err = Read(path, []string{set}, io.Discard)
		if refused := c.Validate(); err != nil || refused == nil || !strings.Contains(refused.Error(), "loop.stages: from 0.25 on: selfplay.setup_visits: this setting was removed") {
			t.Errorf("%.13s by a person: %v, %v", set, refused, err)
		}
	}
}

// TestStagesThatCannotBe: every mistake is found before the run begins, and has a line that names its stage.
func TestStagesThatCannotBe(t *testing.T) {
	for stages, want := range map[string]string{
		"network.blocks=9":                      `loop.stages: "network.blocks=9" is not the share of the run`,
		"0":                                     `loop.stages: "0" is not the share`,
		"1 network.blocks=9":                    `loop.stages: "1" is not the share`,
		"nan":                                   `loop.stages: "nan" is not the share`,
		"30% network.blocks=9":                  `loop.stages: "30%" is not the share`,
		"0.5 0.5":                               "loop.stages: the stage from 0.5 on comes after that from 0.5 on",
		"0.5 network.blocks=9 0.25":             "loop.stages: the stage from 0.25 on comes after that from 0.5 on",
		`0.5 "network.blocks=9`:                 `loop.stages: the quote "`,
		"0.5 network.blocks=many":               "loop.stages: from 0.5 on: network.blocks: many is not a whole number",
		"0.5 network.block=9":                   "loop.stages: from 0.5 on: network.block: no such setting; did you mean network.blocks?",
		"0.5 network.blocks=9 network.blocks=9": "loop.stages: from 0.5 on: network.blocks: given twice",
		"0.5 network.blocks=5":                  "loop.stages: from 0.5 on: a network with blocks 6 cannot become one with 5",
		"0.2 network.blocks=9 0.5 data.q_ratio=0.2 network.blocks=8": "loop.stages: from 0.5 on: a network with blocks 9 cannot become one with 8",
		"0.5 learner.rate.initial=0.00001":                           "loop.stages: from 0.5 on: learner.rate.final",
		"0.5 data.window_positions=100":                              "loop.stages: from 0.5 on: data.window_positions is 100, less than one minibatch",
		"0.5 seed=2":                                                 "loop.stages: from 0.5 on: seed: this setting is the same in all stages",
		"0.5 loop.stages=0.7":                                        "loop.stages: from 0.5 on: loop.stages: this setting is the same in all stages",
		"0.5 loop.generations=2":                                     "loop.stages: from 0.5 on: loop.generations: this setting is the same in all stages",
		"0.5 match.every=2":                                          "loop.stages: from 0.5 on: match.every: this setting is the same in all stages",
		"0.5 selfplay.workers=2":                                     "loop.stages: from 0.5 on: selfplay.workers: this setting is the same in all stages",
		"0.5 data.held_out_fraction=0":                               "loop.stages: from 0.5 on: data.held_out_fraction: this setting is the same in all stages",
		"0.5 selfplay.games_per_worker=0 search.lcb=1":               "loop.stages: from 0.5 on: selfplay.games_per_worker: this setting is the same in all stages",
		`0.5 "seed =2"`:                                              "loop.stages: from 0.5 on: seed: this setting is the same in all stages",
		"0.5 search.lcb=1":                                           "loop.stages: from 0.5 on: search.draw_penalty",
	} {
		c := DefaultConfig()
		c.Loop.Stages = stages
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", stages, err, want)
		}
	}
	c := DefaultConfig()
	c.Loop.Stages = "0.5 seed=2 network.blocks=many data.q_ratio=-1"
	if err := c.Validate(); err == nil || strings.Count(err.Error(), "\n") != 2 || strings.Count(err.Error(), "loop.stages: from 0.5 on: ") != 3 {
		t.Errorf("three mistakes: %v, want a line for each", err)
	}
}
