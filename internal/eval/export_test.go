package eval

// Remembered returns the number of positions in a cache.
func Remembered(b Backend) int {
	c := b.(*cached)
	return len(c.young) + len(c.old)
}
