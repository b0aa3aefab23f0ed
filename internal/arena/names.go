package arena

import (
	"fmt"
	"slices"
	"strings"

	"warren/internal/durable"
	"warren/internal/eval"
	"warren/internal/nearest"
	"warren/internal/quoted"
)

// Names reads players as a command line names them, as in alphabeta:nodes=2000:
// the kind, a colon, and options separated by commas. [Help] lists the kinds and
// their options. A path that ends in .safetensors names a network without its
// kind, and is taken as it is. Elsewhere quotes keep separators in a path or a value,
// as in net:"a,b",label='c, d' (package quoted).
type Names struct {
	// Network opens the network at a path, or the one called [Bundled], on a device, as
	// device.Load does; nil if networks cannot play.
	Network func(path, device string) (*eval.Network, error)
	// Device is the device of networks whose names do not say otherwise.
	Device string
	// Search holds the settings of networks whose names do not say otherwise.
	Search SearchSettings
}

// Entrant is a player and what identifies it.
type Entrant struct {
	Player
	// Identity is everything that the player's play depends on. Games of entrants
	// with equal identities can be counted together.
	Identity string
	// Network is the network it plays with; nil if there is none.
	Network *eval.Network
}

// On returns the entrant with its network evaluated by another back end. It
// reports false if the player does not search with a network of its own.
func (e *Entrant) On(n *eval.Network) (*Entrant, bool) {
	if n == e.Network {
		return e, true
	}
	searcher, ok := e.Player.(*Searcher)
	if !ok {
		return nil, false
	}
	other, moved := *searcher, *e
	other.Backend = n.Backend
	moved.Player, moved.Network = &other, n
	return &moved, true
}

// Parse returns the player that text names. The error is one line that says what
// is wrong and what is allowed.
func (n *Names) Parse(text string) (*Entrant, error) {
	name, rest, _ := strings.Cut(text, ":")
	for i := range kinds {
		if kinds[i].name == name {
			return kinds[i].read(n, text, rest)
		}
	}
	if path, options, ok := cutPath(text); ok {
		return networkKind.read(n, text, quoted.Add(path)+options)
	}
	var all []string
	for _, k := range kinds {
		all = append(all, k.name)
	}
	hint := nearest.Hint(name, all)
	if kind, options, _ := strings.Cut(text, ","); slices.Contains(all, kind) && strings.Contains(options, "=") {
		hint = fmt.Sprintf("; did you mean %q?", kind+":"+options)
	} else if rest != "" && durable.IsDir(name) {
		hint = fmt.Sprintf("; did you mean %q?", name+","+rest)
	}
	return nil, fmt.Errorf("there is no player %q%s (players: %s, the directory of a run, or the path of a network, which ends in %s)",
		text, hint, strings.Join(all, ", "), netSuffix)
}

// NetworkName returns the name of the player with the network at a path, which may
// have any characters.
func NetworkName(path string) string { return networkKind.name + ":" + quoted.Add(path) }

// cutPath cuts the path of a network or a run, with which text begins, from the options
// that follow. Without quotes the path ends at the first .safetensors before a comma or the
// end, or is a directory and ends at the first comma.
func cutPath(text string) (path, options string, ok bool) {
	if strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "'") {
		parts, err := quoted.Split(text, ",")
		if err != nil {
			return "", "", false
		}
		path = quoted.Remove(parts[0])
		return path, text[len(parts[0]):], strings.HasSuffix(path, netSuffix) || durable.IsDir(path)
	}
	if path, _, _ := strings.Cut(text, ","); durable.IsDir(path) {
		return path, text[len(path):], true
	}
	for i := 0; ; {
		next := strings.Index(text[i:], netSuffix)
		if next < 0 {
			return "", "", false
		}
		if i += next + len(netSuffix); i == len(text) || text[i] == ',' {
			return text[:i], text[i:], true
		}
	}
}

// read returns the player that text names; rest is what follows the name of the
// kind.
func (k *kind) read(n *Names, text, rest string) (*Entrant, error) {
	if k.parse != nil {
		return k.parse(rest)
	}
	given, err := quoted.Split(rest, ",")
	if err != nil {
		return nil, fmt.Errorf("the player %s: %w", k.name, err)
	}
	argument := ""
	if k.argument != "" {
		if argument, given = quoted.Remove(given[0]), given[1:]; argument == "" {
			return nil, fmt.Errorf("the player %q lacks its %s, as in %s", text, k.argument, k.usage)
		}
	} else if rest == "" {
		given = nil
	}
	var words []string
	for _, word := range given {
		if word == "" {
			return nil, fmt.Errorf("the player %q has an empty option: leave out the comma", text)
		}
		key, value, ok := strings.Cut(word, "=")
		if value = quoted.Remove(value); !ok || value == "" {
			return nil, fmt.Errorf("the option %q of the player %s has no value: write %s=VALUE", key, k.name, key)
		}
		words = append(words, canonical(key+"="+value))
	}
	o := k.options(n)
	err = set(words, o)
	if network, ok := o.(*networkOptions); ok && err == nil && network.Level != "" {
		level, unknown := ParseLevel(network.Level)
		if unknown != nil {
			return nil, fmt.Errorf("the player %s: level: %w", k.name, unknown)
		}
		network.SearchSettings = level.Over(n.Search)
		err = set(words, o) // what is given counts more than the level
	}
	if err != nil {
		return nil, fmt.Errorf("the player %s: %w", k.name, err)
	}
	e, err := o.entrant(n, argument, given)
	if err != nil {
		return nil, err
	}
	if e.Identity == "" {
		e.Identity = e.Name()
	}
	if label := o.label(); label != "" && label != e.Name() {
		e.Player = labelled{e.Player, label}
	}
	return e, nil
}
