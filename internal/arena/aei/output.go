package aei

import (
	"errors"
	"strings"
	"sync"
	"time"
)

// heard is a line from the engine.
type heard struct {
	kind, text string
	at         time.Time
}

// waiting is the number of answers that may wait to be read. A good engine has
// one at most.
const waiting = 256

// meter counts the bytes that an engine writes, and passes them on.
type meter struct {
	client *Client
	lines  *lineWriter
}

func (m *meter) Write(p []byte) (int, error) {
	c := m.client
	c.mu.Lock()
	c.budget -= int64(len(p))
	flood := c.budget < 0
	c.mu.Unlock()
	if flood {
		return 0, c.giveUp("the engine wrote more than %d bytes without being asked", c.limits.Output)
	}
	return m.lines.Write(p)
}

// giveUp kills the process because of a fault in its output.
func (c *Client) giveUp(format string, args ...any) error {
	c.fail(format, args...)
	c.end()
	return errors.New("the engine's output is at fault")
}

// hear acts on a line from the engine.
func (c *Client) hear(line string, tooLong bool) error {
	if tooLong {
		return c.giveUp("the engine wrote a line of more than %d bytes", maxLine)
	}
	kind, rest := message(line)
	switch kind {
	case "log":
		if strings.HasPrefix(rest, "Error") || strings.HasPrefix(rest, "Warning") {
			c.mu.Lock()
			c.logged = clip(rest)
			c.mu.Unlock()
		}
	case "protocol-version":
		c.mu.Lock()
		c.version = rest
		c.mu.Unlock()
	case "aeiok", "readyok", "bestmove": // nobody here wants info, or anything else
		select {
		case c.heard <- heard{kind, rest, time.Now()}:
		default:
			return c.giveUp("the engine wrote %d answers that nobody asked for", waiting)
		}
	}
	return nil
}

// clip shortens a text for a message.
func clip(text string) string {
	const most = 200
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.ToValidUTF8(text, "?")
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 2048

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailSize):]...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// last returns the last line that is not empty.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return clip(strings.TrimSpace(lines[len(lines)-1]))
}
