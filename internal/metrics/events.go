package metrics

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Events is a sink that writes a TensorBoard event file: a sequence of records in the
// TFRecord framing of TensorFlow. Each record is a serialized Event message
// (TensorFlow, core/util/event.proto and core/framework/summary.proto). Each point
// becomes one Event with one scalar summary, a 32-bit float, per value. Events may be
// used from several goroutines.
type Events struct {
	mu  sync.Mutex
	f   *os.File
	buf []byte // reused by Write
}

// Field numbers and enum values of event.proto and summary.proto.
const (
	eventWallTime    = 1 // double, seconds since 1970
	eventStep        = 2 // int64
	eventFileVersion = 3 // string
	eventSummary     = 5 // Summary
	eventSessionLog  = 7 // SessionLog

	summaryValue     = 1 // repeated Summary.Value
	valueTag         = 1 // string
	valueSimpleValue = 2 // float

	sessionStatus = 1 // enum
	sessionStart  = 1 // SessionLog.START

	fileVersion = "brain.Event:2"
)

// OpenEvents creates a new event file in the directory dir, which must exist. Each
// start of a run has its own file, and TensorBoard reads all of them as one run. Next
// is the first step that this start will write, 0 for a new run. If a run was killed,
// its files may contain later steps; the new file tells TensorBoard to drop the steps
// from next on.
func OpenEvents(dir string, now time.Time, next int64) (*Events, error) {
	f, err := createEvents(dir, now)
	if err != nil {
		return nil, fmt.Errorf("opening TensorBoard events: %w", err)
	}
	e := &Events{f: f}
	version := protowire.AppendTag(wallTime(now), eventFileVersion, protowire.BytesType)
	version = protowire.AppendString(version, fileVersion)

	status := protowire.AppendTag(nil, sessionStatus, protowire.VarintType)
	status = protowire.AppendVarint(status, sessionStart)
	start := protowire.AppendTag(eventHead(now, next), eventSessionLog, protowire.BytesType)
	start = protowire.AppendBytes(start, status)

	if err := e.write(appendRecord(appendRecord(nil, version), start)); err != nil {
		f.Close()
		return nil, err
	}
	return e, nil
}

// createEvents creates the file events.out.tfevents.SECONDS.HOST.N. TensorBoard
// requires "tfevents" in the name and reads the files of a run in the order of their
// names. N distinguishes starts within one second.
func createEvents(dir string, now time.Time) (*os.File, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	host = strings.Map(func(c rune) rune {
		if c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			return c
		}
		return '_'
	}, host)
	for n := 0; ; n++ {
		name := fmt.Sprintf("events.out.tfevents.%010d.%s.%d", now.Unix(), host, n)
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Write appends the point. When Write returns, the operating system has the data.
func (e *Events) Write(p Point) error {
	var summary []byte
	for _, v := range p.Values {
		value := protowire.AppendTag(nil, valueTag, protowire.BytesType)
		value = protowire.AppendString(value, strings.ToValidUTF8(v.Name, "?"))
		value = protowire.AppendTag(value, valueSimpleValue, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(v.Value)))
		summary = protowire.AppendTag(summary, summaryValue, protowire.BytesType)
		summary = protowire.AppendBytes(summary, value)
	}
	event := protowire.AppendTag(eventHead(p.Time, p.Step), eventSummary, protowire.BytesType)
	event = protowire.AppendBytes(event, summary)

	e.mu.Lock()
	defer e.mu.Unlock()
	e.buf = appendRecord(e.buf[:0], event)
	return e.write(e.buf)
}

func (e *Events) write(records []byte) error {
	if _, err := e.f.Write(records); err != nil {
		return fmt.Errorf("writing TensorBoard events: %w", err)
	}
	return nil
}

// Close syncs and closes the file.
func (e *Events) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := errors.Join(e.f.Sync(), e.f.Close()); err != nil {
		return fmt.Errorf("closing TensorBoard events: %w", err)
	}
	return nil
}

func wallTime(t time.Time) []byte {
	b := protowire.AppendTag(nil, eventWallTime, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, math.Float64bits(float64(t.UnixMicro())/1e6))
}

func eventHead(t time.Time, step int64) []byte {
	b := protowire.AppendTag(wallTime(t), eventStep, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(step))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC returns the CRC-32C of data, rotated and offset so that CRCs of data that
// itself contains CRCs remain reliable (TensorFlow, lib/hash/crc32c.h).
func maskedCRC(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// appendRecord appends data as a TFRecord: the length of the data as uint64, the
// masked CRC of the length, the data, and the masked CRC of the data. All numbers are
// little-endian.
func appendRecord(b, data []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = append(b, length...)
	b = binary.LittleEndian.AppendUint32(b, maskedCRC(length))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, maskedCRC(data))
}
