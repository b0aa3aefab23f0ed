package metrics

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"warren/internal/listen"
)

// Family is a metric for Prometheus: its name, kind and samples.
type Family struct {
	Name    string // letters, digits and _
	Kind    string // gauge, or counter for a number that only grows
	Help    string // one line
	Samples []Reading
}

// Reading is a sample of a family.
type Reading struct {
	Labels []Label
	Value  float64
}

// Label is a label of a sample, such as the name of a worker.
type Label struct{ Name, Value string }

// Gauge returns a gauge with one sample.
func Gauge(name, help string, v float64) Family {
	return Family{name, "gauge", help, []Reading{{Value: v}}}
}

// Counter returns a counter with one sample.
func Counter(name, help string, v float64) Family {
	return Family{name, "counter", help, []Reading{{Value: v}}}
}

// Flag returns a gauge that is 1 or 0.
func Flag(name, help string, on bool) Family {
	if on {
		return Gauge(name, help, 1)
	}
	return Gauge(name, help, 0)
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// textFormat returns the families in the text format of Prometheus, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
func textFormat(families []Family) []byte {
	var b []byte
	for _, f := range families {
		b = fmt.Appendf(b, "# HELP %s %s\n# TYPE %s %s\n", f.Name, strings.ReplaceAll(f.Help, "\n", " "), f.Name, f.Kind)
		for _, s := range f.Samples {
			b = append(b, f.Name...)
			for i, l := range s.Labels {
				separator := byte(',')
				if i == 0 {
					separator = '{'
				}
				b = fmt.Appendf(append(b, separator), `%s="%s"`, l.Name, escapeLabel.Replace(l.Value))
			}
			if len(s.Labels) > 0 {
				b = append(b, '}')
			}
			b = append(strconv.AppendFloat(append(b, ' '), s.Value, 'g', -1, 64), '\n')
		}
	}
	return b
}

// Serve serves the families that collect returns at http://ADDRESS/metrics until it is closed. It
// adds the process's memory and goroutines.
func Serve(address string, collect func(context.Context) []Family) (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("serving the metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Write(textFormat(append(collect(r.Context()), process()...)))
	})
	stop = serve(listener, mux)
	return "http://" + listener.Addr().String() + "/metrics", stop, nil
}

const (
	connections = 64               // at once
	impatience  = 10 * time.Second // for a request to arrive and for the answer to be read
	idle        = 2 * time.Minute  // between two requests of a connection
)

// serve serves a port until stop is called. Strangers may hold it: it takes few connections and keeps
// none that stands still.
func serve(l net.Listener, handler http.Handler) (stop func()) {
	server := &http.Server{Handler: handler, ReadTimeout: impatience, WriteTimeout: 2 * impatience, IdleTimeout: idle, MaxHeaderBytes: 1 << 16}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.Serve(listen.Bounded(l, listen.Few(connections))) // always returns an error: that it was closed
	}()
	return func() {
		server.Close()
		<-ended
	}
}

// process returns the families of every Go program, under the names that they have elsewhere.
func process() []Family {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return []Family{
		Gauge("go_memstats_heap_inuse_bytes", "Bytes of the heap in use.", float64(m.HeapInuse)),
		Gauge("go_memstats_sys_bytes", "Bytes obtained from the system.", float64(m.Sys)),
		Gauge("go_goroutines", "Goroutines.", float64(runtime.NumGoroutine())),
	}
}

// familyName turns the name of a series, such as loss/policy, into the name of a family, such as
// warren_loss_policy.
func familyName(series string) string {
	var b bytes.Buffer
	b.WriteString("warren_")
	for _, c := range []byte(series) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			b.WriteByte(c)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}
