package metrics

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"
)

// A Status describes a long piece of work while it is running.
type Status struct {
	Title  string        // such as "generation 12"
	Done   float64       // amount of work done, in any unit
	Total  float64       // total amount of work in the same unit; 0 if unknown
	Left   time.Duration // estimated time left; 0 to estimate it from the growth of Done, below 0 if it is not known
	Limit  time.Duration // the most time that is left; 0 if there is no such limit
	Counts []Value       // growing totals, shown as rates: games is shown as games/s
	Values []Value       // shown unchanged, most important first: mean game length, losses
}

const (
	delay    = 2 * time.Second        // work that takes less time shows nothing
	interval = 10 * time.Second       // between log lines if there is no terminal
	window   = 30 * time.Second       // over which rates are measured
	frame    = 200 * time.Millisecond // the shortest time between two drawings of the bar
)

// Progress shows a [Status] to people. On a terminal it draws a bar with a line of
// figures in place. Elsewhere it writes a log line from time to time, so that a log
// file or the journal of a service stays readable. Work that takes less than
// two seconds shows nothing. Progress may be used from several goroutines.
// Output errors never fail the run: they are ignored.
type Progress struct {
	mu      sync.Mutex
	out     io.Writer
	now     func() time.Time
	bar     *bar         // nil if there is no terminal
	lines   slog.Handler // writes to out; used while mu is held
	logger  *slog.Logger // writes through Above
	start   time.Time    // time of the first Update; zero before it
	shown   time.Time    // time of the last line or drawing; zero before the first
	pending bool         // the latest status has not been shown yet
	closed  bool
	status  Status
	done    *Rate
	rates   map[string]*Rate
}

// NewProgress returns a Progress that writes to out, usually [os.Stderr]. It detects
// whether out is a terminal. The caller must close it when the work ends.
func NewProgress(out io.Writer) *Progress { return newProgress(out, time.Now, terminalWidth(out)) }

// OnTerminal is for tests: it returns a Progress that takes out for a terminal of 80 columns, and whose clock makes it
// draw the bar at every Update after the first.
func OnTerminal(out io.Writer) *Progress {
	now := time.Time{}
	return newProgress(out, func() time.Time { now = now.Add(delay); return now }, func() int { return 80 })
}

// newProgress returns a Progress with a clock. The terminal has so many columns; 0 means that there is none.
func newProgress(out io.Writer, now func() time.Time, width func() int) *Progress {
	p := &Progress{out: out, now: now, done: NewRate(window), rates: map[string]*Rate{}}
	format := &slog.HandlerOptions{ReplaceAttr: p.plainAttr}
	if width() > 0 {
		p.bar = newBar(width)
		format.ReplaceAttr = p.terminalAttr
	}
	p.lines = slog.NewTextHandler(out, format)
	p.logger = slog.New(slog.NewTextHandler(p.Above(out), format))
	return p
}

// terminalWidth returns a function that returns the current number of columns of the
// terminal out, or 0 if out is not a terminal.
func terminalWidth(out io.Writer) func() int {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return func() int { return 0 }
	}
	return func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 {
			return 80
		}
		return width
	}
}

// Update sets the current status. It may be called every few milliseconds, because it
// draws at most five times a second, and writes a log line only every
// ten seconds.
func (p *Progress) Update(s Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	now := p.now()
	if p.start.IsZero() {
		p.start = now
	}
	if s.Total != p.status.Total {
		p.done = NewRate(window) // another piece of work
	}
	s.Counts, s.Values = slices.Clone(s.Counts), slices.Clone(s.Values) // kept until the next Update
	p.status, p.pending = s, true
	p.done.Add(now, s.Done)
	for _, c := range s.Counts {
		r := p.rates[c.Name]
		if r == nil {
			r = NewRate(window)
			p.rates[c.Name] = r
		}
		r.Add(now, c.Value)
	}
	every := interval
	if p.bar != nil {
		every = frame
	}
	if now.Sub(p.start) >= delay && (p.shown.IsZero() || now.Sub(p.shown) >= every) {
		p.show(now)
	}
}

// Every calls status five times a second and shows the result, for the last time in stop.
func (p *Progress) Every(status func() Status) (stop func()) {
	show := func() { p.Update(status()) }
	show()
	end := Every(frame, show)
	return func() {
		end()
		show()
	}
}

// show draws the bar or writes a log line.
func (p *Progress) show(now time.Time) {
	p.shown, p.pending = now, false
	figures := p.figures()
	if p.bar != nil {
		p.out.Write(p.bar.draw(p.status, figures))
		return
	}
	record := slog.NewRecord(now, slog.LevelInfo, p.status.Title, 0)
	if p.status.Total > 0 {
		record.AddAttrs(slog.String("done", percent(p.status)))
	}
	for _, f := range figures {
		record.AddAttrs(slog.String(f.name, f.text))
	}
	p.lines.Handle(context.Background(), record)
}

// A figure is one formatted number. Its name is the name of a value, timeLeft, or the
// name of a count followed by perSecond.
type figure struct{ name, text string }

const (
	timeLeft  = "left"
	perSecond = "/s"
)

// figures returns the time left, the rates and the values, in this order.
func (p *Progress) figures() []figure {
	var list []figure
	left, known := p.status.Left, p.status.Left > 0
	if left == 0 && p.status.Total > 0 {
		left, known = p.done.Left(p.status.Total)
	}
	if limit := p.status.Limit; limit > 0 && (!known || left > limit) {
		left, known = limit, true
	}
	if known {
		list = append(list, figure{timeLeft, shortDuration(left)})
	}
	for _, c := range p.status.Counts {
		list = append(list, figure{c.Name + perSecond, short(p.rates[c.Name].PerSecond())})
	}
	for _, v := range p.status.Values {
		list = append(list, figure{v.Name, short(v.Value)})
	}
	return list
}

// Logger returns a logger for events during the work, such as milestones and warnings.
// On a terminal its lines appear above the bar. A program must not log to the same
// output in any other way. The logger also works before the first Update and after
// Close.
func (p *Progress) Logger() *slog.Logger { return p.logger }

// Close shows the last status if an earlier one was shown or if the work took at least
// two seconds. On a terminal it then moves the cursor to a new line. Close
// returns nil.
func (p *Progress) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	now := p.now()
	long := !p.start.IsZero() && now.Sub(p.start) >= delay
	if p.pending && (long || !p.shown.IsZero()) {
		p.show(now)
	}
	if p.bar != nil && !p.shown.IsZero() {
		io.WriteString(p.out, "\n")
	}
	return nil
}

// Above returns a writer to out, which may be the terminal that has the bar. Each write
// must be whole lines; on a terminal they appear above the bar.
func (p *Progress) Above(out io.Writer) io.Writer { return above{p, out} }

// above is a writer that puts whole lines in the place of the bar and redraws the bar
// below them.
type above struct {
	p   *Progress
	out io.Writer
}

func (a above) Write(line []byte) (int, error) {
	p := a.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil || p.shown.IsZero() || p.closed {
		return a.out.Write(line)
	}
	p.out.Write(p.bar.clear())
	n, err := a.out.Write(line)
	p.show(p.now())
	return n, err
}

// plainAttr replaces the time of log lines, which slog takes from time.Now, by the time
// of the clock.
func (p *Progress) plainAttr(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		a.Value = slog.TimeValue(p.now())
	}
	return a
}

// terminalAttr shortens log lines on a terminal: it reduces the time to the time of day
// and omits the level INFO.
func (p *Progress) terminalAttr(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch {
	case a.Key == slog.TimeKey:
		a.Value = slog.StringValue(p.now().Format(time.TimeOnly))
	case a.Key == slog.LevelKey && a.Value.Any() == slog.LevelInfo:
		return slog.Attr{}
	}
	return a
}
