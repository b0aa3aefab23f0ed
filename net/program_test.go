package net

import (
	"slices"
	"strings"
	"testing"
)

// everything is an architecture with every kind of block and head.
func everything() Config {
	return Config{Blocks: 5, Channels: 16, PoolEvery: 2, PolicyChannels: 5, ValueChannels: 3, ValueHidden: 7,
		Auxiliary: strings.Join(AuxiliaryHeads(), " ")}
}

// Every operation reads results of earlier ones, and what it reads has the shape that its kind and
// its layer need.
func TestProgramIsWellFormed(t *testing.T) {
	p := everything().Program()
	used := make([]int, len(p.Layers))
	for v := range Value(len(p.Ops)) {
		o := p.Op(v)
		for _, read := range o.Operands() {
			if read < 0 || read >= v {
				t.Fatalf("operation %d reads %d", v, read)
			}
		}
		if o.Layer < 0 {
			if o.Kind != Position && (o.Kind != Pool || o.Board || o.Channels != 2*p.Op(o.X).Channels) {
				t.Errorf("operation %d has no layer: %+v", v, *o)
			}
			continue
		}
		used[o.Layer]++
		x, l := p.Op(o.X), p.Layer(v)
		inputs := x.Channels
		switch o.Kind {
		case Conv3x3:
			inputs *= 9
		case Dense:
			inputs = p.Size(o.X)
		}
		if l.Inputs() != inputs || l.Outputs() != o.Channels || o.Board != (o.Kind != Dense) || o.Board && !x.Board {
			t.Errorf("operation %d, %+v, does not fit the layer %+v and what it reads, %+v", v, *o, *l, *x)
		}
		if r := o.RowBias; r != None && (p.Op(r).Board || p.Op(r).Channels != o.Channels) {
			t.Errorf("operation %d adds a row %+v", v, *p.Op(r))
		}
		if r := o.Residual; r != None && (!p.Op(r).Board || p.Op(r).Channels != o.Channels) {
			t.Errorf("operation %d adds a board %+v", v, *p.Op(r))
		}
	}
	for i, n := range used {
		if n != 1 {
			t.Errorf("%d operations have the layer %s", n, p.Layers[i].Name)
		}
	}
}

// Heads read the trunk and their own operations, and nothing else.
func TestHeadsAreIndependent(t *testing.T) {
	p := everything().Program()
	next := p.Trunk + 1
	for _, h := range p.Heads {
		if h.First != next || h.End <= h.First {
			t.Errorf("the operations of the head %s are %d to %d, after %d", h.Name, h.First, h.End-1, next-1)
		}
		next = h.End
		for v := h.First; v < h.End; v++ {
			for _, read := range p.Op(v).Operands() {
				if read != p.Trunk && (read < h.First || read >= v) {
					t.Errorf("operation %d of the head %s reads %d", v, h.Name, read)
				}
			}
		}
		size := 0
		for _, v := range h.Outputs {
			size += p.Size(v)
		}
		if size != h.Size {
			t.Errorf("the head %s has %d values, and its outputs %d", h.Name, h.Size, size)
		}
	}
	if next != Value(len(p.Ops)) {
		t.Errorf("the heads end at operation %d of %d", next, len(p.Ops))
	}
}

// Running the operations on slots, no result is overwritten before its last reader has it.
func TestSlotsKeepResults(t *testing.T) {
	p := everything().Program()
	for _, inPlace := range []bool{false, true} {
		slots, of := p.Slots(inPlace)
		holds := slices.Repeat([]Value{None}, len(slots)) // the result in each slot
		for v := Input + 1; v <= p.Trunk; v++ {
			o := p.Op(v)
			if s := slots[of[v]]; s.Board != o.Board || s.Channels != o.Channels {
				t.Fatalf("the result of operation %d, %+v, is in a slot %+v", v, *o, s)
			}
			for _, read := range o.Operands() {
				if read == Input {
					continue
				}
				if holds[of[read]] != read {
					t.Errorf("operation %d reads %d, but its slot holds %d", v, read, holds[of[read]])
				}
				if of[read] == of[v] && !(inPlace && read == o.Residual) {
					t.Errorf("operation %d writes over %d, which it reads", v, read)
				}
			}
			holds[of[v]] = v
		}
		if holds[of[p.Trunk]] != p.Trunk || of[Input] != -1 || of[p.Trunk+1] != -1 {
			t.Errorf("the slots are %v", of)
		}
		boards := 0
		for _, s := range slots {
			if s.Board {
				boards++
			}
		}
		if want := map[bool]int{false: 3, true: 2}[inPlace]; boards != want {
			t.Errorf("the trunk needs %d boards, want %d", boards, want)
		}
	}
}
