package alphabeta

import (
	"testing"
	"unsafe"
)

func TestSizeOfTable(t *testing.T) {
	for _, test := range []struct{ megabytes, addressBits, want int }{
		{0, 64, 1 << 14}, {1, 64, 1 << 14}, {3, 64, 1 << 15}, {4096, 64, 1 << 26},
		{1, 32, 1 << 14}, {1000, 32, 1 << 23}, {4096, 32, 1 << 23},
	} {
		if got := bucketsIn(test.megabytes, test.addressBits); got != test.want {
			t.Errorf("%d MB with %d bits: %d buckets, want %d", test.megabytes, test.addressBits, got, test.want)
		}
	}
	if size := unsafe.Sizeof([4]entry{}); size != 64 {
		t.Errorf("a bucket has %d bytes, want 64", size)
	}
}
