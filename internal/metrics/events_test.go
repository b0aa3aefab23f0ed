package metrics

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// An event is what the reader below reads from a record.
type event struct {
	wallTime float64
	step     int64
	version  string
	start    bool // whether it has a session log with the status START
	tags     []string
	values   []float32
}

// The reader implements the published formats of TensorFlow (TFRecord in
// core/lib/io/record_writer.h, event.proto, summary.proto) and the encoding of protocol
// buffers. It shares no code with the writer, not even the CRC.

// crc32c computes the CRC bit by bit (RFC 3720, B.4).
func crc32c(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0x82f63b78*(crc&1)
		}
	}
	return ^crc
}

func unmask(masked uint32) uint32 {
	rotated := masked - 0xa282ead8
	return rotated>>17 | rotated<<15
}

func readRecords(b []byte) (records [][]byte, err error) {
	for len(b) > 0 {
		if len(b) < 12 {
			return records, fmt.Errorf("incomplete header")
		}
		n := binary.LittleEndian.Uint64(b)
		if got := unmask(binary.LittleEndian.Uint32(b[8:])); got != crc32c(b[:8]) {
			return records, fmt.Errorf("the CRC of the length is %08x, want %08x", got, crc32c(b[:8]))
		}
		if uint64(len(b)) < 12+n+4 {
			return records, fmt.Errorf("incomplete record")
		}
		data := b[12 : 12+n]
		if got := unmask(binary.LittleEndian.Uint32(b[12+n:])); got != crc32c(data) {
			return records, fmt.Errorf("the CRC of the data is %08x, want %08x", got, crc32c(data))
		}
		records = append(records, data)
		b = b[12+n+4:]
	}
	return records, nil
}

// A wire is one field of a message: bytes for wire type 2, otherwise a number.
type wire struct {
	number, kind int
	value        uint64
	bytes        []byte
}

func message(t *testing.T, b []byte) (fields []wire) {
	t.Helper()
	varint := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			t.Fatalf("bad varint in % x", b)
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		key := varint()
		f := wire{number: int(key >> 3), kind: int(key & 7)}
		switch f.kind {
		case 0:
			f.value = varint()
		case 1:
			f.value, b = binary.LittleEndian.Uint64(b), b[8:]
		case 2:
			n := varint()
			f.bytes, b = b[:n], b[n:]
		case 5:
			f.value, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
		default:
			t.Fatalf("wire type %d", f.kind)
		}
		fields = append(fields, f)
	}
	return fields
}

func readEvents(t *testing.T, path string) (events []event) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := readRecords(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		var e event
		for _, f := range message(t, r) {
			switch [2]int{f.number, f.kind} {
			case [2]int{1, 1}:
				e.wallTime = math.Float64frombits(f.value)
			case [2]int{2, 0}:
				e.step = int64(f.value)
			case [2]int{3, 2}:
				e.version = string(f.bytes)
			case [2]int{5, 2}:
				for _, v := range message(t, f.bytes) {
					for _, g := range message(t, v.bytes) {
						switch [3]int{v.number, g.number, g.kind} {
						case [3]int{1, 1, 2}:
							e.tags = append(e.tags, string(g.bytes))
						case [3]int{1, 2, 5}:
							e.values = append(e.values, math.Float32frombits(uint32(g.value)))
						default:
							t.Fatalf("unknown summary field %+v", g)
						}
					}
				}
			case [2]int{7, 2}:
				log := message(t, f.bytes)
				e.start = len(log) == 1 && log[0].number == 1 && log[0].value == 1
			default:
				t.Fatalf("unknown event field %+v", f)
			}
		}
		events = append(events, e)
	}
	return events
}

func eventFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestEvents(t *testing.T) {
	dir := t.TempDir()
	started := time.Date(2026, 11, 21, 1, 2, 3, 500e6, time.UTC)
	e, err := OpenEvents(dir, started, 40)
	if err != nil {
		t.Fatal(err)
	}
	points := []Point{
		{Step: 40, Time: started.Add(time.Second), Values: []Value{{"loss/policy", 2.25}, {"loss/value", 1.0 / 3}}},
		{Step: -1, Time: started.Add(2 * time.Second)},
		{Step: 1 << 40, Time: started.Add(3 * time.Second), Values: []Value{{"näme\xff", math.Inf(1)}}},
	}
	for _, p := range points {
		if err := e.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	files := eventFiles(t, dir)
	if len(files) != 1 || !strings.HasPrefix(filepath.Base(files[0]), "events.out.tfevents.1795222923.") {
		t.Fatalf("files %v", files)
	}
	unix := float64(started.UnixMilli()) / 1000
	want := []event{
		{wallTime: unix, version: "brain.Event:2"},
		{wallTime: unix, step: 40, start: true},
		{wallTime: unix + 1, step: 40, tags: []string{"loss/policy", "loss/value"}, values: []float32{2.25, 1.0 / 3}},
		{wallTime: unix + 2, step: -1},
		{wallTime: unix + 3, step: 1 << 40, tags: []string{"näme?"}, values: []float32{float32(math.Inf(1))}},
	}
	got := readEvents(t, files[0])
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestEventsLikeTensorFlows compares the first record with that of a real file, which
// the documentation of TensorBoard's reader gives as an example of a file_version event
// (data/server/tf_record.rs).
func TestEventsLikeTensorFlows(t *testing.T) {
	want := []byte("\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22" +
		"\x09\x00\x00\x80\x38\x99\xd6\xd7\x41\x1a\x0dbrain.Event:2" + "\x12\x4b\x36\xab")
	seconds := math.Float64frombits(0x41d7d69938800000)
	dir := t.TempDir()
	e, err := OpenEvents(dir, time.UnixMicro(int64(seconds*1e6)), 0)
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	got, err := os.ReadFile(eventFiles(t, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(got, want) {
		t.Errorf("got  % x\nwant % x", got[:min(len(got), len(want))], want)
	}
}

// TestEventsOfManyStarts checks that every start has its own file and that the names of
// the files sort in the order of the starts.
func TestEventsOfManyStarts(t *testing.T) {
	dir := t.TempDir()
	now := time.Unix(999_999_999, 0)
	var order []string
	for _, at := range []time.Time{now, now, now.Add(time.Second)} {
		e, err := OpenEvents(dir, at, 0)
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, e.f.Name())
		e.Close()
	}
	if files := eventFiles(t, dir); !slices.Equal(files, order) || len(files) != 3 {
		t.Errorf("files %v, made in the order %v", files, order)
	}
	if _, err := OpenEvents(filepath.Join(dir, "missing"), now, 0); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a missing directory: %v", err)
	}
}

// TestReaderNoticesDamage checks that the reader of these tests detects every flipped
// bit of a record.
func TestReaderNoticesDamage(t *testing.T) {
	record := appendRecord(nil, []byte("some data"))
	for i := range 8 * len(record) {
		record[i/8] ^= 1 << (i % 8)
		if _, err := readRecords(record); err == nil {
			t.Errorf("the flipped bit %d was not detected", i)
		}
		record[i/8] ^= 1 << (i % 8)
	}
	if _, err := readRecords(record); err != nil {
		t.Error(err)
	}
}
