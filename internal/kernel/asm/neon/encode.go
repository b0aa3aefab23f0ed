package main

import "fmt"

// Go's assembler knows few of NEON's instructions for numbers, so these are written as their
// words, each after what it is called in Arm's manual. The test in encode_test.go compares the
// two by an assembler that knows them.
//
// Source: Arm Architecture Reference Manual for A-profile (DDI 0487), C7.2.

// vec is a vector register.
type vec uint32

// three are instructions of the form d = n op m. Those that accumulate add to d.
var three = map[string]struct {
	code  uint32
	shape [3]string // of d, n and m
}{
	"fadd":    {0x4e20d400, floats},
	"fsub":    {0x4ea0d400, floats},
	"fmul":    {0x6e20dc00, floats},
	"fmla":    {0x4e20cc00, floats},
	"fmls":    {0x4ea0cc00, floats},
	"fmax":    {0x4e20f400, floats},
	"smax":    {0x4e606400, [3]string{"8h", "8h", "8h"}},
	"saddw":   {0x0e601000, [3]string{"4s", "4s", "4h"}},
	"saddw2":  {0x4e601000, [3]string{"4s", "4s", "8h"}},
	"and":     {0x4e201c00, [3]string{"16b", "16b", "16b"}},
	"uzp1":    {0x4e001800, [3]string{"16b", "16b", "16b"}},
	"uzp2":    {0x4e005800, [3]string{"16b", "16b", "16b"}},
	"uzp1.4s": {0x4e801800, [3]string{"4s", "4s", "4s"}},
	"uzp2.4s": {0x4e805800, [3]string{"4s", "4s", "4s"}},
	"zip1.8h": {0x4e403800, [3]string{"8h", "8h", "8h"}},
	"zip2.8h": {0x4e407800, [3]string{"8h", "8h", "8h"}},
	"zip1.2d": {0x4ec03800, [3]string{"2d", "2d", "2d"}},
	"zip2.2d": {0x4ec07800, [3]string{"2d", "2d", "2d"}},
	"add":     {0x4ea08400, [3]string{"4s", "4s", "4s"}},
	"smmla":   {0x4e80a400, ofBytes},
	"ummla":   {0x6e80a400, ofBytes},
	"usmmla":  {0x4e80ac00, ofBytes},
}

var (
	floats  = [3]string{"4s", "4s", "4s"}
	ofBytes = [3]string{"4s", "16b", "16b"} // of FEAT_I8MM
)

// two are instructions of the form d = op n, some with a number that the code contains.
var two = map[string]struct {
	code  uint32
	shape [2]string // of d and n
	last  string
}{
	"mov":    {0x4ea01c00, [2]string{"16b", "16b"}, ""}, // orr, with n twice
	"fcmgt":  {0x4ea0c800, [2]string{"4s", "4s"}, ", #0.0"},
	"scvtf":  {0x4e21d800, [2]string{"4s", "4s"}, ""},
	"fcvtns": {0x4e21a800, [2]string{"4s", "4s"}, ""},
	"shl":    {0x4f285400, [2]string{"4s", "4s"}, ", #8"},
	"sqxtn":  {0x0e614800, [2]string{"4h", "4s"}, ""},
	"sqxtn2": {0x4e614800, [2]string{"8h", "4s"}, ""},
	"sqshlu": {0x6f106400, [2]string{"8h", "8h"}, ", #0"}, // a number without sign: 0 if it is negative
	"rshrn":  {0x0f1a8c00, [2]string{"4h", "4s"}, ", #6"},
	"rshrn2": {0x4f1a8c00, [2]string{"8h", "4s"}, ", #6"},
}

// lanes are instructions of the form d = n op one lane of m.
var lanes = map[string]struct {
	code  uint32
	shape [2]string // of d and n
	lane  string
}{
	"fmla":   {0x4f801000, [2]string{"4s", "4s"}, "s"},
	"fmls":   {0x4f805000, [2]string{"4s", "4s"}, "s"},
	"fmul":   {0x4f809000, [2]string{"4s", "4s"}, "s"},
	"smlal":  {0x0f402000, [2]string{"4s", "4h"}, "h"},
	"smlal2": {0x4f402000, [2]string{"4s", "8h"}, "h"},
}

func (f *file) word(code uint32, format string, args ...any) {
	f.line("WORD $0x%08x // %s", code, fmt.Sprintf(format, args...))
}

// mnemonic is the part of a name that Arm's manual has.
func mnemonic(name string) string {
	for i, c := range name {
		if c == '.' || c == '/' {
			return name[:i]
		}
	}
	return name
}

// three emits an instruction with three vectors.
func (f *file) three(name string, d, n, m vec) {
	i, ok := three[name]
	if !ok {
		panic(name)
	}
	f.word(i.code|uint32(m<<16|n<<5|d), "%s v%d.%s, v%d.%s, v%d.%s", mnemonic(name), d, i.shape[0], n, i.shape[1], m, i.shape[2])
}

// two emits an instruction with two vectors.
func (f *file) two(name string, d, n vec) {
	i, ok := two[name]
	if !ok {
		panic(name)
	}
	code := i.code | uint32(n<<5|d)
	if name == "mov" {
		code |= uint32(n << 16)
	}
	f.word(code, "%s v%d.%s, v%d.%s%s", mnemonic(name), d, i.shape[0], n, i.shape[1], i.last)
}

// byLane emits an instruction with a lane of m, which is one of the first sixteen registers if its
// lanes have 16 bits.
func (f *file) byLane(name string, d, n, m vec, lane int) {
	i, ok := lanes[name]
	at := uint32(lane)
	code := i.code | uint32(m<<16|n<<5|d)
	switch {
	case ok && i.lane == "s" && lane < 4:
		code |= at&1<<21 | at>>1<<11
	case ok && i.lane == "h" && lane < 8 && m < 16:
		code |= at&3<<20 | at>>2<<11
	default:
		panic(fmt.Sprint(name, m, lane))
	}
	f.word(code, "%s v%d.%s, v%d.%s, v%d.%s[%d]", name, d, i.shape[0], n, i.shape[1], m, i.lane, lane)
}
