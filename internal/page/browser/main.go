//go:build js

// Command browser is the page's board without a server: it is compiled to WebAssembly and answers, in a
// worker of the browser, the requests that the page would send. The script static builds the files of it,
// which any file server can serve.
package main

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"syscall/js"

	"warren/internal/page"
	"warren/net/bundled"
)

func main() {
	server, err := page.New(page.Config{Network: bundled.Name})
	if err != nil {
		js.Global().Call("ready", err.Error())
		return
	}
	cancels := map[int]context.CancelFunc{} // by the number of the request; there is one thread
	js.Global().Set("request", js.FuncOf(func(_ js.Value, args []js.Value) any {
		id, method, path, body := args[0].Int(), args[1].String(), args[2].String(), args[3].String()
		ctx, cancel := context.WithCancel(context.Background())
		cancels[id] = cancel
		go func() {
			defer cancel()
			status, content := answer(ctx, server, method, path, body)
			delete(cancels, id)
			js.Global().Call("answered", id, status, content)
		}()
		return nil
	}))
	js.Global().Set("cancel", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if cancel := cancels[args[0].Int()]; cancel != nil {
			cancel()
		}
		return nil
	}))
	js.Global().Call("ready", "")
	select {}
}

// answer returns the server's answer to a request.
func answer(ctx context.Context, server *page.Server, method, path, body string) (status int, content string) {
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost/api/"+path, strings.NewReader(body))
	if err != nil {
		return http.StatusBadRequest, `{"error":"this is no address"}`
	}
	r.Header.Set("Content-Type", "application/json")
	w := &writer{header: http.Header{}, status: http.StatusOK}
	server.ServeHTTP(w, r)
	return w.status, w.body.String()
}

// writer keeps an answer.
type writer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *writer) Header() http.Header         { return w.header }
func (w *writer) WriteHeader(status int)      { w.status = status }
func (w *writer) Write(b []byte) (int, error) { return w.body.Write(b) }
