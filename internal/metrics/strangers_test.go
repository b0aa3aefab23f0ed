package metrics

import (
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// one is a listener with a single connection.
type one chan net.Conn

func (o one) Accept() (net.Conn, error) {
	c, ok := <-o
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (o one) Close() error   { return nil }
func (o one) Addr() net.Addr { return &net.TCPAddr{} }

// A connection that stands still is closed, wherever it stands. The time in a bubble is not real.
func TestStrangersHoldNoConnection(t *testing.T) {
	for name, said := range map[string]string{
		"nothing":                 "",
		"half a request":          "GET /metrics HTTP/1.1\r\nHo",
		"half a body":             "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
		"an answer that is read":  "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
		"an answer that is not":   "GET /unread HTTP/1.1\r\nHost: x\r\n\r\n",
		"a request after another": "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET",
	} {
		synctest.Test(t, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("/metrics", func(http.ResponseWriter, *http.Request) {})
			mux.HandleFunc("/unread", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 1<<20)) })
			l := make(one)
			stop := serve(l, mux)
			client, server := net.Pipe()
			l <- server
			if _, err := io.WriteString(client, said); err != nil {
				t.Fatal(err)
			}
			if said != "" && name != "an answer that is not" {
				go io.Copy(io.Discard, client)
			}
			time.Sleep(idle + 2*impatience + time.Second)
			synctest.Wait()
			client.SetReadDeadline(time.Now())
			if _, err := io.Copy(io.Discard, client); err != nil && err != io.ErrClosedPipe {
				t.Errorf("%s: the connection is open: %v", name, err)
			}
			close(l)
			stop()
			client.Close()
		})
	}
}
