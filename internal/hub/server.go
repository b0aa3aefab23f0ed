package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"warren/internal/listen"
)

// Server is a NATS server with JetStream in this process.
type Server struct {
	nats     *server.Server
	accounts *accounts
}

// ServerOptions holds the settings of the embedded server. Only Listen is required.
type ServerOptions struct {
	Listen string // URL, such as nats://0.0.0.0:4222; port 0 selects a free port
	Log    *slog.Logger

	connections int // the most at once; default is half of the files that the process may open
}

// Serve starts a server with the accounts of keys. It stores its streams in the keys' directory. All
// connections are encrypted.
func Serve(keys *Keys, o ServerOptions) (*Server, error) {
	address, err := ListenAddress(o.Listen)
	if err != nil {
		return nil, err
	}
	secure, err := keys.serverTLS()
	if err != nil {
		return nil, err
	}
	text, err := keys.claims()
	if err != nil {
		return nil, err
	}
	operator, err := jwt.DecodeOperatorClaims(text)
	if err != nil {
		return nil, err
	}
	if o.connections == 0 {
		o.connections = cmp.Or(listen.Half(), 1<<16) // the other half is for the run's own files
	}
	store := filepath.Join(keys.dir, "jetstream")
	if err := clearStore(store); err != nil {
		return nil, fmt.Errorf("starting the hub's server: %w", err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("starting the hub's server: it cannot listen on %s: %w", o.Listen, err)
	}
	at := l.Addr().(*net.TCPAddr)
	a := &accounts{keys: keys, known: map[string]string{}}
	options := &server.Options{
		Host: at.IP.String(), Port: at.Port,
		TLSConfig: secure, TLS: true, TLSTimeout: 10, AuthTimeout: 10,
		TrustedOperators: []*jwt.OperatorClaims{operator}, SystemAccount: public(keys.system), AccountResolver: a,
		JetStream: true, StoreDir: store, JetStreamMaxMemory: 64 << 20,
		JetStreamMaxStore: maxStore, MaxPayload: maxPayload, MaxPending: maxPending,
		MaxConn: math.MaxInt, // the listener bounds them
		NoSigs:  true, DisableJetStreamBanner: true,
		PingInterval: 30 * time.Second, MaxPingsOut: 2,
	}
	s := &Server{accounts: a}
	if s.nats, err = server.NewServer(options); err == nil {
		err = lend(s.nats, listen.Bounded(l, o.connections))
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("starting the hub's server: %w", err)
	}
	if o.Log != nil {
		s.nats.SetLoggerV2(natsLog{o.Log}, false, false, false)
	}
	s.nats.Start()
	if !s.nats.ReadyForConnections(30 * time.Second) {
		s.Close()
		return nil, fmt.Errorf("starting the hub's server: it does not answer on %s", o.Listen)
	}
	return s, nil
}

// writes returns an error if the server has stopped writing, as it does when it cannot. It then no longer answers
// requests to its streams. An outside server, nil here, is not asked.
func (s *Server) writes() error {
	if s != nil && !s.nats.JetStreamEnabled() {
		return errors.New("the hub's server cannot write any more: is the disk full? free some space and give the same command again")
	}
	return nil
}

// lend makes the server accept connections from l. NATS bounds its connections only after it has accepted them, so a burst
// would take all file descriptors. It has no option for a listener, but its accept loop uses the one in
// this field.
func lend(s *server.Server, l net.Listener) error {
	field := reflect.ValueOf(s).Elem().FieldByName("listener")
	if !field.IsValid() || field.Type() != reflect.TypeFor[net.Listener]() {
		return errors.New("this version of NATS takes no listener")
	}
	*(*net.Listener)(field.Addr().UnsafePointer()) = l
	return nil
}

// clearStore removes what an earlier process left in the server's directory. None of it has to last: the workers send the
// games again, and the hub the rest. So no damage there outlives a start. A store of commit f288acf, which kept the
// leases there, may have games that are nowhere else: it stays, and that is an error.
func clearStore(dir string) error {
	earlier, err := fs.Glob(os.DirFS(dir), "jetstream/*/streams/KV_leases")
	if err != nil {
		return err
	}
	if len(earlier) > 0 {
		return fmt.Errorf("%s is of an earlier version and may have games in transit: to keep them, run that version without workers until its metric warren_hub_waiting_games is 0; then delete the directory", dir)
	}
	return os.RemoveAll(dir)
}

// ListenAddress returns the host and port of a URL to listen on, such as nats://0.0.0.0:4222. Without a port it is that
// of NATS, and 0 is any.
func ListenAddress(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "nats" || u.Hostname() == "" {
		return "", fmt.Errorf("%q is no address to listen on: give one such as nats://0.0.0.0:4222", text)
	}
	port := cmp.Or(u.Port(), strconv.Itoa(server.DEFAULT_PORT))
	if n, err := strconv.Atoi(port); err != nil || n > math.MaxUint16 {
		return "", fmt.Errorf("%q is no address to listen on: the port is a number up to 65535", text)
	}
	return net.JoinHostPort(u.Hostname(), port), nil
}

// URL returns the server's address.
func (s *Server) URL() string {
	a, ok := s.nats.Addr().(*net.TCPAddr)
	if !ok {
		return s.nats.ClientURL()
	}
	return "nats://" + a.String()
}

// Close stops the server after it has written all messages to disk.
func (s *Server) Close() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}

// accounts looks up accounts for the server. It implements server.AccountResolver.
type accounts struct {
	keys *Keys

	mu    sync.Mutex
	known map[string]string // public key to signed claims
}

// Fetch returns the claims of an account. It reads a newly added worker from disk.
func (a *accounts) Fetch(account string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if text, ok := a.known[account]; ok {
		return text, nil
	}
	c, err := a.claims(account)
	if err != nil {
		return "", err
	}
	text, err := a.keys.sign(c)
	if err == nil {
		a.known[account] = text
	}
	return text, err
}

func (a *accounts) claims(account string) (*jwt.AccountClaims, error) {
	switch account {
	case public(a.keys.hub):
		return a.keys.hubAccount(), nil
	case public(a.keys.system):
		return a.keys.systemAccount(), nil
	}
	list, err := a.keys.List()
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		if w.Account == account && w.Removed == nil {
			return a.keys.workerAccount(w), nil
		}
	}
	return nil, errNoAccount
}

// errNoAccount is what a stranger gets, and a worker whose file has been deleted.
var errNoAccount = errors.New("no such account")

// The rest of server.AccountResolver. The accounts come only from the keys.

func (a *accounts) Store(string, string) error {
	return errors.New("accounts are made by the hub's keys")
}
func (a *accounts) IsReadOnly() bool           { return true }
func (a *accounts) Start(*server.Server) error { return nil }
func (a *accounts) IsTrackingUpdate() bool     { return false }
func (a *accounts) Reload() error              { return nil }
func (a *accounts) Close()                     {}

// close closes the connections of a removed worker and prevents new ones.
func (s *Server) close(w *Credential) {
	a := s.accounts
	a.mu.Lock()
	delete(a.known, w.Account)
	a.mu.Unlock()
	if account, err := s.nats.LookupAccount(w.Account); err == nil {
		s.nats.UpdateAccountClaims(account, a.keys.workerAccount(w))
	}
}

// natsLog passes the server's messages to the log, except for debug and trace messages. What goes wrong
// with one connection is the doing of whoever connects, so strangers cannot fill the log.
type natsLog struct{ *slog.Logger }

func (l natsLog) say(level slog.Level, format string, v []any) {
	text := fmt.Sprintf(format, v...)
	// NATS gives the prefix to messages about a client.
	if strings.Contains(text, " - cid:") || strings.HasSuffix(text, errNoAccount.Error()) {
		level = slog.LevelDebug
	}
	l.Log(context.Background(), level, "hub: NATS says: "+text)
}

func (l natsLog) Noticef(format string, v ...any) { l.say(slog.LevelDebug, format, v) }
func (l natsLog) Debugf(string, ...any)           {}
func (l natsLog) Tracef(string, ...any)           {}
func (l natsLog) Warnf(format string, v ...any)   { l.say(slog.LevelWarn, format, v) }
func (l natsLog) Errorf(format string, v ...any)  { l.say(slog.LevelError, format, v) }
func (l natsLog) Fatalf(format string, v ...any)  { l.say(slog.LevelError, format, v) }

// connect is nats.Connect, except that it ends with the context.
func connect(ctx context.Context, url string, options []nats.Option) (conn *nats.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err = nats.Connect(url, options...)
	}()
	select {
	case <-done:
		return conn, err
	case <-ctx.Done():
		go func() {
			if <-done; conn != nil {
				conn.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}
