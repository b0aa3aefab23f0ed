//go:build !js

package page

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"warren/data"
	"warren/game"
	"warren/internal/metrics"
	"warren/internal/observe"
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

// A reader that accepts nothing is dropped, and training continues meanwhile. The
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
			live.Observe(&observe.GameBegan{Game: i})
			live.Observe(&observe.Acted{Game: i, Before: g, Decision: &data.Decision{}})
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

// connected serves a page on a connection over which the request has been sent. Stop ends both.
func connected(t *testing.T, c Config, request string) (s *Server, client net.Conn, stop func()) {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	l, ended := make(pipes), make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	client, server := net.Pipe()
	l <- server
	if _, err := client.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	return s, client, func() {
		cancel()
		close(l)
		<-ended
		client.Close()
	}
}

// Nobody holds a connection by sending a request bit by bit, or by not reading the answer.
func TestStrangersHoldNoConnection(t *testing.T) {
	for name, request := range map[string]string{
		"half a body":              "POST /api/enter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
		"half a body, refused":     "POST /api/play HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
		"a body of nothing":        "GET /icon.svg HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
		"an answer that is unread": "GET /play.js HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			_, client, stop := connected(t, Config{Token: "secret"}, request)
			defer stop()
			time.Sleep(unread + time.Second)
			read := make(chan int64, 1)
			go func() {
				n, _ := io.Copy(io.Discard, client)
				read <- n
			}()
			synctest.Wait()
			select {
			case n := <-read:
				if n > 1000 {
					t.Errorf("%s: %d bytes come after all", name, n)
				}
			default:
				t.Errorf("%s: the connection stays open", name)
			}
		})
	}
}

// A stream of events that is read continues beyond all these limits.
func TestStreamGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, client, stop := connected(t, Config{}, "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
		defer stop()
		go io.Copy(io.Discard, client)
		time.Sleep(unread + time.Minute)
		synctest.Wait()
		if n := len(s.streams); n != 1 {
			t.Errorf("%d streams are open", n)
		}
	})
}
