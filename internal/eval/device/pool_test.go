package device

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/eval/evaltest"
	"warren/net"
)

// member puts a device on the list that is lost when lost is set, and fails to open when it is set to 2.
func member(t *testing.T, name string) (d *evaltest.Device, lost *atomic.Int32) {
	d, lost = new(evaltest.Device), new(atomic.Int32)
	add(t, name, func(n *net.Network) (eval.Backend, error) {
		if lost.Load() == 2 {
			return nil, fmt.Errorf("%s is not there", name)
		}
		b, err := cpu.New(n)
		*d = evaltest.Device{Backend: b, Name: name, Path: "fake", Best: 4, Depth: 2, Fault: func(int) error {
			if lost.Load() > 0 {
				return fmt.Errorf("%s is unplugged: %w", name, eval.ErrLost)
			}
			return nil
		}}
		return d, err
	})
	return d, lost
}

// stress evaluates many positions with a network from several goroutines.
func stress(t *testing.T, n *eval.Network) error {
	t.Helper()
	var group sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		s, err := n.Open(4)
		if err != nil {
			return err
		}
		group.Go(func() {
			defer s.Close()
			for range 30 {
				var b eval.Batch
				for range 4 {
					g := game.New()
					b.Add(g, g.Legal(nil))
				}
				if errs[i] = eval.Evaluate(s, &b); errs[i] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// A pool uses all its devices. One that is lost while it evaluates leaves the others working, in a network
// that is open and in the next ones; then comes the next entry of the list.
func TestPool(t *testing.T) {
	one, _ := member(t, "one")
	two, lostTwo := member(t, "two")
	three, lostThree := member(t, "three")
	var log bytes.Buffer
	c := Choose("one + two+three,cpu", slog.New(slog.NewTextHandler(&log, nil)))
	n := must(c.Play(small(t), eval.Origin{}))
	if a := n.Attributes(); a.Device != "one+two+three" || a.Path != "fake" || a.Depth != 6 {
		t.Errorf("attributes are %+v", a)
	}
	if err := stress(t, n); err != nil || len(one.Sizes()) == 0 || len(two.Sizes()) == 0 || len(three.Sizes()) == 0 {
		t.Errorf("%v, batches of %v, %v and %v", err, one.Sizes(), two.Sizes(), three.Sizes())
	}

	also := must(c.Play(small(t), eval.Origin{}))
	lostTwo.Store(1)
	if err := errors.Join(stress(t, n), stress(t, also)); err != nil {
		t.Error(err)
	}
	if want := "two cannot be used any more: networks are evaluated on one+three from now on"; strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), want) {
		t.Errorf("the log is %s", &log)
	}
	log.Reset()
	if n := must(c.Play(small(t), eval.Origin{})); n.Attributes().Device != "one+three" || log.Len() > 0 {
		t.Errorf("the next network is on %s, log %s", n.Attributes().Device, &log)
	}

	lostThree.Store(2) // before a network is opened
	n = must(c.Play(small(t), eval.Origin{}))
	if n.Attributes().Device != "one" || !strings.Contains(log.String(), "three cannot be used any more: networks are evaluated on one from now on") {
		t.Errorf("the next network is on %s, log %s", n.Attributes().Device, &log)
	}
}

// Of a network whose devices nobody chooses, one report says that a device of several is lost.
func TestPoolReportsOnce(t *testing.T) {
	_, lostOne := member(t, "one")
	member(t, "two")
	var reports atomic.Int32
	n, err := play(small(t), eval.Origin{}, "one+two", func(name string, err error) {
		if reports.Add(1); name != "one" || !errors.Is(err, eval.ErrLost) {
			t.Errorf("%s is lost: %v", name, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	lostOne.Store(1)
	if err := stress(t, n); err != nil || reports.Load() != 1 {
		t.Errorf("%v, %d reports", err, reports.Load())
	}
}

// When all devices of a pool are lost, the network continues on the next entry of the list.
func TestPoolIsLost(t *testing.T) {
	_, lostOne := member(t, "one")
	_, lostTwo := member(t, "two")
	var log bytes.Buffer
	c := Choose("one+two,cpu", slog.New(slog.NewTextHandler(&log, nil)))
	n := must(c.Play(small(t), eval.Origin{}))
	lostOne.Store(1)
	lostTwo.Store(1)
	err := stress(t, n)
	if !errors.Is(err, eval.ErrLost) {
		t.Fatalf("got %v", err)
	}
	instead := must(c.Lost(n, err))
	if err := evaluate(instead); err != nil || instead.Attributes().Device != "cpu" {
		t.Errorf("%v on %s", err, instead.Attributes().Device)
	}
	if n := strings.Count(log.String(), "\n"); n != 2 || !strings.Contains(log.String(), "networks are evaluated on cpu from now on") {
		t.Errorf("the log is %s", &log)
	}
}

// A device of several that computes otherwise than the first, such as one that refuses a kernel, is left out.
func TestPoolOfTwoPaths(t *testing.T) {
	member(t, "one")
	add(t, "other", func(n *net.Network) (eval.Backend, error) {
		b, err := cpu.New(n)
		return &evaltest.Device{Backend: b, Name: "other", Path: "another", Depth: 2}, err
	})
	var log bytes.Buffer
	c := Choose("one+other", slog.New(slog.NewTextHandler(&log, nil)))
	if n := must(c.Play(small(t), eval.Origin{})); n.Attributes().Device != "one" || !strings.Contains(log.String(), "other cannot be used any more") {
		t.Errorf("the network is on %s, log %s", n.Attributes().Device, &log)
	}
}

func TestPoolsThatAreRefused(t *testing.T) {
	member(t, "one")
	_, gone := member(t, "gone")
	gone.Store(2)
	add(t, "other", func(n *net.Network) (eval.Backend, error) {
		b, err := cpu.New(n)
		return &evaltest.Device{Backend: b, Name: "other", Path: "another", Depth: 2}, err
	})
	for names, want := range map[string]string{
		"one+cpu":       "cpu cannot be one of several",
		"one+one":       "one is there twice",
		"one+other":     "computes on the path fake and other on another",
		"one+":          "there is no device \"\"",
		"one+tow":       "there is no device \"tow\"",
		"one+gone":      "gone is not there",
		"one+gone,cpu":  "",
		"one":           "",
		"one+gone,gone": "gone is not there; gone is not there",
	} {
		err := Check(names)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: got %v, want %q", names, err, want)
		}
	}
	if err := CheckLearner("cuda:0+cuda:1"); err == nil || !strings.Contains(err.Error(), "learning is on one device, such as cuda:0") {
		t.Errorf("learning on several devices: %v", err)
	}
}
