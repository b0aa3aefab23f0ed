package train

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/observe"
	"warren/internal/selfplay"
	"warren/net"
)

// publisher saves the networks of a run. It gives each to self-play, unless the gatekeeper must test it
// first.
type publisher struct {
	dir      *Dir
	rules    []selfplay.Rules // of each stage, for the metadata
	keeper   bool             // whether there is a gatekeeper
	progress *progress
	training *training
	networks *networks
	reports  *reports
	log      *slog.Logger
}

// restore loads the network that plays, or one that takes its place.
func (p *publisher) restore() error {
	now := &p.progress.state
	network, meta, generation, damaged, err := p.dir.findNetwork(now)
	if err != nil {
		return err
	}
	if err := doWithout(damaged, p.log); err != nil {
		return err
	}
	missing := p.dir.Network(now.playing())
	if network == nil {
		if len(damaged) == 0 && (now.Rejected > 0 || now.Samples < now.Target) { // else it is the learner's
			p.log.Warn("the network that played last is missing; the learner's takes its place", "path", missing)
		}
		p.progress.set(func(s *state) { s.Rejected, s.Untested = 0, false })
		return p.publish()
	}
	if generation != now.playing() {
		p.log.Warn("the network that played last cannot be used; an older one takes its place", "path", missing, "generation", generation)
		p.progress.set(func(s *state) { s.Rejected = s.Generation - generation })
	}
	origin, err := device.Origin(p.dir.Network(generation), meta)
	if err != nil {
		return err
	}
	if err := p.networks.use(network, generation, origin.Stage); err != nil {
		return err
	}
	if !now.Untested {
		return nil
	}
	if network, err = p.training.Snapshot(); err != nil {
		return err
	}
	return p.save(network)
}

// findNetwork returns the network that played last, and its generation. If its file is missing or damaged, n is nil and
// the learner's network plays. A learner that grows is half trained: then the newest older network is returned.
func (d *Dir) findNetwork(at *state) (n *net.Network, meta map[string]string, generation int, damaged []damage, err error) {
	half, what, then := at.Samples < at.Grown, "the network that played last", "the learner's"
	if half {
		then = "an older one"
	}
	for generation = at.playing(); ; generation-- {
		path := d.Network(generation)
		n, meta, err = net.Load(path)
		switch {
		case err == nil:
			return n, meta, generation, damaged, nil
		case errors.Is(err, fs.ErrNotExist):
		case !isDamage(err):
			return nil, nil, 0, nil, fmt.Errorf("loading %s: %w", what, err)
		default:
			damaged = append(damaged, damage{path: path, err: err, then: "setting aside " + what + ", which is damaged; " + then + " takes its place"})
		}
		if !half {
			return nil, nil, generation, damaged, nil
		}
		if generation <= 1 { // generation 0 plays without a network
			return nil, nil, 0, nil, fmt.Errorf("the run has no network that plays while its larger one is trained: put a copy of %s back", d.Network(at.playing()))
		}
		what = "an older network"
	}
}

// publish saves the learner's network as that of the newest generation. It
// gives the network to self-play unless the gatekeeper must test it first.
func (p *publisher) publish() error {
	network, err := p.training.Snapshot()
	if err != nil {
		return err
	}
	if err := p.save(network); err != nil {
		return err
	}
	if p.progress.state.Untested {
		return nil
	}
	return p.networks.use(network, p.progress.state.Generation, p.progress.state.Stage)
}

// save saves the learner's network as that of the newest generation.
func (p *publisher) save(network *net.Network) error {
	now := &p.progress.state
	meta := map[string]string{
		"run":        p.dir.name,
		"generation": fmt.Sprint(now.Generation),
		"steps":      fmt.Sprint(now.Step),
		"samples":    fmt.Sprint(now.Samples),
		"games":      fmt.Sprint(now.Games),
		"settings":   p.rules[now.Stage].Settings,
	}
	if now.Stage > 0 {
		meta["stage"] = fmt.Sprint(now.Stage)
	}
	if !p.progress.schedule.synchronous() { // synchronous files do not depend on the clock
		meta["seconds"] = fmt.Sprintf("%.1f", p.progress.elapsed().Seconds())
	}
	path := p.dir.Network(now.Generation)
	if err := net.Save(path, network, meta); err != nil {
		return fmt.Errorf("publishing generation %d: %w", now.Generation, err)
	}
	p.reports.observe(p.published())
	return nil
}

// published describes the newest network.
func (p *publisher) published() *observe.Published {
	now := &p.progress.state
	return &observe.Published{Generation: now.Generation, Stage: now.Stage + 1, Stages: len(p.rules)}
}

// candidate marks the newest network as untested, if there is a gatekeeper and a
// trained network to compare it with.
func (p *publisher) candidate() {
	test := p.keeper && p.networks.Latest().Origin.Generation > 0
	p.progress.set(func(s *state) {
		if test {
			s.Untested = true
			s.Rejected++
		} else {
			s.Rejected = 0
		}
	})
}

// newest returns the newest network. While it waits for its test, another one plays.
func (p *publisher) newest() (*eval.Network, error) {
	if !p.progress.state.Untested {
		return p.networks.Latest(), nil
	}
	network, err := p.training.Snapshot()
	if err != nil {
		return nil, err
	}
	return p.networks.prepare(network, p.progress.state.Generation, p.progress.state.Stage)
}

// decide ends the test of the newest network, and gives it to self-play if it has passed.
func (p *publisher) decide(n *eval.Network, passed bool) error {
	p.progress.set(func(s *state) {
		s.Untested = false
		if passed {
			s.Rejected = 0
		}
	})
	if err := p.training.checkpoint(); err != nil {
		return err
	}
	if passed {
		p.networks.current.Store(n)
	}
	return nil
}
