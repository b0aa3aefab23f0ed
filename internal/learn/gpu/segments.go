package gpu

import (
	"slices"

	"warren/internal/compute/kernels/hopper"
)

// segment is a tile of 64 inputs and 64 outputs of a layer over some boards, which a group of threads of
// the kernel hopper.Outer computes.
type segment struct {
	layer, tile, part int
	first, boards     int
}

// fewest is the number of boards for which a group of threads is worth while.
const fewest = 3

// segments divides the boards of all layers among groups of threads, one for each multiprocessor of a
// large device, and returns the number of parts of each layer. It depends on shapes only, so that sums
// have the same order on every device.
//
// As many groups as the largest layer has tiles are a team. They work on the same boards at the same time,
// each on a tile, so that only one of them waits for the card's memory. A team's share is one range of all
// boards of all layers, because each part costs time.
func (j *jobs) segments(boards int) (groups [][]segment, parts []int) {
	size, total := 1, 0
	for _, l := range j.layers {
		tiles := l.count()
		size, total = max(size, min(tiles, units)), total+tiles*boards
	}
	teams := max(1, min(units/size, total/(size*fewest)))
	groups, parts = make([][]segment, teams*size), make([]int, len(j.layers))
	for team := range teams {
		begin, end := total*team/teams, total*(team+1)/teams
		for n, l := range j.layers {
			tiles := l.count()
			// board returns the board of the layer that is nearest to a place in all.
			board := func(at int) int { return min(max(0, (at+tiles/2)/tiles), boards) }
			first, last := board(begin), board(end)
			split := max(1, size/tiles) // of the boards, where there are more groups than tiles
			for s := range split {
				from, to := first+(last-first)*s/split, first+(last-first)*(s+1)/split
				if from == to {
					continue
				}
				for tile := range tiles {
					group := &groups[team*size+(s*tiles+tile)%size]
					*group = append(*group, segment{n, tile, parts[n], from, to - from})
				}
				parts[n]++
			}
			begin, end = begin-tiles*boards, end-tiles*boards
		}
	}
	return slices.DeleteFunc(groups, func(g []segment) bool { return len(g) == 0 }), parts
}

// count is the number of tiles.
func (l jobLayer) count() int {
	in, out := l.tiles()
	return in * out
}

// segmentTable returns the groups' segments, and where those of each group begin, and adds the sums of
// parts to those that follow. The first block is at a place.
func (j *jobs) segmentTable(m *mixed, block int) (all, firsts []int32) {
	blocks := make([]int, len(j.layers)) // of layers
	for n, l := range j.layers {
		blocks[n] = block
		m.add(l, j.counts[n], block)
		block += j.counts[n] * l.count() * int(j.taps)
	}
	firsts = append(firsts, 0)
	for _, group := range j.groups {
		for _, s := range group {
			l := j.layers[s.layer]
			_, outs := l.tiles()
			in, out := width(l.in)/8, width(l.out)/8 // of a square, in 8 channels
			i, o := s.tile/outs*8, s.tile%outs*8
			all = append(all, int32(l.xAt+s.first*64*in+i), int32(in), int32(min(8, in-i)), int32(l.gAt+s.first*64*out+o), int32(out), int32(min(8, out-o)),
				int32(s.boards), int32(blocks[s.layer]+(s.part*l.count()+s.tile)*int(j.taps)))
		}
		firsts = append(firsts, int32(len(all)/hopper.SegmentNumbers))
	}
	return all, firsts
}
