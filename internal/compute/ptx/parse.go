package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// statement is an instruction as it is written.
type statement struct {
	line     int
	guard    int  // predicate, -1 if there is none
	negated  bool // runs where the guard is false
	opcode   string
	parts    []string // of the opcode, split at the dots
	operands []operand
}

// kind is the kind of an operand.
type kind int

const (
	register  kind = iota // index is its place in the register file
	predicate             // index is its place among the predicates; negated, !%p
	immediate             // value
	list                  // {a, b, ...}
	memory                // [list[0] + value]
	name                  // label, parameter or variable
	sink                  // _
)

type operand struct {
	kind    kind
	index   int
	negated bool
	value   uint64
	name    string
	list    []operand
}

// variable is a variable in shared memory or a parameter.
type variable struct {
	name   string
	align  int
	size   int
	offset int
}

// parser reads a module. It stops at the first error.
type parser struct {
	tokens []token
	at     int
	module *Module
	// dynamic is the shared memory whose size the launch gives.
	dynamic *variable
	err     error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("line %d: "+format, append([]any{p.line()}, args...)...)
	}
	p.at = len(p.tokens)
}

func (p *parser) line() int {
	if len(p.tokens) == 0 {
		return 1
	}
	return p.tokens[min(p.at, len(p.tokens)-1)].line
}

// peek returns the text of the next token, "" at the end.
func (p *parser) peek() string {
	if p.at >= len(p.tokens) {
		return ""
	}
	return p.tokens[p.at].text
}

func (p *parser) next() string {
	text := p.peek()
	if text == "" {
		p.fail("the text ends too early")
		return ""
	}
	p.at++
	return text
}

// accept takes the next token if it is text.
func (p *parser) accept(text string) bool {
	if p.peek() != text {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(text string) {
	if p.peek() == "" {
		p.fail("the text ends too early")
	}
	if p.err == nil && !p.accept(text) {
		p.fail("%q where %q belongs", p.peek(), text)
	}
}

func (p *parser) number() int {
	text := p.next()
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil && p.err == nil {
		p.fail("%q is not a whole number", text)
	}
	return int(n)
}

// Parse reads a module. It knows what clang and Warren's generator write, not all of PTX: the error
// for anything else names its line.
func Parse(text []byte) (*Module, error) {
	tokens, err := lex(string(text))
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, module: &Module{kernels: map[string]*kernel{}}}
	for p.err == nil && p.at < len(p.tokens) {
		p.directive()
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.module, nil
}

// directive reads a directive outside kernels.
func (p *parser) directive() {
	switch word := p.next(); word {
	case ".version":
		p.next()
	case ".target":
		p.next()
	case ".address_size":
		if n := p.number(); n != 64 {
			p.fail("addresses of %d bits", n)
		}
	case ".extern":
		p.expect(".shared")
		v := p.variable()
		p.dynamic = &v
		p.expect(";")
	case ".visible":
	case ".entry":
		p.entry()
	default:
		p.fail("the directive %s is not known", word)
	}
}

// variable reads [.align n] .type name[size].
func (p *parser) variable() variable {
	v := variable{align: 1}
	if p.accept(".align") {
		v.align = p.number()
	}
	t, ok := typeOf(strings.TrimPrefix(p.next(), "."))
	if !ok {
		p.fail("a variable needs a type")
	}
	v.align = max(v.align, t.bytes())
	v.name, v.size = p.next(), t.bytes()
	if p.accept("[") {
		v.size = 0
		if p.peek() != "]" {
			v.size = p.number() * t.bytes()
		}
		p.expect("]")
	}
	return v
}

// entry reads a kernel.
func (p *parser) entry() {
	k := &kernel{name: p.next(), parameters: map[string]variable{}}
	p.expect("(")
	for p.err == nil && !p.accept(")") {
		p.expect(".param")
		v := p.variable()
		v.offset = align(k.parameterBytes, v.align)
		k.parameterBytes = v.offset + v.size
		k.parameters[v.name] = v
		k.order = append(k.order, v.name)
		p.accept(",")
	}
	for p.err == nil && !p.accept("{") {
		switch word := p.next(); word {
		case ".maxntid":
			k.threads = p.number()
			for p.accept(",") {
				k.threads *= p.number()
			}
		case ".minnctapersm", ".maxnreg":
			p.number()
		default:
			p.fail("the directive %s is not known", word)
		}
	}
	b := &body{parser: p, kernel: k, labels: map[string]int{}, scopes: []map[string]operand{{}}}
	b.read()
	if p.err == nil {
		p.err = b.compile()
	}
	p.module.kernels[k.name] = k
}

func align(n, to int) int { return (n + to - 1) / to * to }
