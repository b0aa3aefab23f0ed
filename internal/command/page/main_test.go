package page

import (
	"context"
	"io"
	stdnet "net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/internal/console"
	"warren/internal/nettest"
	"warren/net"
)

// The levels of one run are rated, by some games.
func TestRateNeedsOneRun(t *testing.T) {
	for _, f := range []flags{{Rate: 10}, {Rate: 10, Runs: []string{"a", "b"}}, {Rate: 1, Runs: []string{"a"}}, {Rate: -1, Runs: []string{"a"}}} {
		if err := f.run(t.Context(), io.Discard); err == nil || !strings.HasSuffix(err.Error(), ": name one run, and at least 2 games") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// A port that is taken is told before the rating.
func TestPortIsTriedBeforeTheRating(t *testing.T) {
	l, err := stdnet.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f := flags{Rate: 2, Runs: []string{"none"}, HTTP: l.Addr().String()}
	if err := f.run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "choose another address") {
		t.Errorf("it says: %v", err)
	}
}

// After Ctrl-C the rating says how it continues, and there is no page.
func TestRatingIsStopped(t *testing.T) {
	run := t.TempDir()
	nettest.Save(t, net.GenerationFile(run, 1), nettest.New(t, nettest.Small, 1), nil)
	if err := os.WriteFile(filepath.Join(run, "config.yaml"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var status strings.Builder
	f := flags{Rate: 2, Runs: []string{run}, HTTP: "127.0.0.1:0"}
	if err := f.run(ctx, &status); err != console.ErrStopped || !strings.HasPrefix(status.String(), "Stopped; ") || strings.Contains(status.String(), "The page is at") {
		t.Errorf("it says %q, %v", status.String(), err)
	}
}
