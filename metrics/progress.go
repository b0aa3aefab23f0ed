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

// A Status is what a long piece of work is doing right now.
type Status struct {
	Title  string        // "generation 12"
	Done   float64       // how much of Total is done, in whatever unit
	Total  float64       // 0 where nobody knows
	Left   time.Duration // the work's own estimate; 0: by the rate at which Done grows
	Counts []Value       // growing totals: games is shown as the rate games/s
	Values []Value       // shown as they are: mean game length, losses; most important first
}

// ProgressOptions are the knobs of [NewProgress]; the zero value is right for
// programs.
type ProgressOptions struct {
	Delay    time.Duration // nothing is shown of work that takes less; 0: 2 s
	Interval time.Duration // between log lines where there is no terminal; 0: 10 s
	Window   time.Duration // over which rates are measured; 0: 30 s

	// For tests. Now is the clock. Width is the number of columns of the terminal,
	// 0 for no terminal.
	Now   func() time.Time
	Width func() int
}

// frame is the shortest time between two drawings of the bar.
const frame = 200 * time.Millisecond

// Progress shows a [Status] to people. On a terminal it is a bar with a line of
// figures, redrawn in place; elsewhere it is a log line every now and then, so
// that a log file or a service's journal stays readable. It is never both, and
// work of less than two seconds shows nothing. Progress may be used from several
// goroutines. It is worth no failed run: errors of the output are ignored.
type Progress struct {
	mu      sync.Mutex
	out     io.Writer
	options ProgressOptions
	bar     *bar         // nil where there is no terminal
	lines   slog.Handler // writes to out, held by mu
	logger  *slog.Logger // writes through above
	start   time.Time    // first Update; zero before
	shown   time.Time    // last line or drawing; zero before
	pending bool         // the latest status has not been shown
	closed  bool
	status  Status
	done    *Rate
	rates   map[string]*Rate
}

// NewProgress returns a progress that writes to out, usually [os.Stderr], and
// finds out whether that is a terminal. Close it when the work ends.
func NewProgress(out io.Writer, options ProgressOptions) *Progress {
	setDefault(&options.Delay, 2*time.Second)
	setDefault(&options.Interval, 10*time.Second)
	setDefault(&options.Window, 30*time.Second)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Width == nil {
		options.Width = terminalWidth(out)
	}
	p := &Progress{out: out, options: options, done: NewRate(options.Window), rates: map[string]*Rate{}}
	format := &slog.HandlerOptions{ReplaceAttr: p.plainAttr}
	if options.Width() > 0 {
		p.bar = newBar(options.Width)
		format.ReplaceAttr = p.terminalAttr
	}
	p.lines = slog.NewTextHandler(out, format)
	p.logger = slog.New(slog.NewTextHandler(above{p}, format))
	return p
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d == 0 {
		*d = value
	}
}

// terminalWidth returns a function for the columns of out's terminal: it can be
// resized at any time.
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

// Update says what the work is doing now. It is cheap enough to call every few
// milliseconds; it draws no more often than people can see.
func (p *Progress) Update(s Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	now := p.options.Now()
	if p.start.IsZero() {
		p.start = now
	}
	if s.Total != p.status.Total {
		p.done = NewRate(p.options.Window) // another piece of work
	}
	s.Counts, s.Values = slices.Clone(s.Counts), slices.Clone(s.Values) // kept until the next Update
	p.status, p.pending = s, true
	p.done.Add(now, s.Done)
	for _, c := range s.Counts {
		r := p.rates[c.Name]
		if r == nil {
			r = NewRate(p.options.Window)
			p.rates[c.Name] = r
		}
		r.Add(now, c.Value)
	}
	every := p.options.Interval
	if p.bar != nil {
		every = frame
	}
	if now.Sub(p.start) >= p.options.Delay && (p.shown.IsZero() || now.Sub(p.shown) >= every) {
		p.show(now)
	}
}

// Every calls status now and then and shows what it says, until stop is called.
func (p *Progress) Every(status func() Status) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(frame)
		defer tick.Stop()
		for {
			p.Update(status())
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// show draws the bar, or writes a line.
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

// A figure is one number as people read it. Its name is a value's, timeLeft, or a
// count's with perSecond behind it.
type figure struct{ name, text string }

const (
	timeLeft  = "left"
	perSecond = "/s"
)

// figures are the time left, the rates and the values, in this order.
func (p *Progress) figures() []figure {
	var list []figure
	left, known := p.status.Left, p.status.Left > 0
	if !known && p.status.Total > 0 {
		left, known = p.done.Left(p.status.Total)
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

// Logger returns a logger for what happens meanwhile: milestones, warnings. On
// a terminal its lines appear above the bar; a program that has a Progress logs
// through nothing else on the same output. It works before the first Update and
// after Close too.
func (p *Progress) Logger() *slog.Logger { return p.logger }

// Close shows the last status, if any was shown at all or the work took long
// enough, and leaves the cursor on a line of its own.
func (p *Progress) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	now := p.options.Now()
	long := !p.start.IsZero() && now.Sub(p.start) >= p.options.Delay
	if p.pending && (long || !p.shown.IsZero()) {
		p.show(now)
	}
	if p.bar != nil && !p.shown.IsZero() {
		io.WriteString(p.out, "\n")
	}
	return nil
}

// above writes whole lines where the bar is and draws the bar anew beneath them.
type above struct{ p *Progress }

func (a above) Write(line []byte) (int, error) {
	p := a.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil || p.shown.IsZero() || p.closed {
		return p.out.Write(line)
	}
	p.out.Write(p.bar.clear())
	n, err := p.out.Write(line)
	p.show(p.options.Now())
	return n, err
}

// plainAttr puts the clock's time on log lines, which slog takes from time.Now.
func (p *Progress) plainAttr(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		a.Value = slog.TimeValue(p.options.Now())
	}
	return a
}

// terminalAttr shortens log lines for people: the time of day, no level where it
// is the usual one.
func (p *Progress) terminalAttr(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch {
	case a.Key == slog.TimeKey:
		a.Value = slog.StringValue(p.options.Now().Format(time.TimeOnly))
	case a.Key == slog.LevelKey && a.Value.Any() == slog.LevelInfo:
		return slog.Attr{}
	}
	return a
}
