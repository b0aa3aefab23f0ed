package page

import (
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"warren/data"
	"warren/game"
	"warren/metrics"
	"warren/watch"
)

// pipes is a listener of connections in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// A reader that accepts nothing is dropped, and training goes on meanwhile. The
// time in a bubble is not real.
func TestReaderThatAcceptsNothingIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live := &Live{Status: func() metrics.Status { return metrics.Status{Title: "generation 7"} }}
		s, err := New(Config{Live: live})
		if err != nil {
			t.Fatal(err)
		}
		l := make(pipes)
		host := &http.Server{Handler: s}
		go host.Serve(l)
		client, server := net.Pipe()
		l <- server
		if _, err := client.Write([]byte("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := live.watchers.Load(); n != 1 {
			t.Fatalf("%d readers", n)
		}
		g := game.New()
		for i := range uint64(100) {
			live.Observe(&watch.GameBegan{Game: i})
			live.Observe(&watch.Acted{Game: i, Before: g, Decision: &data.Decision{}})
		}
		time.Sleep(unheard - time.Millisecond)
		synctest.Wait()
		if n := live.watchers.Load(); n != 1 {
			t.Errorf("after less than %v there are %d readers", unheard, n)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if n := live.watchers.Load(); n != 0 {
			t.Errorf("after %v there are %d readers", unheard, n)
		}
		close(l)
		host.Close()
		client.Close()
	})
}
