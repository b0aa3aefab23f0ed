package hub

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nats-io/jwt/v2"
)

// NodeOptions describes an outside NATS server that serves as a run's hub. Listen and Store are
// required.
type NodeOptions struct {
	Listen string // URL for workers and the learner, such as nats://0.0.0.0:4222
	Store  string // directory of the server
	TLS    string // directory with the hub's certificate on the server's machine; if empty, that of the run
	Name   string // of the server; each node of a cluster needs another

	Cluster string   // URL for the other nodes, such as nats://0.0.0.0:6222; empty without a cluster
	Routes  []string // the nodes' URLs for each other
}

// NodeConfig returns the configuration file of a nats-server for the run. It has the same limits,
// permissions and guarantees as the embedded server. The run's keys are not in it.
func (k *Keys) NodeConfig(o NodeOptions) ([]byte, error) {
	authority, err := k.Authority()
	if err != nil {
		return nil, err
	}
	if o.TLS == "" {
		if o.TLS, err = filepath.Abs(filepath.Join(k.dir, "tls")); err != nil {
			return nil, err
		}
	}
	operator, err := k.claims()
	if err != nil {
		return nil, err
	}
	var preload bytes.Buffer
	for _, c := range []*jwt.AccountClaims{k.systemAccount(), k.hubAccount()} {
		text, err := k.sign(c)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&preload, "  %s: %s\n", c.Subject, text)
	}
	listen, err := ListenAddress(o.Listen)
	if err != nil {
		return nil, err
	}
	path := func(parts ...string) string { return strconv.Quote(filepath.ToSlash(filepath.Join(parts...))) }
	var b bytes.Buffer
	if o.Name != "" {
		fmt.Fprintf(&b, "server_name: %q\n", o.Name)
	}
	fmt.Fprintf(&b, `listen: %q
tls {
  cert_file: %s
  key_file: %s
  min_version: "1.3"
  timeout: 10
}
authorization { timeout: 10 }

# Who may do what. The learner adds and removes the workers' accounts.
operator: %s
system_account: %s
resolver {
  type: full
  dir: %s
}
resolver_preload {
%s}

jetstream {
  store_dir: %s
  max_memory_store: 64MB
  max_file_store: %d
}
max_payload: %d
max_pending: %d
ping_interval: "30s"
ping_max: 2
`, listen, path(o.TLS, certFile), path(o.TLS, keyFile), operator, public(k.system), path(o.Store, "accounts"), preload.String(),
		path(o.Store), int64(maxStore), maxPayload, maxPending)
	if o.Cluster == "" {
		return b.Bytes(), nil
	}
	if listen, err = ListenAddress(o.Cluster); err != nil {
		return nil, err
	}
	for _, r := range o.Routes {
		if _, err := ListenAddress(r); err != nil {
			return nil, err
		}
	}
	// All nodes have the same certificate, whose name is no machine's. A node shows it to the node that
	// it connects to, and that node checks it.
	verify := "verify: true\n    insecure: true"
	if authority != nil {
		verify += "\n    ca_file: " + path(o.TLS, authorityFile)
	}
	fmt.Fprintf(&b, `
cluster {
  name: warren
  listen: %q
  tls {
    cert_file: %s
    key_file: %s
    timeout: 10
    %s
  }
  routes: [ %s ]
}
`, listen, path(o.TLS, certFile), path(o.TLS, keyFile), verify, strings.Join(o.Routes, ", "))
	return b.Bytes(), nil
}
