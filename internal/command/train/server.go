package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"warren/internal/hub"
)

const serverAbout = `Write the configuration of an outside nats-server for a run.

The learner and the workers then connect to that server, or to a cluster of several. The file has the
same permissions and guarantees as the server in train --listen. It names the certificate in the run
directory; on another machine, copy hub/tls of the run there and name its directory with --tls.

Examples:
  warren train server --run runs/many --store /var/lib/warren > nats.conf
  nats-server -c nats.conf
  warren train --config desktop --run runs/many --connect nats://127.0.0.1:4222

A node of a cluster of three, on the machine a; the others differ in --name:
  warren train server --run runs/many --store /var/lib/warren --tls /etc/warren/tls --name a --cluster nats://0.0.0.0:6222 \
    --route nats://a:6222 --route nats://b:6222 --route nats://c:6222 > a.conf`

type serverFlags struct {
	Run     string   `required:"" placeholder:"DIR" help:"Directory of the run."`
	Store   string   `required:"" placeholder:"DIR" help:"Directory of the server, on its machine."`
	Listen  string   `default:"nats://0.0.0.0:4222" placeholder:"URL" help:"Address for the learner and the workers. Default: nats://0.0.0.0:4222."`
	TLS     string   `name:"tls" placeholder:"DIR" help:"Directory of the certificate, on the server's machine. Default: that in the run directory."`
	Name    string   `placeholder:"NAME" help:"Name of the server. Each node of a cluster needs another."`
	Cluster string   `placeholder:"URL" help:"Address for the other nodes of a cluster, such as nats://0.0.0.0:6222."`
	Route   []string `placeholder:"URL" sep:"none" help:"With --cluster: a node's address for the others. Once for each node."`
}

func (f *serverFlags) run(context.Context) error {
	if (f.Cluster != "") != (len(f.Route) > 0) || f.Cluster != "" && f.Name == "" {
		return errors.New("a node of a cluster needs --name, --cluster and a --route for each node")
	}
	if _, err := os.Stat(f.Run); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no run directory %s: train worker add makes one", f.Run)
	}
	keys, err := hub.OpenKeys(hubDir(f.Run))
	if err != nil {
		return err
	}
	content, err := keys.NodeConfig(hub.NodeOptions{
		Listen: f.Listen, Store: f.Store, TLS: f.TLS, Name: f.Name, Cluster: f.Cluster, Routes: f.Route,
	})
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(content)
	return err
}
