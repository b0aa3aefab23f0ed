package metrics

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

func TestRate(t *testing.T) {
	start := time.Unix(1e9, 0)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * 1e9)) }
	r := NewRate(10 * time.Second)
	check := func(what string, want float64) {
		t.Helper()
		if got := r.PerSecond(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g a second, want %g", what, got, want)
		}
	}
	check("nothing yet", 0)
	r.Add(at(0), 100)
	check("one sample", 0)
	r.Add(at(0), 100)
	check("no time passed", 0)
	r.Add(at(2), 104)
	check("two samples", 2)
	for s := 3.0; s <= 60; s++ {
		r.Add(at(s), 104+5*(s-2))
	}
	check("the slow start has left the window", 5)
	r.Add(at(65), 394)
	check("standing still for half of the window", 2.5)
	r.Add(at(100), 394)
	check("standing still", 0)
	r.Add(at(101), 3)
	check("a falling total starts again", 0)
	r.Add(at(102), 10)
	check("and continues", 7)
	if left, ok := r.Left(80); !ok || left != 10*time.Second {
		t.Errorf("left %v, %v; want 10s", left, ok)
	}
	if left, ok := r.Left(0); !ok || left != 0 {
		t.Errorf("goal behind: left %v, %v; want 0", left, ok)
	}
	if _, ok := NewRate(time.Second).Left(1); ok {
		t.Error("an empty rate gave an estimate")
	}
	for i := range 100_000 {
		r.Add(at(103+float64(i)/1000), float64(10+i))
	}
	if math.Abs(r.PerSecond()-1000) > 1 || cap(r.samples) > 4*rateSamples {
		t.Errorf("%g a second from %d samples, want 1000 from few", r.PerSecond(), cap(r.samples))
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1: "1.00", 9.996: "10.0", 99.96: "100", 999.4: "999", 999.6: "1.00k", 1234: "1.23k", -45678: "-45.7k",
		1e6: "1.00M", 2.5e9: "2.50G", 1e12: "1000G", 0.0312: "0.0312", 0.5: "0.500", 0.000123: "0.000123", 1.23e-7: "1.23e-07",
		math.Inf(1): "+Inf", 1e300: "1e+291G"} {
		if got := short(x); got != want {
			t.Errorf("short(%g) = %s, want %s", x, got, want)
		}
	}
	if got := short(math.NaN()); got != "NaN" {
		t.Errorf("short(NaN) = %s", got)
	}
	for d, want := range map[time.Duration]string{0: "0s", 59499 * time.Millisecond: "59s", time.Minute: "1m00s", 725 * time.Second: "12m05s",
		187 * time.Minute: "3h07m", 52 * time.Hour: "2d04h"} {
		if got := shortDuration(d); got != want {
			t.Errorf("shortDuration(%v) = %s, want %s", d, got, want)
		}
	}
}

// A stage is a Progress with a clock and a terminal that tests control.
type stage struct {
	*Progress
	out   bytes.Buffer
	now   time.Time
	width int
}

func newStage(width int) *stage {
	s := &stage{now: time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC), width: width}
	s.Progress = newProgress(&s.out, func() time.Time { return s.now }, func() int { return s.width })
	return s
}

// work simulates work for some seconds, with 2 games and 50 positions in each second.
func (s *stage) work(seconds int, total float64) {
	for i := range seconds {
		s.now = s.now.Add(time.Second)
		n := float64(i + 1)
		s.Update(Status{Title: "generation 12", Done: n, Total: total, Counts: []Value{{"games", 2 * n}, {"positions", 50 * n}},
			Values: []Value{{"length", 81.23}, {"loss/policy", 2.3456}, {"loss/value", 0.61}}})
	}
}

// screen returns the lines that a terminal shows after the output. A carriage return
// goes back to the start of the line, where new text covers the old text.
func screen(out string) []string {
	lines := [][]rune{nil}
	column := 0
	for _, c := range out {
		last := len(lines) - 1
		switch c {
		case '\r':
			column = 0
		case '\n':
			lines, column = append(lines, nil), 0
		default:
			for len(lines[last]) <= column {
				lines[last] = append(lines[last], ' ')
			}
			lines[last][column] = c
			column++
		}
	}
	var text []string
	for _, l := range lines {
		text = append(text, strings.TrimRight(string(l), " "))
	}
	return text
}

func TestProgressPlain(t *testing.T) {
	s := newStage(0)
	s.Logger().Info("resumed", "step", 3)
	s.work(14, 56)
	s.Logger().Warn("set aside", "shard", "x")
	s.Close()
	s.work(14, 56)
	want := `time=2026-11-21T01:02:03.000Z level=INFO msg=resumed step=3
time=2026-11-21T01:02:06.000Z level=INFO msg="generation 12" done=5% left=53s games/s=2.00 positions/s=50.0 length=81.2 loss/policy=2.35 loss/value=0.610
time=2026-11-21T01:02:16.000Z level=INFO msg="generation 12" done=23% left=43s games/s=2.00 positions/s=50.0 length=81.2 loss/policy=2.35 loss/value=0.610
time=2026-11-21T01:02:17.000Z level=WARN msg="set aside" shard=x
time=2026-11-21T01:02:17.000Z level=INFO msg="generation 12" done=25% left=42s games/s=2.00 positions/s=50.0 length=81.2 loss/policy=2.35 loss/value=0.610
`
	if got := s.out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is shown last is the status at the end, and not that of the tick before.
func TestEveryEndsWithTheLastStatus(t *testing.T) {
	s := newStage(0)
	s.work(3, 20)
	var games atomic.Int64
	games.Store(19)
	stop := s.Every(func() Status { return Status{Title: fmt.Sprintf("%d of 20 games", games.Load())} })
	games.Store(20)
	stop()
	s.Close()
	if lines := strings.Split(strings.TrimSpace(s.out.String()), "\n"); !strings.Contains(lines[len(lines)-1], "20 of 20 games") {
		t.Errorf("the last line is %s", lines[len(lines)-1])
	}
}

// TestProgressOwnEstimate checks that Status.Left takes precedence over the estimate
// from the rate, that a limit is kept, and that nothing is said if it is not known.
func TestProgressOwnEstimate(t *testing.T) {
	s := newStage(0)
	for range 4 {
		s.Update(Status{Title: "games", Done: 1, Total: 2, Left: 90 * time.Minute})
		s.now = s.now.Add(time.Second)
	}
	if got := s.out.String(); !strings.Contains(got, "done=50% left=1h30m") {
		t.Error(got)
	}
	for limit, want := range map[time.Duration]string{time.Minute: "left=1m00s", 2 * time.Hour: "left=1h30m"} {
		s = newStage(0)
		for range 4 {
			s.Update(Status{Title: "games", Done: 1, Total: 2, Left: 90 * time.Minute, Limit: limit})
			s.now = s.now.Add(time.Second)
		}
		if got := s.out.String(); !strings.Contains(got, want) {
			t.Errorf("at most %v: %s", limit, got)
		}
	}
	s = newStage(0)
	for i := range 4 {
		s.Update(Status{Title: "games", Done: float64(i), Total: 4, Left: -1})
		s.now = s.now.Add(time.Second)
	}
	if got := s.out.String(); !strings.Contains(got, "done=") || strings.Contains(got, "left") {
		t.Error(got)
	}
}

func TestProgressOnTerminal(t *testing.T) {
	s := newStage(140)
	s.Logger().Info("resumed", "step", 3)
	s.work(14, 56)
	figures := "generation 12  42s left  2.00 games/s  50.0 positions/s  length 81.2  loss/policy 2.35  loss/value 0.610"
	line := fmt.Sprintf("%-109s  25%% [====>...............]", figures)
	got := screen(s.out.String())
	if want := []string{"01:02:03 msg=resumed step=3", line}; fmt.Sprintf("%q", got) != fmt.Sprintf("%q", fixTime(want)) {
		t.Errorf("got  %q\nwant %q", got, fixTime(want))
	}
	s.Logger().Info("generation done", "step", 12)
	s.Logger().Warn("set aside", "shard", "x")
	s.Close()
	got = screen(s.out.String())
	want := fixTime([]string{"01:02:03 msg=resumed step=3", `01:02:17 msg="generation done" step=12`, `01:02:17 level=WARN msg="set aside" shard=x`, line, ""})
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// fixTime adds the key that slog writes before the time of day.
func fixTime(lines []string) []string {
	for i, l := range lines {
		if strings.HasPrefix(l, "01:") {
			lines[i] = "time=" + l
		}
	}
	return lines
}

// TestProgressFits checks that the line never reaches the last column at any width of
// the terminal, and that the bar survives resizing, ending and starting again. A narrow
// terminal gets no bar.
func TestProgressFits(t *testing.T) {
	for width := 1; width < 200; width++ {
		s := newStage(120)
		s.work(5, 50)
		s.width = width
		s.work(1, 50) // clears the line of the old width
		s.out.Reset()
		s.work(60, 50)
		s.work(5, 0)
		s.work(5, 50)
		drawings := strings.Split(s.out.String(), "\r")
		for _, d := range drawings {
			if n := utf8.RuneCountInString(d); n > width-1 {
				t.Fatalf("width %d: %d columns: %q", width, n, d)
			}
		}
		if width >= narrowest && len(drawings) < 70 {
			t.Errorf("width %d: only %d drawings", width, len(drawings))
		}
	}
}

// Results that go to the terminal of the bar are above it, too.
func TestAbove(t *testing.T) {
	s := newStage(80)
	results := s.Above(&s.out)
	fmt.Fprintln(results, "first")
	s.work(4, 40)
	fmt.Fprintln(results, "second")
	lines := screen(s.out.String())
	if len(lines) != 3 || lines[0] != "first" || lines[1] != "second" || !strings.HasPrefix(lines[2], "generation 12") {
		t.Errorf("the terminal shows %q", lines)
	}
}

func TestProgressUnknownTotal(t *testing.T) {
	s := newStage(60)
	s.work(5, 0)
	got := screen(s.out.String())
	if len(got) != 1 || !strings.Contains(got[0], "generation 12  2.00 games/s  50.0 positions/s") || strings.ContainsAny(got[0], "%[") {
		t.Errorf("got %q", got)
	}
}

func TestShortWorkShowsNothing(t *testing.T) {
	for _, width := range []int{0, 80} {
		s := newStage(width)
		s.work(2, 2) // one second after the first Update
		s.Close()
		if s.out.Len() > 0 {
			t.Errorf("width %d: %q", width, s.out.String())
		}
	}
}

func TestProgressDrawsSeldom(t *testing.T) {
	s := newStage(80)
	s.work(5, 1e6)
	s.out.Reset()
	for i := range 1000 {
		s.now = s.now.Add(time.Millisecond)
		s.Update(Status{Title: "t", Done: float64(i), Total: 1e6})
	}
	if n := strings.Count(s.out.String(), "%"); n != 5 {
		t.Errorf("%d drawings in a second, want 5", n)
	}
}
