package ptx

import (
	"fmt"
	"slices"
)

// lanes are the values of a register in the 32 threads of a warp.
type lanes = [32]uint64

// source is where an instruction takes a value from: a register or a constant.
type source struct {
	register int // -1 for a constant
	constant *lanes
}

func (s source) of(w *warp) *lanes {
	if s.register < 0 {
		return s.constant
	}
	return &w.registers[s.register]
}

// compiler turns one statement into an instruction.
type compiler struct {
	*statement
	body  *body
	pc    int
	names map[string]uint64 // addresses of variables in shared memory
	out   *instruction
	err   error
}

// compile compiles the statements.
func (b *body) compile() error {
	k := b.kernel
	names := map[string]uint64{}
	for _, v := range b.shared {
		v.offset = align(k.static, v.align)
		k.static = v.offset + v.size
		names[v.name] = uint64(sharedBase + v.offset)
	}
	if b.dynamic != nil {
		k.dynamic, k.align = true, b.dynamic.align
		names[b.dynamic.name] = uint64(sharedBase + align(k.static, k.align))
	}
	k.code = make([]instruction, len(b.statements))
	for i := range b.statements {
		s := &b.statements[i]
		k.code[i] = instruction{line: s.line, opcode: s.opcode, guard: s.guard, negated: s.negated}
		if s.guard >= 0 {
			k.code[i].tests = []int{s.guard}
		}
		c := &compiler{statement: s, body: b, pc: i, names: names, out: &k.code[i]}
		compile := operation(s.parts[0])
		if compile == nil {
			return fmt.Errorf("line %d: the instruction %s is not known", s.line, s.opcode)
		}
		run := compile(c)
		if c.err != nil {
			return fmt.Errorf("line %d: %s: %w", s.line, s.opcode, c.err)
		}
		k.code[i].run = run
	}
	k.markHeld()
	return nil
}

// markHeld marks the instructions that touch registers of a wgmma.
func (k *kernel) markHeld() {
	used := make([]bool, k.registers)
	for _, in := range k.code {
		for _, r := range in.holds {
			used[r] = true
		}
	}
	for i := range k.code {
		in := &k.code[i]
		if in.holds == nil {
			in.touches = slices.DeleteFunc(slices.Concat(in.reads, in.writes), func(r int) bool { return !used[r] })
		}
	}
}

// operation returns what compiles an instruction with this name, nil if it is not known.
func operation(name string) func(*compiler) func(*warp, uint32) {
	switch name {
	case "add", "sub", "mul", "mad", "fma", "div", "rem", "min", "max", "neg", "sqrt", "rcp",
		"and", "or", "xor", "not", "shl", "shr", "selp", "prmt", "bfe":
		return (*compiler).arithmetic
	case "setp":
		return (*compiler).setp
	case "mov", "cvta":
		return (*compiler).mov
	case "cvt":
		return (*compiler).cvt
	case "ld", "st":
		return (*compiler).access
	case "bra", "ret":
		return (*compiler).control
	case "bar":
		return (*compiler).barrier
	case "shfl":
		return (*compiler).shuffle
	case "mma":
		return (*compiler).mma
	case "ldmatrix", "stmatrix":
		return (*compiler).matrix
	case "mbarrier":
		return (*compiler).mbarrier
	case "fence":
		return (*compiler).fence
	case "cp":
		return (*compiler).copy
	case "wgmma":
		return (*compiler).wgmma
	case "setmaxnreg":
		return (*compiler).setmaxnreg
	}
	return nil
}

func (c *compiler) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// unknown says that a variant of an instruction is not known.
func (c *compiler) unknown() func(*warp, uint32) {
	c.fail("this form is not known")
	return nil
}

// has reports whether the opcode has the part.
func (c *compiler) has(part string) bool { return slices.Contains(c.parts[1:], part) }

// only checks that every part of the opcode except types is among the known ones.
func (c *compiler) only(known ...string) {
	for _, part := range c.parts[1:] {
		if _, ok := typeOf(part); !ok && !slices.Contains(known, part) {
			c.fail("the suffix .%s is not known", part)
		}
	}
}

// typ returns the last part of the opcode, a type.
func (c *compiler) typ() typ {
	t, ok := typeOf(c.parts[len(c.parts)-1])
	if !ok {
		c.fail("the type is missing")
	}
	return t
}

// need checks the number of operands.
func (c *compiler) need(n int) bool {
	if len(c.operands) != n {
		c.fail("%d operands, not %d", len(c.operands), n)
		return false
	}
	return true
}

// source returns a value that the instruction reads. Constants are cut to type t.
func (c *compiler) source(o operand, t typ) source {
	switch o.kind {
	case register:
		c.out.reads = append(c.out.reads, o.index)
		return source{register: o.index}
	case immediate:
		return constant(t.cut(o.value))
	case name:
		if address, ok := c.names[o.name]; ok {
			return constant(address)
		}
		c.fail("the name %s is not declared", o.name)
	default:
		c.fail("an operand is of the wrong kind")
	}
	return source{}
}

func constant(v uint64) source {
	values := new(lanes)
	for i := range values {
		values[i] = v
	}
	return source{register: -1, constant: values}
}

// register returns a register that the instruction writes.
func (c *compiler) register(o operand) int {
	if o.kind != register {
		c.fail("an operand is not a register")
		return 0
	}
	c.out.writes = append(c.out.writes, o.index)
	return o.index
}

// predicate returns a predicate.
func (c *compiler) predicate(o operand) int {
	if o.kind != predicate {
		c.fail("an operand is not a predicate")
		return 0
	}
	return o.index
}

// test returns a predicate that the instruction reads.
func (c *compiler) test(o operand) int {
	c.out.tests = append(c.out.tests, o.index)
	return c.predicate(o)
}

// address returns the address operand [register+offset].
func (c *compiler) address(o operand) (base source, offset uint64) {
	if o.kind != memory {
		c.fail("an operand is not an address")
		return source{}, 0
	}
	return c.source(o.list[0], b64), o.value
}

// control compiles branches and exits.
func (c *compiler) control() func(*warp, uint32) {
	c.only("uni")
	if c.parts[0] != "bra" {
		c.out.flow = leave
		return nil
	}
	c.out.flow = branch
	if !c.need(1) {
		return nil
	}
	target, ok := c.body.labels[c.operands[0].name]
	if !ok {
		c.fail("the label %s is not there", c.operands[0].name)
	}
	c.out.target = target
	return nil
}
