package metrics

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
)

// A bar is one line on a terminal with a title, figures and a bar, redrawn in place.
// The line is always one column shorter than the terminal is wide. Hence it never
// wraps, and each drawing completely covers the one before.
type bar struct {
	width func() int
	buf   bytes.Buffer // the output of progressbar that draw returns

	bar     *progressbar.ProgressBar
	columns int  // width of the terminal when bar was made
	known   bool // whether bar was made for a known total
}

// narrowest is the width of the narrowest terminal that gets a bar: progressbar writes
// up to ten characters next to the description.
const narrowest = 11

// parts is the number of parts that the bar divides the work into.
const parts = 1000

func newBar(width func() int) *bar { return &bar{width: width} }

// draw returns the bytes to write to the terminal to show s.
func (b *bar) draw(s Status, figures []figure) []byte {
	b.buf.Reset()
	columns, known := b.width(), s.Total > 0
	if columns < narrowest {
		b.bar = nil
		return nil
	}
	saucer := 20
	if columns < 140 {
		saucer = 10
	}
	if columns < 40 {
		saucer = 0
	}
	done := int64(parts * fraction(s))
	// A progressbar cannot go back from full, nor change between a known and an unknown
	// total, so make a new one.
	if b.bar == nil || b.columns != columns || b.known != known || b.bar.IsFinished() && done < parts {
		b.clear()
		total := int64(parts)
		if !known {
			total = -1
		}
		b.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(&b.buf),
			progressbar.OptionSetWidth(saucer),
			progressbar.OptionSetTheme(progressbar.ThemeASCII),
			// The figures already contain the time left, measured over a window with a
			// clock that tests can set.
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			// The spinner turns when it is drawn, not in a goroutine.
			progressbar.OptionSetSpinnerChangeInterval(0),
			progressbar.OptionSpinnerType(9),
		)
		b.columns, b.known = columns, known
	}
	// Leave room for what progressbar adds to the description: " 43% [" bar "]  ", or
	// the spinner and three spaces.
	room := columns - 1 - saucer - 10
	if !known {
		room = columns - 1 - 4
	}
	before := b.buf.Len()
	if known {
		b.bar.Set64(done)
		b.buf.Truncate(before) // Describe draws the bar again
	}
	b.bar.Describe(describe(s.Title, figures, max(room, 0)))
	return b.buf.Bytes()
}

// clear returns the bytes to write to the terminal to clear the line.
func (b *bar) clear() []byte {
	if b.bar == nil {
		return nil
	}
	b.buf.Reset()
	b.buf.WriteString("\r" + strings.Repeat(" ", max(b.columns-1, 0)) + "\r")
	return b.buf.Bytes()
}

// describe returns the title followed by the first figures that fit, cut or padded to
// exactly room characters.
func describe(title string, figures []figure, room int) string {
	text := title
	if utf8.RuneCountInString(text) > room {
		text = string([]rune(text)[:room])
	}
	for _, f := range figures {
		part := "  " + f.name + " " + f.text
		if f.name == timeLeft || strings.HasSuffix(f.name, perSecond) {
			part = "  " + f.text + " " + f.name
		}
		if utf8.RuneCountInString(text+part) > room {
			break
		}
		text += part
	}
	return text + strings.Repeat(" ", room-utf8.RuneCountInString(text))
}

// fraction returns the part of the work that is done, 0 to 1.
func fraction(s Status) float64 {
	if !(s.Total > 0) || !(s.Done > 0) {
		return 0
	}
	return min(1, s.Done/s.Total)
}

func percent(s Status) string { return fmt.Sprintf("%d%%", int(100*fraction(s))) }

// short formats x with three significant digits and, from a thousand on, with k, M or G.
func short(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	unit := ""
	for _, larger := range []string{"k", "M", "G"} {
		if math.Abs(x) < 999.5 {
			break
		}
		x, unit = x/1000, larger
	}
	// Round first, because 9.996 becomes 10.0, with two digits before the point.
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	exponent := int(math.Floor(math.Log10(math.Abs(x))))
	if exponent < -4 || exponent > 5 {
		return strconv.FormatFloat(x, 'g', 3, 64) + unit
	}
	return strconv.FormatFloat(x, 'f', max(0, 2-exponent), 64) + unit
}

// shortDuration formats d with its two largest units: 45s, 12m05s, 3h07m, 2d04h.
func shortDuration(d time.Duration) string {
	seconds := int64(d.Round(time.Second) / time.Second)
	minutes, hours, days := seconds/60, seconds/3600, seconds/86400
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case minutes < 60:
		return fmt.Sprintf("%dm%02ds", minutes, seconds%60)
	case hours < 24:
		return fmt.Sprintf("%dh%02dm", hours, minutes%60)
	}
	return fmt.Sprintf("%dd%02dh", days, hours%24)
}
