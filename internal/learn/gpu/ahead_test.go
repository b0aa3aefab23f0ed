package gpu

import (
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/learn"
	"warren/internal/learn/learntest"
	"warren/internal/nettest"
	"warren/net"
)

// TestAhead makes the same steps with and without a batch ahead: the same losses and the same bits. A batch ahead may
// be invalid, or not be the one that follows, or its forward pass may be that of weights that change before its step.
func TestAhead(t *testing.T) {
	d := device(t)
	lessonOf := func(i int) *learn.Batch { return learntest.Lesson(small(), uint64(i), 3) }
	invalid := lessonOf(0)
	invalid.Targets[1].Values[2] = 2
	begun := nettest.Lively(t, small(), 1)
	run := func(step func(tr *Trainer, i int, b, next *learn.Batch) (learn.Losses, error)) (all []learn.Losses, end []net.Tensor) {
		tr := newTrainer(t, d, begun.Clone(), settingsOf(learn.Adam))
		first := state(t, tr)
		b := lessonOf(0)
		for i := range 9 {
			next := lessonOf(i + 1)
			l, err := step(tr, i, b, next)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, l)
			switch i {
			case 2:
				if l, err = tr.Measure(lessonOf(50)); err != nil {
					t.Fatal(err)
				}
				all = append(all, l)
			case 3:
				if _, err := tr.Step(invalid, 0.003); err == nil || !strings.Contains(err.Error(), "position 2: the target of value has 2") {
					t.Errorf("an invalid batch: %v", err)
				}
				if _, err := tr.Snapshot(); err != nil {
					t.Fatal(err)
				}
			case 5:
				if err := tr.Restore(first); err != nil {
					t.Fatal(err)
				}
			}
			b = next
		}
		for i := range 2 { // the batch is used again, with other numbers
			l, err := tr.Step(b, 0.003)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, l)
			*b = *lessonOf(80 + i)
		}
		return all, state(t, tr)
	}
	wantLosses, want := run(func(tr *Trainer, i int, b, next *learn.Batch) (learn.Losses, error) { return tr.Step(b, 0.003) })
	losses, got := run(func(tr *Trainer, i int, b, next *learn.Batch) (learn.Losses, error) {
		return tr.StepAhead(b, 0.003, func() *learn.Batch {
			switch i {
			case 0:
				return nil
			case 1:
				return invalid
			case 4:
				return lessonOf(70)
			}
			return next
		})
	})
	for i := range wantLosses {
		if !slices.Equal(losses[i], wantLosses[i]) {
			t.Errorf("losses %d are %+v, want %+v", i, losses[i], wantLosses[i])
		}
	}
	if !slices.EqualFunc(got, want, same) {
		t.Error("the state is another")
	}
}

// ordered is a device that notes when its queue launches, sends, and is waited for.
type ordered struct {
	compute.Device
	notes string
}

func (d *ordered) Open(p compute.Program) (compute.Context, error) {
	c, err := d.Device.Open(p)
	return &orderedContext{c, d}, err
}

type orderedContext struct {
	compute.Context
	d *ordered
}

func (c *orderedContext) Queue() (compute.Queue, error) {
	q, err := c.Context.Queue()
	return &orderedQueue{q, c.d}, err
}

type orderedQueue struct {
	compute.Queue
	d *ordered
}

func (q *orderedQueue) Launch(l ...compute.Launch) error {
	q.d.notes += "L"
	return q.Queue.Launch(l...)
}

func (q *orderedQueue) Write(dst compute.Buffer, src compute.Staging, bytes int) error {
	q.d.notes += "w"
	return q.Queue.Write(dst, src, bytes)
}

func (q *orderedQueue) Flush() (compute.Mark, error) {
	q.d.notes += "f"
	m, err := q.Queue.Flush()
	return orderedMark{m, q.d}, err
}

type orderedMark struct {
	compute.Mark
	d *ordered
}

func (m orderedMark) Wait() error {
	m.d.notes += "W"
	return m.Mark.Wait()
}

// TestAheadOverlaps looks at the order of a step's operations: everything of the next batch is in the queue before
// the host waits, and behind the mark that it waits for.
func TestAheadOverlaps(t *testing.T) {
	d := &ordered{Device: device(t)}
	tr := newTrainer(t, d, nettest.Lively(t, small(), 1), settingsOf(learn.Adam))
	b, next := learntest.Lesson(small(), 1, 3), learntest.Lesson(small(), 2, 3)
	for _, want := range []string{"wLwwLfwLwW", "wLfwLwW", "wLfwLwW"} {
		d.notes = ""
		if _, err := tr.StepAhead(b, 0.003, func() *learn.Batch { return next }); err != nil {
			t.Fatal(err)
		}
		if d.notes != want {
			t.Errorf("the operations are %s, want %s", d.notes, want)
		}
		b, next = next, b
	}
}
