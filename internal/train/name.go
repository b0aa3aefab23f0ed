package train

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"warren/data"
	"warren/internal/durable"
	"warren/net"
)

// nameFile holds the name of the run. A run is named after its directory when it begins, and keeps the
// name when the directory is renamed or moved, or is reached by a link: its games and networks bear it.
const nameFile = "name"

// readName returns the name of the run, or "" if there is none yet or it is damaged.
func (d *Dir) readName() (string, error) {
	content, err := durable.ReadFile(filepath.Join(d.path, nameFile), durable.Document)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // whoever makes the directory says so
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("opening the run directory: %w", err)
	}
	name := strings.TrimSuffix(string(content), "\n")
	if len(name) > 255 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", nil
	}
	return name, nil
}

// settleName gives the run its name for good, unless it has one. A run of an earlier version has the name
// that its newest games bear, or its newest network, since its directory may have been renamed.
func (d *Dir) settleName(games *data.Index, log *slog.Logger) error {
	name, err := d.readName()
	if err != nil || name != "" {
		return err
	}
	if before := d.earlierName(games); before != "" && before != d.name {
		log.Info("the run keeps the name that its games and networks bear", "name", before)
		d.name = before
	}
	return d.writeName()
}

func (d *Dir) writeName() error {
	return durable.WriteBytes(filepath.Join(d.path, nameFile), []byte(d.name+"\n"))
}

// earlierName returns the name in the newest games or networks, or "" if there are none.
func (d *Dir) earlierName(games *data.Index) string {
	for _, info := range slices.Backward(games.Shards) {
		shard, err := data.OpenShard(info.Path)
		if err != nil {
			continue
		}
		for r, err := range shard.Records() {
			if err == nil {
				return r.Run
			}
			break
		}
	}
	networks, _ := net.Generations(d.path)
	for _, generation := range slices.Backward(networks) {
		if _, meta, err := net.LoadTensors(d.Network(generation)); err == nil && meta["run"] != "" {
			return meta["run"]
		}
	}
	return ""
}
