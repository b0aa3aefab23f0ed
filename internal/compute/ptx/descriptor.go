package ptx

import "fmt"

// units calls f for each 16 bytes of an operand of rows x 32 bytes that a matrix descriptor
// without swizzle describes. A core matrix is 8 such units, which lie one behind the other.
//
// If the index of the sum is the fast one (K-major), a unit is half of a row: f gets the row and the
// half. Core matrices that follow in rows are the stride offset apart, the two halves the leading
// offset. Otherwise (MN-major, of 16-bit numbers) a unit is 8 rows at one index of the sum: f gets
// the first row and the index. Blocks of 8 rows are the stride offset apart, and the two halves of
// the indices the leading offset.
func units(descriptor uint64, rows int, across bool, f func(address uint64, row, k int) error) error {
	if descriptor>>62 != 0 || descriptor>>49&7 != 0 {
		return fmt.Errorf("the descriptor %#x has a swizzle or a base offset, which are not known", descriptor)
	}
	start := descriptor & 0x3fff << 4
	leading, stride := descriptor>>16&0x3fff<<4, descriptor>>32&0x3fff<<4
	for block := range rows / 8 {
		for half := range 2 {
			at := start + uint64(block)*stride + uint64(half)*leading
			for i := range 8 {
				row, k := 8*block+i, half
				if across {
					row, k = 8*block, 8*half+i
				}
				if err := f(at+16*uint64(i), row, k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// operand reads an operand of 16-bit numbers as rows of 16.
func (w *warp) operand(descriptor uint64, rows int, across bool, t typ) [][16]float32 {
	all := make([][16]float32, rows)
	s := w.block.shared
	units(descriptor, rows, across, func(address uint64, row, k int) error {
		bytes, err := s.at(address, 16, 16)
		if err != nil {
			return err // checkOperands has found it
		}
		for i := range 8 {
			v := float32(t.value(get(bytes[2*i:], 2)))
			if across {
				all[row+i][k] = v
			} else {
				all[row][8*k+i] = v
			}
		}
		return nil
	})
	return all
}

// wholeOperand reads an operand of 8-bit numbers as rows of 32.
func (w *warp) wholeOperand(descriptor uint64, rows int, t typ) [][32]int32 {
	all := make([][32]int32, rows)
	s := w.block.shared
	units(descriptor, rows, false, func(address uint64, row, k int) error {
		bytes, err := s.at(address, 16, 16)
		if err != nil {
			return err
		}
		for i := range 16 {
			all[row][16*k+i] = int32(t.extend(uint64(bytes[i])))
		}
		return nil
	})
	return all
}

// execute multiplies, for all four warps. A thread has rows lane/4 and 8 more of the 16 rows of its
// warp, and two neighbouring columns of each 8.
func (w *warp) execute(m *multiplication) {
	p := m.product
	if p.types[0] == s32 {
		w.executeWhole(m)
		return
	}
	var a [][16]float32
	if p.a == nil {
		a = w.operand(m.a, 64, p.across[0], p.types[1])
	} else {
		a = w.registerOperand(p)
	}
	b := w.operand(m.b, p.n, p.across[1], p.types[2])
	w.eachResult(p, func(row, column int, d *uint64) {
		sum := float32(0)
		if m.add {
			sum = float32(f32.value(*d))
		}
		x, y := &a[row], &b[column]
		for i := range x {
			sum += float32(x[i] * y[i])
		}
		*d = uint64(single(sum))
	})
}

func (w *warp) executeWhole(m *multiplication) {
	p := m.product
	a, b := w.wholeOperand(m.a, 64, p.types[1]), w.wholeOperand(m.b, p.n, p.types[2])
	w.eachResult(p, func(row, column int, d *uint64) {
		sum := int32(0)
		if m.add {
			sum = int32(*d)
		}
		for i, x := range a[row] {
			sum += x * b[column][i]
		}
		*d = uint64(uint32(sum))
	})
}

// eachResult calls f for each element of the result with its place in the registers.
func (w *warp) eachResult(p *product, f func(row, column int, d *uint64)) {
	for i := range 4 {
		registers := w.block.warps[w.number&^3+i].registers
		for j, r := range p.d {
			values := &registers[r]
			for lane := range values {
				f(16*i+lane/4+j&2*4, j/4*8+lane%4*2+j&1, &values[lane])
			}
		}
	}
}

// registerOperand returns a as rows of 16, from the registers of the four warps.
func (w *warp) registerOperand(p *product) [][16]float32 {
	var fragment []source
	for _, r := range p.a {
		fragment = append(fragment, source{register: r})
	}
	var all [][16]float32
	for i := range 4 {
		rows := left(w.block.warps[w.number&^3+i], fragment, p.types[1])
		all = append(all, rows[:]...)
	}
	return all
}
