package listen

import (
	"errors"
	"io"
	"net"
	"testing"
)

func TestHost(t *testing.T) {
	for want, ip := range map[string]net.IP{"127.0.0.1:80": net.IPv4(127, 0, 0, 1), "localhost:80": net.IPv4zero, "[::1]:80": net.IPv6loopback} {
		if got := Host(at{IP: ip, Port: 80}); got != want {
			t.Errorf("%v is opened at %s, want %s", ip, got, want)
		}
	}
	if got := Host(at{IP: net.IPv6unspecified, Port: 80}); got != "localhost:80" {
		t.Errorf("every address is opened at %s", got)
	}
}

// at is a listener that only has an address.
type at net.TCPAddr

func (a at) Addr() net.Addr          { return (*net.TCPAddr)(&a) }
func (at) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (at) Close() error              { return nil }

// Of 330 idle connections only as many stay open as the bound allows. When one of these ends, its
// place is free again.
func TestBounded(t *testing.T) {
	const most = 5
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Bounded(inner, most)
	held := make(chan net.Conn, 1000)
	ended := make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			if _, err := c.Write([]byte("x")); err == nil {
				held <- c
			}
		}
	}()
	// dial reports whether a new connection is held.
	dial := func() bool {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_, err = io.ReadFull(c, make([]byte, 1))
		return err == nil
	}
	open := 0
	for range 330 {
		if dial() {
			open++
		}
	}
	if open != most {
		t.Errorf("%d connections are open, want %d", open, most)
	}
	c := <-held
	c.Close()
	c.Close() // a second time changes nothing
	if !dial() || dial() {
		t.Error("one connection has ended, and not exactly one other is held")
	}
	l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("it ended with %v", err)
	}
}

func TestFew(t *testing.T) {
	for _, c := range []struct{ n, files, want int }{{256, 0, 256}, {256, 1 << 20, 256}, {256, 256, 32}, {64, 7, 1}} {
		if got := few(c.n, c.files); got != c.want {
			t.Errorf("%d of %d files: %d, want %d", c.n, c.files, got, c.want)
		}
	}
}
