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
func (w *warp) operand(descriptor uint64, rows int, across bool, t typ) []float32 {
	all := make([]float32, 16*rows)
	s := w.block.shared
	units(descriptor, rows, across, func(address uint64, row, k int) error {
		bytes, err := s.at(address, 16, 16)
		if err != nil {
			return err // checkOperands has found it
		}
		for i := range 8 {
			v := float32(t.value(get(bytes[2*i:], 2)))
			if across {
				all[16*(row+i)+k] = v
			} else {
				all[16*row+8*k+i] = v
			}
		}
		return nil
	})
	return all
}

// wholeOperand reads an operand of 8-bit numbers as rows of 32.
func (w *warp) wholeOperand(descriptor uint64, rows int, t typ) []int32 {
	all := make([]int32, 32*rows)
	s := w.block.shared
	units(descriptor, rows, false, func(address uint64, row, k int) error {
		bytes, err := s.at(address, 16, 16)
		if err != nil {
			return err
		}
		for i := range 16 {
			all[32*row+16*k+i] = int32(t.extend(uint64(bytes[i])))
		}
		return nil
	})
	return all
}
