package arena

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/eval"
)

// Whatever names a player gives a player or one line that says what is wrong, and a
// path arrives as it was.
func FuzzNames(f *testing.F) {
	for _, text := range []string{
		"random", "\"a", "alphabeta:nodes=2000,depth=3", "net:a.safetensors,visits=9,label=x", `net:"a,b",search.cpuct_init=0.5`,
		"warren:visits=9", `aei:./bot "a b";tcmove=2s;hash=200`, "runs/a,b/x.safetensors,time=2s", "rollouts:visits=0", `greedy:label='x`, "gredy", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, opened := names(), ""
		e, err := n.Parse(text)
		if err == nil && (e.Identity == "" || e.Name() == "") {
			t.Fatalf("%q has the name %q and the identity %q", text, e.Name(), e.Identity)
		}
		if err == nil {
			if p, ok := e.Portable(); ok && p.Network == "" {
				if again, err := p.Entrant(); err != nil || again.Name() != e.Name() || again.Identity != e.Identity {
					t.Fatalf("%q is carried as %+v, which is %v, %v", text, p, again, err)
				}
			}
		}
		if text == "" {
			return
		}
		// To describe the settings of a network takes most of the time, so none is opened here.
		n.Network = func(path, _ string) (*eval.Network, error) {
			opened = path
			return nil, errors.New("not now")
		}
		if _, err := n.Parse(NetworkName(text)); err == nil || opened != text {
			t.Fatalf("the path %q is named %s, which opens %q, %v", text, NetworkName(text), opened, err)
		}
	})
}

// Whatever is in the log of a tournament, it is refused as a whole, or what cannot be
// used is set aside once and nothing is said the second time.
func FuzzLog(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, GamesFile)
	c := rules(2)
	t0, err := NewTournament(dir, c, field(0.9, 0.5))
	if err != nil {
		f.Fatal(err)
	}
	if err := errors.Join(t0.Run(f.Context(), nil), t0.Close()); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-9])
	f.Add([]byte(`{"rules":{"seed":3,"turn_limit":12,"openings":"own"}}` + "\n" + `{"game":{"gold":"p0","silver":"p1","pair":0,"first":true,"winner":"gold","reason":"goal"}}` + "\n"))
	f.Add([]byte(`{"rules":{"seed":3,"turn_limit":12,"openings":"own"}}` + "\n" + `{"game":{"gold":"p0","silver":"p1","pair":0,"first":true,"winner":"gold","reason":"goal","turns":-5,"seconds":-1}}` + "\n"))
	f.Add([]byte(`{"rules":{"seed":3,"turn_limit":12,"openings":"own"}}` + "\n" + `{"game":{"gold":"p\n0","silver":"p\t1","pair":0,"first":true,"winner":"gold","reason":"goal","moves":"1g Ra1\n1s"}}` + "\n"))
	f.Add([]byte(`{"rules":{"seed":3,"turn_limit":12,"openings":"own\n\u001b[2J"}}` + "\n"))
	f.Add([]byte("{}\n{\n"))
	f.Add([]byte(`{"rules":{"seed":3,"turn_limit":12,"openings":"own"}}` + "\n{}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		write := func(content []byte) {
			os.Remove(path) // to truncate a file makes some systems write it to the disk
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write(content)
		replayed := func() (*Tournament, Tally, history, error) {
			tournament, err := NewTournament("", c, field(0.9, 0.5))
			if err != nil {
				t.Fatal(err)
			}
			h, err := tournament.replay(path)
			return tournament, tournament.duels[0].tally, h, err
		}
		tournament, tally, h, err := replayed()
		if err != nil {
			if !errors.As(err, new(*LogError)) || strings.Contains(err.Error(), "\n") {
				t.Fatal(err)
			}
			return
		}
		if n := tally.Games(); n > len(content)/50 || tally.Validate() != nil {
			t.Fatalf("%d bytes have %d games: %+v", len(content), n, tally)
		}
		var archive bytes.Buffer
		if err := WriteArchive(&archive, dir); err != nil {
			t.Fatal(err)
		}
		games := 0
		for range Games(dir) {
			games++
		}
		for g := range game.ReadGames(&archive) {
			if g.Line > 0 { // not where it says that there are none
				games--
			}
		}
		if games != 0 {
			t.Errorf("%q has %d games more than its archive", content, games)
		}
		var out, aside bytes.Buffer
		if err := tournament.split(path, !h.rules, &out, func(text []byte) error { aside.Write(text); return nil }); err != nil {
			t.Fatal(err)
		}
		if h.whole && aside.Len() > 0 {
			t.Fatalf("of a whole log %q was set aside", &aside)
		}
		write(out.Bytes())
		_, again, h, err := replayed()
		if err != nil || again != tally || !h.whole || !h.rules {
			t.Fatalf("%+v, and then %+v, %+v, %v", tally, again, h, err)
		}
	})
}
