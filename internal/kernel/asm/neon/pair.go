package main

// pair is two neighbouring vector registers, named by the first, with eight numbers of fp32. One
// instruction loads or stores both.
type pair vec

// pair returns a free pair.
func (f *file) pair() pair {
	for i, v := range f.vectors[:len(f.vectors)-1] {
		if f.vectors[i+1] == v+1 {
			f.vectors = append(f.vectors[:i:i], f.vectors[i+2:]...)
			return pair(v)
		}
	}
	panic("no pair of registers is free")
}

// twoPairs returns two free pairs that are neighbours.
func (f *file) twoPairs() (p, q pair) {
	for i, v := range f.vectors[:len(f.vectors)-3] {
		if f.vectors[i+3] == v+3 {
			f.vectors = append(f.vectors[:i:i], f.vectors[i+4:]...)
			return pair(v), pair(v + 2)
		}
	}
	panic("no four neighbours among the registers are free")
}

func (f *file) pairs(n int) []pair {
	all := make([]pair, n)
	for i := range all {
		all[i] = f.pair()
	}
	return all
}

func (f *file) freePairs(all ...pair) {
	for _, p := range all {
		f.free(vec(p), vec(p+1))
	}
}

// each emits an instruction with three vectors for both vectors of pairs.
func (f *file) each(name string, d, n, m pair) {
	f.three(name, vec(d), vec(n), vec(m))
	f.three(name, vec(d+1), vec(n+1), vec(m+1))
}

// eachBy is like each, but m is one vector.
func (f *file) eachBy(name string, d, n pair, m vec) {
	f.three(name, vec(d), vec(n), m)
	f.three(name, vec(d+1), vec(n+1), m)
}

// eachLane is like each, but with a lane of m.
func (f *file) eachLane(name string, d, n pair, m vec, lane int) {
	f.byLane(name, vec(d), vec(n), m, lane)
	f.byLane(name, vec(d+1), vec(n+1), m, lane)
}

// eachOf emits an instruction with two vectors for both vectors of pairs.
func (f *file) eachOf(name string, d, n pair) {
	f.two(name, vec(d), vec(n))
	f.two(name, vec(d+1), vec(n+1))
}

// narrow rounds the eight numbers of a pair to the 16 bits of the eight lanes of its first register,
// limited to these.
func (f *file) narrow(p pair) {
	f.eachOf("fcvtns", p, p)
	f.two("sqxtn", vec(p), vec(p))
	f.two("sqxtn2", vec(p), vec(p+1))
}

func (f *file) storeWholeStep(p pair, at, step general) {
	f.line("VST1.P [V%d.H8], (%v)(%v)", p, at, step)
}
