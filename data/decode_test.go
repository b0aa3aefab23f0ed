package data

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func encoded(t testing.TB, r *Record) []byte {
	t.Helper()
	b, err := r.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecodeIsTheInverseOfAppendBinary(t *testing.T) {
	for number := range uint64(40) {
		want := randomRecord(number, int(number)*3)
		b := encoded(t, want)
		var got Record
		if err := got.UnmarshalBinary(b); err != nil {
			t.Fatalf("record %d: %v", number, err)
		}
		if got.ID != want.Hash() {
			t.Errorf("record %d: its ID is %v, want %v", number, got.ID, want.Hash())
		}
		got.ID = Hash{}
		if !reflect.DeepEqual(&got, want) {
			t.Errorf("record %d is not what was encoded", number)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := encoded(t, randomRecord(3, 50))
	for i := range good {
		if err := new(Record).UnmarshalBinary(good[:i]); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted", i, len(good))
		}
	}
	if err := new(Record).UnmarshalBinary(append(good[:len(good):len(good)], 0)); err == nil {
		t.Error("a byte too many is accepted")
	}
	newer := strings.Replace(string(good), "warren record 5", "warren record 6", 1)
	if err := new(Record).UnmarshalBinary([]byte(newer)); !errors.Is(err, ErrFormat) {
		t.Errorf("another version: %v", err)
	}
}

// A length that the bytes cannot hold takes no memory.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("warren record 5\n"))
	f.Add(encoded(f, randomRecord(1, 40)))
	f.Add(append([]byte("warren record 5\n"), 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Record
		if r.UnmarshalBinary(b) != nil {
			return
		}
		r.ID = Hash{}
		if again := encoded(t, &r); string(again) != string(b) {
			t.Error("the record is encoded in another way")
		}
		_ = r.Validate()
	})
}
