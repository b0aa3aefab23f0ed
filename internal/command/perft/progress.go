package perft

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// patience is the duration of the work before its progress is shown.
const patience = 2 * time.Second

// progress shows the progress of a long piece of work on a terminal. It shows nothing if
// the output is not a terminal.
type progress struct {
	out  io.Writer // nil if the output is not a terminal
	bar  *progressbar.ProgressBar
	from time.Time
	done int64
	// shown is whether the bar is on the screen.
	shown bool
}

func newProgress(out io.Writer) *progress {
	if !isTerminal(out) {
		return &progress{}
	}
	return &progress{out: out}
}

// begin starts a new count up to total. If total is negative the end is unknown.
func (p *progress) begin(total int64, what string) {
	if p.out == nil {
		return
	}
	p.clear()
	p.done, p.from = 0, time.Now()
	p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription(what),
		progressbar.OptionSetRenderBlankState(false), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish())
}

// advance adds n to the count and, once the work has taken longer than patience, shows
// it.
func (p *progress) advance(n int64) {
	p.done += n
	if p.bar != nil && time.Since(p.from) > patience {
		p.bar.Set64(p.done)
		p.shown = true
	}
}

// clear removes the bar from the screen, so that something else can be written.
func (p *progress) clear() {
	if p.shown {
		p.bar.Clear()
		p.shown = false
	}
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
