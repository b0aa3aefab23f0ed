// Package listen opens ports that strangers cannot exhaust. A process that serves a page, metrics or
// a hub in the process of a training run shares its file descriptors with the run: connections without a bound
// would leave it none for its files.
package listen

import (
	"net"
	"sync"
)

// Bounded returns a listener that holds at most n connections at once. It closes any further
// connection as soon as it is accepted, so that none waits and holds a file descriptor.
func Bounded(l net.Listener, n int) net.Listener {
	return &bounded{Listener: l, free: make(chan struct{}, n)}
}

type bounded struct {
	net.Listener
	free chan struct{} // has an element for every open connection
}

func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.free <- struct{}{}:
			return &conn{Conn: c, release: sync.OnceFunc(func() { <-b.free })}, nil
		default:
			c.Close()
		}
	}
}

// conn gives its place to another connection when it is closed.
type conn struct {
	net.Conn
	release func()
}

func (c *conn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// Host returns the host and the port to open on this machine if l listens.
func Host(l net.Listener) string {
	address := l.Addr().String()
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return address
}

// Half returns half of the number of files that this process may have open, or 0 if the system has no
// limit that a process can ask for.
func Half() int { return openFiles() / 2 }

// Few returns n, or an eighth of the number of files that this process may have open if that is less.
// It bounds a port that the process serves beside others.
func Few(n int) int { return few(n, openFiles()) }

func few(n, files int) int {
	if files == 0 {
		return n
	}
	return min(n, max(1, files/8))
}
