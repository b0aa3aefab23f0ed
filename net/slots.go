package net

import "slices"

// Slot is memory for results of one shape. Results that are never needed at the same time share it.
type Slot struct {
	Board    bool
	Channels int
}

// Slots assigns memory to the results of the trunk, and returns the number of the slot of each
// result, -1 for the input and the results of heads. The trunk's last result keeps its slot. With
// inPlace, an operation may write over its residual, if it does not also read it as X.
func (p *Program) Slots(inPlace bool) (slots []Slot, of []int) {
	last := p.lastReaders()
	of = slices.Repeat([]int{-1}, len(p.Ops))
	var free []int
	for v := Input + 1; v <= p.Trunk; v++ {
		o := &p.Ops[v]
		shape := Slot{o.Board, o.Channels}
		over := None // the residual that the operation writes over
		if r := o.Residual; inPlace && r > Input && r != o.X && last[r] == v {
			over, of[v] = r, of[r]
		} else if i := slices.IndexFunc(free, func(s int) bool { return slots[s] == shape }); i >= 0 {
			of[v] = free[i]
			free = slices.Delete(free, i, i+1)
		} else {
			of[v] = len(slots)
			slots = append(slots, shape)
		}
		for _, read := range o.Operands() {
			if read > Input && last[read] == v && read != over {
				free = append(free, of[read])
			}
		}
	}
	return slots, of
}

// lastReaders returns, for every result, the operation that reads it last, or None.
func (p *Program) lastReaders() []Value {
	last := slices.Repeat([]Value{None}, len(p.Ops))
	for i := range p.Ops {
		for _, v := range p.Ops[i].Operands() {
			last[v] = Value(i)
		}
	}
	return last
}
