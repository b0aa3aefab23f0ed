package device

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/eval/evaltest"
	"warren/internal/nettest"
	"warren/net"
)

// add puts a device on the list for the length of a test.
func add(t *testing.T, name string, open func(*net.Network) (eval.Backend, error)) {
	before := devices
	t.Cleanup(func() { devices = before })
	devices = append(devices[:len(devices):len(devices)], before[0])
	last := &devices[len(devices)-1]
	last.name, last.open = name, open
}

func small(t *testing.T) *net.Network { return nettest.New(t, nettest.Small, 1) }

// evaluate evaluates the first position of a game.
func evaluate(n *eval.Network) error {
	s, err := n.Open(1)
	if err != nil {
		return err
	}
	defer s.Close()
	var b eval.Batch
	g := game.New()
	b.Add(g, g.Legal(nil))
	return eval.Evaluate(s, &b)
}

func TestChoiceGoesOnWithTheNextDevice(t *testing.T) {
	var broken error
	add(t, "fake", func(n *net.Network) (eval.Backend, error) {
		b, err := cpu.New(n)
		return &evaltest.Device{Backend: b, Name: "fake", Best: 4, Depth: 2, Fault: func(int) error { return broken }}, err
	})
	add(t, "none", func(*net.Network) (eval.Backend, error) { return nil, errors.New("no driver") })
	var log bytes.Buffer
	c := Choose("none, fake,cpu", slog.New(slog.NewTextHandler(&log, nil)))
	first, err := c.Play(small(t), eval.Origin{Generation: 3})
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Play(small(t), eval.Origin{Generation: 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := evaluate(second); err != nil || second.Attributes().Path != "fake" || !strings.Contains(log.String(), "none cannot be used any more: networks are evaluated on fake") {
		t.Fatalf("%v on %s, log %s", err, second.Attributes().Path, &log)
	}

	log.Reset()
	broken = fmt.Errorf("unplugged: %w", eval.ErrLost)
	lost := evaluate(second)
	for _, n := range []*eval.Network{second, first, second} {
		instead, err := c.Lost(n, lost)
		if err != nil {
			t.Fatal(err)
		}
		if err := evaluate(instead); err != nil || instead.Attributes().Device != "cpu" || instead.Origin != n.Origin || instead.Hash != n.Hash {
			t.Errorf("%v, %+v", err, instead)
		}
	}
	if one, two := must(c.Lost(first, lost)), must(c.Lost(first, lost)); one != two {
		t.Error("a network has two replacements")
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "unplugged: the device is lost") {
		t.Errorf("the log has %d lines: %s", n, &log)
	}
	third, err := c.Play(small(t), eval.Origin{})
	if err != nil || third.Attributes().Device != "cpu" {
		t.Errorf("a network after the loss is on %+v, %v", third, err)
	}

	broken = nil
	alone := Choose("fake", slog.New(slog.DiscardHandler))
	n := must(alone.Play(small(t), eval.Origin{}))
	_, err = alone.Lost(n, lost)
	if !errors.Is(err, eval.ErrLost) || !strings.Contains(err.Error(), `"fake,cpu"`) || strings.Contains(err.Error(), "\n") {
		t.Errorf("without another device: %v", err)
	}
}

// TestChoiceLeavesALostDeviceForEveryNetwork loses a device under a network that has other attributes
// than the one opened after it, as one of another size has.
func TestChoiceLeavesALostDeviceForEveryNetwork(t *testing.T) {
	best := 4
	add(t, "fake", func(n *net.Network) (eval.Backend, error) {
		b, err := cpu.New(n)
		return &evaltest.Device{Backend: b, Name: "fake", Best: best, Depth: 2}, err
	})
	c := Choose("fake,cpu", slog.New(slog.DiscardHandler))
	first := must(c.Play(small(t), eval.Origin{}))
	best = 8
	second := must(c.Play(small(t), eval.Origin{}))
	for _, n := range []*eval.Network{first, second} {
		if instead := must(c.Lost(n, eval.ErrLost)); instead.Attributes().Device != "cpu" {
			t.Errorf("a network of a lost device is on %s", instead.Attributes().Device)
		}
	}
}

func must(n *eval.Network, err error) *eval.Network {
	if err != nil {
		panic(err)
	}
	return n
}

func TestLists(t *testing.T) {
	add(t, "none", func(*net.Network) (eval.Backend, error) { return nil, errors.New("no driver") })
	for names, want := range map[string]string{
		"cpu": "", "none,cpu": "", " cpu , none": "", "auto": "", "": "",
		"none": "no driver", "none,cpi": "did you mean \"cpu\"", "cpu,": "there is no device \"\"", "none,none": "no driver; no driver",
	} {
		err := Check(names)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", names, err, want)
		}
	}
}

func TestCheckLearner(t *testing.T) {
	for names, want := range map[string]string{
		"cpu":               "",
		"opencl:99, cpu":    "",
		"opencl:99":         "opencl:99",
		"cpu, cpi":          `"cpi" is not a graphics processor`,
		"opencl:98,cuda:99": "; ",
		"amx":               `"amx" is not a graphics processor`,
	} {
		err := CheckLearner(names)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", names, err, want)
		}
	}
}
