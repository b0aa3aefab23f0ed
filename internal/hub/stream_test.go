package hub

import "testing"

// Games that are in shards leave the stream.
func TestAcknowledgedGamesAreCleared(t *testing.T) {
	s := newSite(t, testJob(), nil)
	w := s.dial(t, "worker", t.TempDir())
	stop := play(t, w)
	s.await(t, func() bool { return s.activity("worker").Games > 20 })
	stop()
	w.Flush(t.Context())
	s.await(t, func() bool {
		info, err := s.games.Info(t.Context())
		return err == nil && info.State.Msgs == 0 && info.State.FirstSeq > 20
	})
	s.transit.mu.Lock()
	defer s.transit.mu.Unlock()
	if n := len(s.transit.taken) + len(s.transit.keeping); n > 0 {
		t.Errorf("%d games are still followed", n)
	}
}
