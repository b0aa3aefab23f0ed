package quant

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unsafe"
)

// machine executes the instructions that the assembly for the tile unit has, on any processor. It refuses
// what a processor may do differently: memory that is not the routine's, registers that have no value yet,
// shapes of tiles that do not fit.
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2.
type machine struct {
	general  map[string]uint64
	vectors  map[string][]byte
	tiles    [8][]byte // of 16 rows of 64 bytes, nil before they have a shape
	rows     [8]int
	columns  [8]int // in bytes
	zero     *bool  // the flag, nil if it has no defined value
	args     []byte
	frame    []byte
	memory   []span
	returned bool
}

// span is memory that the routine may use.
type span struct {
	bytes    []byte
	writable bool
}

// instruction is a line of the assembly. The instructions of the tile unit are decoded from their bytes.
type instruction struct {
	op      string
	operand []string
	tile    [3]int // of the unit's: destination or the only one, rows, fours
}

// program is a routine.
type program struct {
	code   []instruction
	labels map[string]int
	frame  int
}

// parse reads a routine from the text of an assembly file.
func parse(text, routine string) (p program, err error) {
	p.labels = make(map[string]int)
	_, body, found := strings.Cut(text, "TEXT ·"+routine+"(SB), NOSPLIT, $")
	if !found {
		return p, fmt.Errorf("no routine %s", routine)
	}
	sizes, body, _ := strings.Cut(body, "\n")
	if p.frame, err = strconv.Atoi(strings.Split(sizes, "-")[0]); err != nil {
		return p, err
	}
	body, _, _ = strings.Cut(body, "\nTEXT ")
	var code []byte
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		op, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		if op == "LONG" || op == "BYTE" {
			v, err := strconv.ParseUint(strings.TrimPrefix(rest, "$"), 0, 32)
			if err != nil {
				return p, err
			}
			code = append(code, binary.LittleEndian.AppendUint32(nil, uint32(v))[:map[string]int{"LONG": 4, "BYTE": 1}[op]]...)
			continue
		}
		for len(code) > 0 {
			in, n, err := decode(code)
			if err != nil {
				return p, err
			}
			p.code, code = append(p.code, in), code[n:]
		}
		if label, ok := strings.CutSuffix(line, ":"); ok {
			p.labels[label] = len(p.code)
		} else if line != "" && !strings.HasPrefix(line, "//") {
			in := instruction{op: op}
			if rest != "" {
				in.operand = strings.Split(rest, ", ")
			}
			p.code = append(p.code, in)
		}
	}
	return p, nil
}

var registers = []string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// decode decodes the first of the unit's instructions in code, and returns its length.
func decode(code []byte) (in instruction, n int, err error) {
	if len(code) < 5 || code[0] != 0xC4 {
		return in, 0, fmt.Errorf("% x has no VEX prefix of three bytes", code)
	}
	high := func(bit byte) int { return int(^code[1]>>bit&1) << 3 } // inverted in the prefix
	second, prefix, opcode, mode := int(^code[2]>>3&15), code[2]&3, code[3], code[4]
	reg, rm := int(mode>>3&7), int(mode&7)
	if high(7) != 0 || code[2]&0x84 != 0 || code[1]&31 != 2 {
		return in, 0, fmt.Errorf("% x: not the map 0F38, 128 bits, or a tile above 7", code[:5])
	}
	switch key := [2]byte{opcode, prefix}; {
	case opcode == 0x5E && mode>>6 == 3 && high(5) == 0 && second < 8:
		return instruction{op: [4]string{"TDPBUUD", "TDPBUSD", "TDPBSUD", "TDPBSSD"}[prefix], tile: [3]int{reg, rm, second}}, 5, nil
	case second != 0:
	case key == [2]byte{0x49, 3} && mode>>6 == 3 && rm == 0:
		return instruction{op: "TILEZERO", tile: [3]int{reg}}, 5, nil
	case key == [2]byte{0x49, 0} && mode == 0xC0:
		return instruction{op: "TILERELEASE"}, 5, nil
	case key == [2]byte{0x49, 0} && mode>>6 == 0 && reg == 0 && rm != 4 && rm != 5:
		return instruction{op: "LDTILECFG", operand: []string{"(" + registers[rm+high(5)] + ")"}}, 5, nil
	case opcode == 0x4B && prefix >= 2 && mode>>6 == 2 && rm == 4 && len(code) >= 10 && code[5]>>6 == 0:
		base, index := int(code[5]&7)+high(5), int(code[5]>>3&7)+high(6)
		m := fmt.Sprintf("%d(%s)(%s*1)", int32(binary.LittleEndian.Uint32(code[6:])), registers[base], registers[index])
		return instruction{op: [4]string{2: "TILESTORED", 3: "TILELOADD"}[prefix], operand: []string{m}, tile: [3]int{reg}}, 10, nil
	}
	return in, 0, fmt.Errorf("% x is not known", code)
}

// fault is why the machine cannot go on.
type fault struct{ message string }

func refuse(format string, args ...any) { panic(fault{fmt.Sprintf(format, args...)}) }

// run executes a routine until it returns. The error says why it cannot.
func (m *machine) run(p program) (err error) {
	at := 0
	defer func() {
		if f, ok := recover().(fault); ok {
			err = fmt.Errorf("instruction %d: %s", at, f.message)
		}
	}()
	m.frame = make([]byte, p.frame)
	m.general = map[string]uint64{"SP": address(m.frame)}
	m.vectors = make(map[string][]byte)
	m.memory = append(m.memory, span{m.frame, true})
	for steps := 0; !m.returned; steps++ {
		if steps > 1_000_000 || at >= len(p.code) {
			refuse("it does not return")
		}
		in := p.code[at]
		at++
		switch {
		case in.op == "NOP":
		case in.op == "RET":
			m.leave()
		case in.op[0] == 'J':
			if m.zero == nil {
				refuse("a jump on a flag without a value")
			}
			if *m.zero == (in.op == "JZ") {
				at = p.labels[in.operand[0]]
			}
		case strings.HasPrefix(in.op, "T") && in.op != "TESTQ" || in.op == "LDTILECFG":
			m.onTiles(in)
		case in.op[0] == 'V':
			m.onVectors(in)
		default:
			m.onGeneral(in)
		}
	}
	return nil
}

// leave checks what a routine must leave behind.
func (m *machine) leave() {
	for i, t := range m.tiles {
		if t != nil {
			refuse("tile %d is not released", i)
		}
	}
	if len(m.vectors) > 0 {
		refuse("the upper halves of vectors are in use")
	}
	m.returned = true
}

func address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// at returns n bytes of memory.
func (m *machine) at(a uint64, n int, write bool) []byte {
	for _, s := range m.memory {
		if first := a - address(s.bytes); first < uint64(len(s.bytes)) && uint64(n) <= uint64(len(s.bytes))-first && (s.writable || !write) {
			return s.bytes[first:][:n]
		}
	}
	refuse("%d bytes at %#x are not the routine's", n, a)
	return nil
}

var (
	parameter = regexp.MustCompile(`^\w+\+(\d+)\(FP\)$`)
	indirect  = regexp.MustCompile(`^(-?\d+)?\((\w+)\)(?:\((\w+)\*(\d)\))?$`)
)

// place is the address of an operand in memory, without its index, and the index times its scale. The
// arguments are outside the memory.
func (m *machine) place(operand string) (base, index uint64, ok bool) {
	part := indirect.FindStringSubmatch(operand)
	if part == nil {
		return 0, 0, false
	}
	disp, _ := strconv.ParseInt("0"+strings.TrimPrefix(part[1], "-"), 10, 64)
	if strings.HasPrefix(part[1], "-") {
		disp = -disp
	}
	if base = m.register(part[2]) + uint64(disp); part[3] != "" {
		scale, _ := strconv.ParseUint(part[4], 10, 64)
		index = m.register(part[3]) * scale
	}
	return base, index, true
}

func (m *machine) register(name string) uint64 {
	v, ok := m.general[name]
	if !ok {
		refuse("%s has no value", name)
	}
	return v
}

// cell is the memory of an operand, or nil for a register or a constant.
func (m *machine) cell(operand string, n int, write bool) []byte {
	if a := parameter.FindStringSubmatch(operand); a != nil {
		first, _ := strconv.Atoi(a[1])
		return m.args[first:][:n]
	}
	if base, index, ok := m.place(operand); ok {
		return m.at(base+index, n, write)
	}
	return nil
}
