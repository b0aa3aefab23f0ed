package data

// These are the functions of package datatest, which the tests in this package cannot import, because it
// imports this package.
var (
	randomRecord  func(number uint64, limit int) *Record
	randomRecords func(first, n uint64, limit int) []*Record
)

func SetRandom(record func(uint64, int) *Record, records func(uint64, uint64, int) []*Record) {
	randomRecord, randomRecords = record, records
}
