package train

import (
	"errors"
	"fmt"
	"sync/atomic"

	"warren/internal/eval"
	"warren/net"
)

// networks prepares the networks of a run for play, and holds the one that new games play with.
type networks struct {
	dir     *Dir
	devices devices
	current atomic.Pointer[eval.Network]
	before  atomic.Pointer[eval.Network] // that which it has just replaced; nil once saturation was asked
}

// devices opens the networks of a run, and opens them again on another device when theirs is lost.
// It is a [device.Choice].
type devices interface {
	Play(n *net.Network, origin eval.Origin) (*eval.Network, error)
	Lost(n *eval.Network, err error) (*eval.Network, error)
}

// Latest returns the network that new games play with.
func (s *networks) Latest() *eval.Network { return s.current.Load() }

// use gives a network to self-play, whose games have the settings of a stage. Generation 0 plays without a
// network.
func (s *networks) use(n *net.Network, generation, stage int) error {
	if generation == 0 {
		s.current.Store(eval.Untrained())
		return nil
	}
	playable, err := s.prepare(n, generation, stage)
	if err != nil {
		return err
	}
	s.before.Store(s.current.Swap(playable))
	return nil
}

// saturation returns the saturation of the network that has played since the last call, nil if its numbers have
// no limit: the one that has just been replaced, since the new one has seen little more than the probe positions,
// or if none has, as when a gatekeeper is yet to test the new one, that which plays.
func (s *networks) saturation() *eval.Saturation {
	played := s.before.Swap(nil)
	if played == nil {
		played = s.Latest()
	}
	return played.Attributes().Saturation
}

// prepare prepares a network of this run for play.
func (s *networks) prepare(n *net.Network, generation, stage int) (*eval.Network, error) {
	origin := eval.Origin{Path: s.dir.Network(generation), Run: s.dir.name, Generation: generation, Stage: stage}
	return s.devices.Play(n, origin)
}

// lost returns a network on another device after its own has been lost. New games play
// there too.
func (s *networks) lost(n *eval.Network, err error) (*eval.Network, error) {
	instead, err := s.devices.Lost(n, err)
	if err != nil {
		return nil, fmt.Errorf("%w; finished games are saved, and the same command continues", err)
	}
	s.current.CompareAndSwap(n, instead)
	return instead, nil
}

// retry calls f, and again after each loss of the device if there is another one.
func (s *networks) retry(f func() error) error {
	for {
		n := s.Latest()
		err := f()
		if !errors.Is(err, eval.ErrLost) {
			return err
		}
		if _, err := s.lost(n, err); err != nil {
			return err
		}
	}
}
