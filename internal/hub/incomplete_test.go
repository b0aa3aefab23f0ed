package hub

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
)

// A hub of commit f288acf has games in transit that this program cannot read. They are not lost unless the user says so.
func TestHubOfAnEarlierVersion(t *testing.T) {
	keys, err := OpenKeys(filepath.Join(t.TempDir(), "hub"))
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(keys.dir, "jetstream")
	leases := filepath.Join(store, "jetstream", "ACCOUNT", "streams", "KV_leases")
	if err := os.MkdirAll(leases, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = Serve(keys, ServerOptions{Listen: "nats://127.0.0.1:0"})
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Fatalf("it starts with %v, want one line", err)
	}
	for _, want := range []string{store + " is of an earlier version", "run that version without workers until its metric warren_hub_waiting_games is 0", "then delete the directory"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q: %v", want, err)
		}
	}
	if _, err := os.Stat(leases); err != nil {
		t.Error(err)
	}
}

// Games of another version may be played by other rules. Whatever their number, they are refused and their worker is told,
// and it is not removed.
func TestGamesOfAnotherVersion(t *testing.T) {
	s := newSite(t, testJob(), nil)
	h := s.hostile(t, "worker")
	own := honestGame(t, testJob(), h.lease(t, 1).First)
	plain, err := own.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(plain), fmt.Sprint("record ", data.Version), "record 7", 1)
	games := 0
	for range refusals/3 + 1 {
		for _, content := range []string{string(plain), fmt.Sprintf("warren game %d\n%s", Format-1, plain), heading + other} {
			h.hand(t, h.packer.out.EncodeAll([]byte(content), nil))
			games++
		}
	}
	s.await(t, func() bool {
		answer := h.lease(t, 0)
		return answer.Refused == games && answer.Why == "another version"
	})
	h.hand(t, h.pack(t, own))
	s.store.until(t, "its game of this version", func(games map[data.Hash]*data.Record) bool { return games[own.Hash()] != nil })
}

// What a hub of another version has published as settings is no longer known, since it may play other games by them.
func TestSettingsOfAnotherVersion(t *testing.T) {
	dir := t.TempDir()
	k, _, err := openKnown(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []int{Format - 1, Format} {
		x, err := termsOf(testJob())
		if err != nil {
			t.Fatal(err)
		}
		x.Format, x.Settings = format, fmt.Sprint("of format ", format)
		if err := k.write(published{Job: &x}); err != nil {
			t.Fatal(err)
		}
	}
	k.close()
	again, damaged, err := openKnown(dir)
	if err != nil || damaged > 0 {
		t.Fatalf("%d damaged lines, %v", damaged, err)
	}
	defer again.close()
	for format, want := range map[int]bool{Format - 1: false, Format: true} {
		if _, known := again.job(fmt.Sprint("of format ", format)); known != want {
			t.Errorf("settings of format %d are known: %t", format, known)
		}
	}
}

// A hub that finds its files damaged says so when it starts.
func TestDamageIsSaidAtTheStart(t *testing.T) {
	o := newServer(t)
	log := &listened{}
	o.Log = slog.New(log)
	for _, name := range []string{leasesFile, publishedFile} {
		if err := os.WriteFile(filepath.Join(o.Keys.dir, name), []byte("rubbish\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newSiteOn(t, o, testJob(), newMemory())
	s.hostile(t, "a").lease(t, 1) // which is answered when the leases have been read
	for _, what := range []string{"the list of leases is damaged", "the list of what was published is damaged"} {
		if !log.said(what) {
			t.Errorf("it does not say that %s: %q", what, log.lines)
		}
	}
}
