package dataset_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"warren/data"
	"warren/internal/dataset"
	"warren/internal/eval/device"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
)

const (
	example = "../../examples/dataset"
	player  = "../../docs/climb/stage-11.safetensors"
)

// sampled returns the records of the sample in examples/dataset.
func sampled(t *testing.T) []*data.Record {
	t.Helper()
	all := readAll(t, filepath.Join(example, "sample"))
	var records []*data.Record
	for _, split := range dataset.Splits {
		records = append(records, all.records(t, split)...)
	}
	return records
}

// The program writes the sample as it is in the repository, from the games that are in it. Only the paragraphs of
// the card about the settings and the network are not checked: they come from the command.
func TestSampleIsWhatTheProgramWrites(t *testing.T) {
	records := sampled(t)
	if len(records) != 30 {
		t.Fatalf("%d games", len(records))
	}
	out, _ := write(t, shards(t, records, 7), dataset.Options{Format: dataset.JSON, Licence: "mit"})
	want, got := contents(t, filepath.Join(example, "sample")), contents(t, out)
	size := 0
	for name, content := range want {
		size += len(content)
		if name != dataset.Card && got[name] != content {
			t.Errorf("%s is another", name)
		}
	}
	if size > 2e6 || len(want) != len(got) {
		t.Errorf("%d files of %d bytes", len(want), size)
	}
	for line := range strings.Lines(got[dataset.Card]) {
		if !strings.Contains(want[dataset.Card], line) && !strings.HasPrefix(line, "The text of the settings") {
			t.Errorf("the card of the sample does not have the line %s", line)
		}
	}
}

// kept keeps the games that are played.
type kept struct {
	mu      sync.Mutex
	records []*data.Record
}

func (k *kept) Put(_ context.Context, r *data.Record) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.records = append(k.records, r)
	return nil
}

// The shortest game of the sample is what its network plays, on any processor.
func TestSampleIsPlayedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays a game")
	}
	config, err := recipe.Read(filepath.Join(example, "games.yaml"), nil, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	network, err := device.Load(player, config.Device)
	if err != nil {
		t.Fatal(err)
	}
	records := sampled(t)
	slices.SortFunc(records, func(a, b *data.Record) int { return int(a.Turns) - int(b.Turns) })
	want := records[0] // the shortest
	if want.Network != network.Hash || want.Seed != 45 {
		t.Fatalf("game %d is of seed %d and network %s", want.Game, want.Seed, want.Network)
	}
	// A setting that was added since changes the hash of the settings, but not the game.
	job := selfplay.Job{Rules: selfplay.Rules{Config: config.SelfPlay, Search: config.Search, Settings: want.Settings}, Run: want.Run, Seed: want.Seed, First: want.Game, Count: 1}
	var played kept
	if err := selfplay.Play(t.Context(), job, selfplay.Always{Network: network}, &played, observe.Nobody); err != nil {
		t.Fatal(err)
	}
	if len(played.records) != 1 {
		t.Fatalf("%d games", len(played.records))
	}
	if got := played.records[0]; got.Hash() != want.ID {
		t.Errorf("game %d is another, of %d decisions instead of %d; if the way to play was changed on purpose, make the sample again (examples/dataset/README.md)",
			got.Game, len(got.Decisions), len(want.Decisions))
	}
}
