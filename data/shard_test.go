package data

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/durable"
)

// writeShard writes a shard with arrival number 0 and returns its path.
func writeShard(t testing.TB, dir string, records []*Record) string {
	t.Helper()
	return arrive(t, dir, 0, records).Path
}

func arrive(t testing.TB, dir string, arrival uint64, records []*Record) ShardInfo {
	t.Helper()
	info, err := WriteShard(dir, arrival, records)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// stored returns the records as read back from a shard.
func stored(records []*Record) []*Record {
	var with []*Record
	for _, r := range records {
		c := *r
		c.ID = r.Hash()
		with = append(with, &c)
	}
	return with
}

func readShard(path string) ([]*Record, error) {
	s, err := OpenShard(path)
	if err != nil {
		return nil, err
	}
	return collect(s)
}

func collect(s *Shard) ([]*Record, error) {
	var records []*Record
	for r, err := range s.Records() {
		if err != nil {
			return records, err
		}
		records = append(records, r)
	}
	return records, nil
}

func TestShardRoundTrip(t *testing.T) {
	unfinished := randomRecord(2, 70)
	unfinished.Result = game.Result{}
	for _, want := range [][]*Record{
		randomRecords(0, 1, 1),
		{unfinished},
		{goldenRecord()},
		randomRecords(99_999_990, 2*rowBatch+3, 0),
		randomRecords(5, rowBatch, 70),
	} {
		path := writeShard(t, t.TempDir(), want)
		if first := fmt.Sprintf("games-%08d-", want[0].Game); !strings.HasPrefix(filepath.Base(path), first) {
			t.Errorf("name of the shard is %s, want it to begin with %s", path, first)
		}
		got, err := readShard(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, stored(want)) {
			t.Errorf("%d records did not come back as they were written", len(want))
		}
		for _, r := range got {
			if err := r.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
}

// The same records make the same file, in any order and if some are repeated. The ID that a record
// has is stored, so records that are read and written again make the same file too.
func TestShardIsDeterministic(t *testing.T) {
	dir := t.TempDir()
	records := randomRecords(0, 20, 60)
	want := writeShard(t, dir, records)
	rng := rand.New(rand.NewPCG(1, 1))
	shuffled := append(slices.Clone(records), records[3], records[7])
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if got := writeShard(t, dir, shuffled); got != want {
		t.Errorf("written as %s and as %s", want, got)
	}
	read, err := readShard(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := writeShard(t, dir, read); got != want {
		t.Errorf("written as %s, read and written as %s", want, got)
	}
	if got := arrive(t, dir, 7, records).Path; got == want {
		t.Error("another arrival number makes the same file")
	}
}

func TestShardInfo(t *testing.T) {
	records := randomRecords(30, 12, 45)
	dir := t.TempDir()
	info := arrive(t, dir, 9, records)
	want := ShardInfo{Path: info.Path, Arrival: 9, First: 30, Last: 41, Games: 12, Positions: 12 * 44}
	if info != want {
		t.Errorf("written as %+v, want %+v", info, want)
	}
	x, err := Scan(dir, nil)
	if err != nil || len(x.Shards) != 1 || x.Shards[0] != want || x.Arrival != 9 {
		t.Errorf("scanned as %+v, %v", x, err)
	}
	s, err := OpenShard(info.Path)
	if err != nil || s.Version() != Version || s.Arrival() != 9 {
		t.Errorf("opened as %+v, %v", s, err)
	}
}

func TestWriteShardRefuses(t *testing.T) {
	dir := t.TempDir()
	bad := randomRecord(1, 60)
	bad.Turns++
	for _, records := range [][]*Record{nil, {randomRecord(0, 60), bad}} {
		if info, err := WriteShard(dir, 0, records); err == nil {
			t.Errorf("wrote %s", info.Path)
		}
	}
	if _, err := WriteShard(filepath.Join(dir, "missing"), 0, randomRecords(0, 1, 40)); err == nil {
		t.Error("wrote into a missing directory")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left %v", entries)
	}
}

func TestEveryFlippedBitIsNoticed(t *testing.T) {
	path := writeShard(t, t.TempDir(), randomRecords(0, 2, 45))
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(file) {
		file[i/8] ^= 1 << (i % 8)
		if _, err := newFile(path, file); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Fatalf("bit %d flipped: error is %v, want one that says damaged and names the file", i, err)
		}
		file[i/8] ^= 1 << (i % 8)
	}
	for n := range file {
		if _, err := newFile(path, file[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d bytes: error is %v", n, err)
		}
	}
	if _, err := newFile(path, append(file, 0)); !errors.Is(err, ErrDamaged) {
		t.Fatalf("with a byte appended: error is %v", err)
	}
	if _, err := newFile(path, file); err != nil {
		t.Fatalf("undamaged: %v", err)
	}
}

// named returns the shard name that matches the content b.
func named(b []byte) string { return fmt.Sprintf("games-00000000-%s.parquet", fileHash(b)) }

// underRace says that the test runs under the race detector.
var underRace = false

// A broken file whose name has the right hash gives an error or valid records, never a panic.
func TestBrokenParquetIsNoPanic(t *testing.T) {
	if underRace {
		t.Skip("the pointer checks that come with the race detector end the program where parquet-go would return an error")
	}
	file, err := os.ReadFile(writeShard(t, t.TempDir(), randomRecords(0, 2, 45)))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	noticed := 0
	const flips = 3000
	for range flips {
		b := bytes.Clone(file)
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		if readForged(t, b) != nil {
			noticed++
		}
	}
	if noticed < flips/3 {
		t.Errorf("%d of %d flips gave an error", noticed, flips)
	}
	for n := 0; n < len(file); n += 1 + n/20 {
		if readForged(t, file[:n]) == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
	}
}

// readForged reads b as a shard whose name has the right hash. Whatever b is, the result must be valid
// records, or an error in a line that says what is wrong and names the file.
func readForged(t *testing.T, b []byte) error {
	t.Helper()
	f, err := newFile(named(b), b)
	var s *Shard
	if err == nil {
		s, err = f.shard()
	}
	var records []*Record
	if err == nil {
		records, err = collect(s)
	}
	for _, r := range records {
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil && (!errors.Is(err, ErrDamaged) && !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), named(b)) || strings.Contains(err.Error(), "\n")) {
		t.Fatalf("error is %q, want one line that says what is wrong and names the file", err)
	}
	return err
}

func TestOpenShardRefusesNames(t *testing.T) {
	dir := t.TempDir()
	path := writeShard(t, dir, randomRecords(0, 1, 40))
	for _, name := range []string{"games.parquet", filepath.Base(path) + damagedSuffix, durable.TempPrefix + "00"} {
		renamed := filepath.Join(dir, name)
		if err := os.Link(path, renamed); err != nil {
			t.Skip(err)
		}
		if _, err := OpenShard(renamed); err == nil || errors.Is(err, ErrDamaged) {
			t.Errorf("%s: error is %v, want one about the name", name, err)
		}
	}
	if _, err := OpenShard(filepath.Join(dir, "games-00000000-0123456789abcdef.parquet")); !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrDamaged) {
		t.Errorf("missing file: %v", err)
	}
}

func TestScan(t *testing.T) {
	dir := t.TempDir()
	records := randomRecords(10, 30, 45)
	writeShard(t, dir, records[20:])
	writeShard(t, dir, records[:10])
	damaged := writeShard(t, dir, records[10:20])
	// Two games arrive a second time, in another shard, with one that is new.
	writeShard(t, dir, []*Record{records[0], records[25], randomRecord(50, 45)})
	// A writer was killed.
	os.WriteFile(filepath.Join(dir, durable.TempPrefix+"1"), []byte("PAR1"), 0o666)
	os.WriteFile(filepath.Join(dir, "notes.parquet"), nil, 0o666)

	file, _ := os.ReadFile(damaged)
	file[len(file)/2] ^= 4
	os.WriteFile(damaged, file, 0o666)

	var log bytes.Buffer
	seen, shards := 0, 0
	var harmed []error
	looked, err := Look(dir, slog.New(slog.NewTextHandler(&log, nil)), func(done, total int, why error) error {
		if done <= seen || done > total || total != 6 {
			t.Errorf("%d of %d are looked at, after %d", done, total, seen)
		}
		seen = done
		if shards++; why != nil {
			harmed = append(harmed, why)
		}
		return nil
	})
	if shards != 4 || len(harmed) != 1 || !errors.Is(harmed[0], ErrDamaged) {
		t.Errorf("looking reports %d shards, and damage %v", shards, harmed)
	}
	stop := errors.New("stop")
	if _, err := Look(dir, nil, func(int, int, error) error { return stop }); err != stop {
		t.Errorf("looking was stopped, and says %v", err)
	}
	if _, missing := os.Stat(damaged); err != nil || missing != nil || looked.Games != 21 || !strings.Contains(log.String(), damaged) {
		t.Errorf("looking gave %d games, %v; then the damaged shard: %v; log says %q", looked.Games, err, missing, log.String())
	}
	log.Reset()
	x, err := Scan(dir, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(x.Damaged, []string{damaged + ".damaged"}) || !strings.Contains(log.String(), damaged) {
		t.Errorf("damaged are %v, log says %q; want %s in both", x.Damaged, log.String(), damaged)
	}
	if _, err := os.Stat(damaged + ".damaged"); err != nil {
		t.Error(err)
	}
	if x.Games != 21 || x.Positions != 21*44 || x.Next() != 51 {
		t.Errorf("%d games with %d positions, next is %d; want 21, %d, 51", x.Games, x.Positions, x.Next(), 21*44)
	}
	for n := range uint64(60) {
		want := n >= 10 && n < 20 || n >= 30 && n < 40 || n == 50
		if x.Has(n) != want {
			t.Errorf("has game %d: %v", n, !want)
		}
	}
	var spans []string
	for _, s := range x.Shards {
		spans = append(spans, fmt.Sprintf("%d-%d:%d", s.First, s.Last, s.Games))
	}
	if got := slices.Sorted(slices.Values(spans)); !slices.Equal(got, []string{"10-19:10", "10-50:3", "30-39:10"}) {
		t.Errorf("shards are %v", got)
	}

	if err := durable.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	again, err := Scan(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	again.Damaged = x.Damaged
	if !reflect.DeepEqual(again, x) {
		t.Errorf("a second scan gives %+v, the first gave %+v", again, x)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left after sweeping: %v", left)
	}
}

func TestScanNothing(t *testing.T) {
	x, err := Scan(filepath.Join(t.TempDir(), "missing"), nil)
	if err != nil || x.Games != 0 || x.Next() != 0 || x.Has(0) {
		t.Errorf("index of a missing directory is %+v, %v", x, err)
	}
}
