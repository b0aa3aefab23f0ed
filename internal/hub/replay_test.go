package hub

import (
	"testing"

	"warren/internal/arena"
	"warren/internal/selfplay"
)

// A game of a worker with other kernels is replayed on the worker's path.
func TestReplayOnAnotherPath(t *testing.T) {
	n := saved(t, 1)
	other, ok := onPath(n, "go")
	if !ok || other.Attributes().Path != "go" || other.Hash != n.Hash {
		t.Fatalf("the plain Go path gave %v, %v", other, ok)
	}
	job := testJob()
	played, err := selfplay.Again(t.Context(), job, 5, other)
	if err != nil {
		t.Fatal(err)
	}
	if played.EvalPath != "go" {
		t.Errorf("the game's path is %q", played.EvalPath)
	}
	back, ok := onPath(n, played.EvalPath)
	if !ok {
		t.Fatal("the path was not found")
	}
	again, err := selfplay.Again(t.Context(), job, 5, back)
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash() != played.Hash() {
		t.Error("the replayed game is another one")
	}
	if _, ok := onPath(n, "a path of another machine"); ok {
		t.Error("a path that is not here was found")
	}

	settings := arena.DefaultSearch()
	settings.Visits = 2
	moved, ok := arena.Seated(n, "n", settings).On(other)
	if !ok || moved.Network != other || moved.Player.(*arena.Searcher).Backend != other.Backend {
		t.Errorf("the player on the other path is %+v", moved)
	}
}
