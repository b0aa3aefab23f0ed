package selfplay

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"

	"warren/data"
	"warren/eval"
	"warren/game"
	"warren/turnsearch"
	"warren/watch"
)

// TestHandicapGames checks that a share of the games lacks pieces of one side, that their placements
// are not trained on, that their records and shards replay to the same end, and that a game does not
// depend on the workers.
func TestHandicapGames(t *testing.T) {
	for _, unit := range []string{turnsearch.Step, turnsearch.Turn} {
		play := func(workers, each int) (Job, map[uint64]*data.Record, watch.Totals) {
			networks, _ := generations()
			job := testJob(workers, each)
			job.Config.Unit, job.Turns = unit, turnsearch.DefaultConfig()
			job.Count, job.Config.TurnLimit = 24, 10
			job.Config.HandicapGames, job.Config.HandicapPieces = 0.5, 3
			job.Config.OlderOpponents, job.Opponents = 0.3, opponents(networks[:2])
			var c collector
			var counts watch.Counts
			if err := Play(t.Context(), job, Always{networks[2]}, &c, &counts); err != nil {
				t.Fatal(err)
			}
			return job, c.games, counts.Totals()
		}
		job, games, totals := play(2, 3)
		var all []*data.Record
		var sides [2]int
		whole, counted := 0, uint64(0)
		for number, r := range games {
			if err := r.Validate(); err != nil {
				t.Fatal(err)
			}
			if err := job.Check(r); err != nil {
				t.Error(err)
			}
			all = append(all, r)
			for i, d := range r.Decisions[:game.Placements] {
				if want := d.Searched() && r.Missing == 0; d.Teaches() != want {
					t.Errorf("%s: game %d, missing %#x: placement %d teaches: %t", unit, number, r.Missing, i, d.Teaches())
				}
			}
			if r.Missing == 0 {
				whole++
				continue
			}
			gold, silver := bits.OnesCount64(r.Missing&0xFFFF), bits.OnesCount64(r.Missing>>48)
			if gold+silver != bits.OnesCount64(r.Missing) || gold > 0 && silver > 0 || gold+silver > 3 {
				t.Errorf("%s: game %d lacks the pieces %#x", unit, number, r.Missing)
			}
			sides[min(silver, 1)]++
			if r.Opponent == "" {
				counted++
			}
			if r.Positions() == 0 {
				t.Errorf("%s: game %d teaches nothing", unit, number)
			}
			for name, change := range map[string]func(*Config){
				"are off": func(c *Config) { c.HandicapGames = 0 }, "lack fewer pieces": func(c *Config) { c.HandicapPieces = gold + silver - 1 },
			} {
				other := job
				change(&other.Config)
				if other.Check(r) == nil {
					t.Errorf("%s: game %d is accepted if such games %s", unit, number, name)
				}
			}
			both := *r
			both.Missing |= 1<<0 | 1<<63
			if job.Check(&both) == nil {
				t.Errorf("%s: pieces of both sides may be missing", unit)
			}
		}
		if whole < 5 || sides[0] < 2 || sides[1] < 2 {
			t.Errorf("%s: %d games with all pieces, %v lack some of Gold and of Silver", unit, whole, sides)
		}
		if totals.Handicap.Games != counted || totals.Ahead > counted || totals.Openings.Games != 0 {
			t.Errorf("%s: counted %+v, %d of them won by the side with more pieces; want %d games", unit, totals.Handicap, totals.Ahead, counted)
		}
		throughAShard(t, games, all)
		_, again, _ := play(1, 5)
		for number, r := range again {
			if !bytes.Equal(encode(t, r), encode(t, games[number])) {
				t.Errorf("%s: game %d depends on the workers", unit, number)
			}
		}
	}
}

// throughAShard checks that games are the same, and valid, when they are read from a shard.
func throughAShard(t *testing.T, games map[uint64]*data.Record, all []*data.Record) {
	t.Helper()
	info, err := data.WriteShard(t.TempDir(), 1, all)
	if err != nil {
		t.Fatal(err)
	}
	shard, err := data.OpenShard(info.Path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r, err := range shard.Records() { // which validates them
		if err != nil {
			t.Fatal(err)
		}
		if n++; !bytes.Equal(encode(t, r), encode(t, games[r.Game])) {
			t.Errorf("game %d comes back as another", r.Game)
		}
	}
	if n != len(games) {
		t.Errorf("%d of %d games come back", n, len(games))
	}
}

// TestHandicapGamesAgain checks that a game with missing pieces is played again from its number.
func TestHandicapGamesAgain(t *testing.T) {
	job := testJob(2, 3)
	job.Count, job.Config.TurnLimit = 4, 6
	job.Config.HandicapGames = 1
	for number, r := range playAll(t, job) {
		again, err := Again(t.Context(), job, number, eval.Untrained())
		if err != nil {
			t.Fatal(err)
		}
		if r.Missing == 0 || !bytes.Equal(encode(t, r), encode(t, again)) {
			t.Errorf("game %d, missing %#x, differs when it is played again", number, r.Missing)
		}
	}
}

// TestDrawMissing checks that all pieces of a side are equally likely to be missing, and that a
// rabbit stays.
func TestDrawMissing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b game.Board
	for s := range game.Square(16) {
		kind := game.Cat
		if s < 3 {
			kind = game.Rabbit
		}
		b.Put(s, game.Gold, kind)
		b.Put(s+48, game.Silver, kind)
	}
	var drawn, bySquare [65]int
	const n = 20_000
	for range n {
		missing := drawMissing(rng, &b, 8)
		drawn[bits.OnesCount64(missing)]++
		if missing&7 == 7 || missing>>48&7 == 7 {
			t.Fatalf("%#x: no rabbit stays", missing)
		}
		if missing&^0xFFFF != 0 && missing<<16 != 0 {
			t.Fatalf("%#x: pieces of both sides are missing", missing)
		}
		for s := range 64 {
			bySquare[s] += int(missing >> s & 1)
		}
	}
	for k, got := range drawn {
		if want := n / 8; k >= 1 && k <= 8 && max(got-want, want-got) > want/5 || (k < 1 || k > 8) && got > 0 {
			t.Errorf("%d of %d times, %d pieces are missing", got, n, k)
		}
	}
	for s := 3; s < 16; s++ { // the cats; a mean of 4.5 of 16 pieces in half of the games
		for _, got := range []int{bySquare[s], bySquare[48+s]} {
			if want := n * 45 / 320; got < want*9/10 || got > want*12/10 {
				t.Errorf("the piece on square %d is missing %d times, want about %d", s, got, want)
			}
		}
	}
}
