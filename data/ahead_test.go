package data

import (
	"bytes"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// As many calls as there are cores run at once, and their results come in order.
func TestAhead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan bool)
		next := 0
		for i, square := range ahead(9, func(i int) int {
			switch i % 3 { // the first of three waits for the others
			case 0:
				<-begun
				<-begun
			default:
				begun <- true
			}
			return i * i
		}) {
			if i != next || square != i*i {
				t.Errorf("result %d is %d of %d", next, square, i)
			}
			next++
		}
		if next != 9 {
			t.Errorf("%d results", next)
		}
	})
}

// A loop that ends early leaves no call behind, and begins few for nothing.
func TestAheadEndsEarly(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	var begun, ended atomic.Int32
	for i := range ahead(100, func(int) bool { begun.Add(1); return ended.Add(1) > 0 }) {
		if i == 4 {
			break
		}
	}
	if b, e := begun.Load(), ended.Load(); b != 7 || e != 7 {
		t.Errorf("%d calls have begun and %d have ended, want 7", b, e)
	}
}

// A scan that takes long says how long it still takes.
func TestLongScan(t *testing.T) {
	dir := t.TempDir()
	records := randomRecords(0, 4, 45)
	for i := range records {
		writeShard(t, dir, records[i:i+1])
	}
	for lines, least := range []time.Duration{time.Hour, -1} {
		var log bytes.Buffer
		if _, err := scan(dir, slog.New(slog.NewTextHandler(&log, nil)), least, SetAside, nil); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "files=1 of=4 left="); n != lines || strings.Count(log.String(), "\n") != lines {
			t.Errorf("after %v the log says %q", least, log.String())
		}
	}
}
