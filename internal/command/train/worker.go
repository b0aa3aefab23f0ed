package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"warren/internal/console"
	"warren/internal/hub"
)

const workerAbout = `Manage the machines that play for a run.

Add writes a credential, a file that the machine needs for selfplay --connect. Whoever has the file is that
worker, so send it over a private channel. Remove revokes it, within two seconds if the hub is running.
Discard takes the games of a removed worker, and of earlier ones of its name, out of the replay window, so
that nothing more is learned from them; they stay in their files. List shows the workers and what they have
done.

Examples:
  warren train worker add laptop --run runs/desktop
  warren train worker list --run runs/desktop
  warren train worker remove laptop --run runs/desktop
  warren train worker discard laptop --run runs/desktop`

// usualConnections is the value of --connections if it is not given.
const usualConnections = 2

type workerFlags struct {
	Do          string `arg:"" enum:"add,remove,discard,list" help:"add, remove, discard or list."`
	Name        string `arg:"" optional:"" help:"The worker's name: letters, digits, - and _."`
	Run         string `required:"" placeholder:"DIR" help:"Directory of the run."`
	Creds       string `placeholder:"FILE" help:"Where add writes the credential, - for the standard output. Default: the name and .creds, in the directory hub of the run, which git ignores."`
	Connections int    `default:"${connections}" placeholder:"N" help:"Connections that the worker may have at once. Default: ${default}."`
}

func (f *workerFlags) run(context.Context) error {
	if (f.Name == "") != (f.Do == "list") {
		return fmt.Errorf("%s: want %s", f.Do, map[bool]string{true: "no name", false: "the name of the worker"}[f.Do == "list"])
	}
	if f.Do != "add" && (f.Creds != "" || f.Connections != usualConnections) {
		return fmt.Errorf("%s: --creds and --connections are for add", f.Do)
	}
	if f.Do == "add" { // a worker may be added before its run begins
		if err := hub.CheckName(f.Name); err != nil {
			return err
		}
		if err := os.MkdirAll(f.Run, 0o777); err != nil {
			return fmt.Errorf("making the run directory: %w", err)
		}
	} else if _, err := os.Stat(f.Run); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no run directory %s", f.Run)
	}
	if f.Do != "add" && !hub.HasKeys(hubDir(f.Run)) { // which OpenKeys would make
		return fmt.Errorf("the run %s has no workers: train worker add adds one", f.Run)
	}
	keys, err := hub.OpenKeys(hubDir(f.Run))
	if err != nil {
		return err
	}
	switch f.Do {
	case "add":
		return f.add(keys)
	case "remove":
		return keys.Remove(f.Name, "by train worker remove")
	case "discard":
		return keys.Discard(f.Name)
	}
	return list(os.Stdout, keys)
}

func (f *workerFlags) add(keys *hub.Keys) error {
	path := f.Creds
	if path == "" {
		path = filepath.Join(hubDir(f.Run), f.Name+".creds")
	}
	if f.Connections < 1 {
		return fmt.Errorf("--connections is %d, and a worker needs at least 1", f.Connections)
	}
	if err := keys.Free(f.Name); err != nil {
		return err
	}
	if path == "-" {
		return f.credential(keys, os.Stdout)
	}
	// Make the file before the worker is added, so that no worker is without a file.
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: remove it, or choose another file with --creds", path)
	}
	if err != nil {
		return fmt.Errorf("writing the credential: %w", err)
	}
	if err := errors.Join(f.credential(keys, file), file.Close()); err != nil {
		os.Remove(path)
		return err
	}
	_, err = fmt.Printf("%s is the credential of %s. Move it to that machine and run there:\n  warren selfplay --connect nats://ADDRESS:4222 --creds %s\n",
		path, f.Name, console.Quote(filepath.Base(path)))
	return err
}

// credential adds the worker and writes its credential.
func (f *workerFlags) credential(keys *hub.Keys, out io.Writer) error {
	authority, err := keys.Authority()
	if err != nil {
		return err
	}
	content, err := keys.Add(f.Name, f.Connections, authority)
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	return err
}

// list writes one line for each worker.
func list(out io.Writer, keys *hub.Keys) error {
	workers, err := keys.List()
	if err != nil {
		return err
	}
	activities, err := keys.Activities()
	if err != nil {
		return fmt.Errorf("reading what the workers have done: %w", err)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "worker\tadded\tseen\tgames since the hub's start\tgames/s\trefused\treplayed\tstate")
	for _, w := range workers {
		a := hub.Activity{}
		if i := slices.IndexFunc(activities, func(a hub.Activity) bool { return a.Name == w.Name }); i >= 0 && w.Removed == nil {
			a = activities[i]
		}
		if !a.Heard(time.Now()) { // or the hub, which wrote this, is away
			a.Rate = 0
		}
		seen, state := "never", "may connect"
		if !a.Seen.IsZero() {
			seen = a.Seen.Local().Format(time.DateTime)
		}
		if w.Removed != nil {
			state = "removed: " + w.Reason
			if w.Discarded != nil {
				state += "; its games are out of the window"
			}
		}
		var refused []string
		for reason, n := range a.Refused {
			refused = append(refused, fmt.Sprintf("%d %s", n, reason))
		}
		slices.Sort(refused)
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%.2f\t%s\t%d\t%s\n", w.Name, w.Added.Local().Format(time.DateOnly), seen, a.Games, a.Rate, strings.Join(refused, ", "), a.Replayed, state)
	}
	return t.Flush()
}
