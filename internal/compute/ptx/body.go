package ptx

import (
	"strconv"
	"strings"
)

// body reads the body of a kernel.
type body struct {
	*parser
	kernel     *kernel
	statements []statement
	labels     map[string]int // places in statements
	shared     []variable
	// scopes are the registers of the open blocks, innermost last.
	scopes []map[string]operand
}

func (b *body) read() {
	for b.err == nil {
		switch word := b.next(); {
		case word == "{":
			b.scopes = append(b.scopes, map[string]operand{})
		case word == "}":
			b.scopes = b.scopes[:len(b.scopes)-1]
			if len(b.scopes) == 0 {
				return
			}
		case word == ".reg":
			b.registers()
		case word == ".shared":
			b.shared = append(b.shared, b.variable())
			b.expect(";")
		case word == ";":
		case word == ".pragma" || word == ".loc" || word == ".file":
			for b.err == nil && b.next() != ";" {
			}
		case b.accept(":"):
			if _, twice := b.labels[word]; twice {
				b.fail("the label %s is there twice", word)
			}
			b.labels[word] = len(b.statements)
		default:
			b.at--
			b.statement()
		}
	}
}

// registers reads .reg .type name, name<n>;
func (b *body) registers() {
	text := b.next()
	t, ok := typeOf(strings.TrimPrefix(text, "."))
	if !ok {
		b.fail("the type %s is not known", text)
	}
	scope := b.scopes[len(b.scopes)-1]
	declare := func(name string) {
		o := operand{kind: register, index: b.kernel.registers}
		if t == pred {
			o = operand{kind: predicate, index: b.kernel.predicates}
			b.kernel.predicates++
		} else {
			b.kernel.registers++
			b.kernel.widths = append(b.kernel.widths, t)
		}
		scope[name] = o
	}
	for b.err == nil {
		name := b.next()
		if b.accept("<") {
			for i := range b.number() {
				declare(name + strconv.Itoa(i))
			}
			b.expect(">")
		} else {
			declare(name)
		}
		if b.accept(";") {
			return
		}
		b.expect(",")
	}
}

func (b *body) statement() {
	s := statement{line: b.line(), guard: -1}
	if b.accept("@") {
		s.negated = b.accept("!")
		text := b.next()
		o, ok := b.lookup(text)
		if !ok || o.kind != predicate {
			b.fail("%s is not a predicate", text)
		}
		s.guard = o.index
	}
	s.opcode = b.next()
	s.parts = strings.Split(s.opcode, ".")
	for b.err == nil && !b.accept(";") {
		s.operands = append(s.operands, b.operand())
		if b.peek() != ";" {
			b.expect(",")
		}
	}
	b.statements = append(b.statements, s)
}

func (b *body) lookup(name string) (operand, bool) {
	for i := len(b.scopes) - 1; i >= 0; i-- {
		if o, ok := b.scopes[i][name]; ok {
			return o, true
		}
	}
	if strings.HasPrefix(name, "%") {
		return b.kernel.special(name)
	}
	return operand{}, false
}

func (b *body) operand() operand {
	switch {
	case b.accept("["):
		o := operand{kind: memory, list: []operand{b.simple()}}
		if b.peek() == "+" || b.peek() == "-" {
			b.accept("+")
			o.value = b.simple().value
		}
		b.expect("]")
		return o
	case b.accept("{"):
		o := operand{kind: list}
		for b.err == nil && !b.accept("}") {
			o.list = append(o.list, b.simple())
			b.accept(",")
		}
		if len(o.list) == 0 {
			b.fail("a list of no registers")
		}
		return o
	case b.accept("!"):
		o := b.simple()
		o.negated = true
		return o
	}
	return b.simple()
}

// simple reads a register, a number or a name.
func (b *body) simple() operand {
	minus := b.accept("-")
	text := b.next()
	switch {
	case text == "_":
		return operand{kind: sink}
	case text == "" || text[0] != '%' && (text[0] < '0' || text[0] > '9'):
		return operand{kind: name, name: text}
	case text[0] == '%':
		o, ok := b.lookup(text)
		if !ok {
			b.fail("the register %s is not declared", text)
		}
		return o
	}
	value, err := literal(text)
	if err != nil {
		b.fail("%q is not a number", text)
	}
	if minus {
		value = -value
	}
	return operand{kind: immediate, value: value}
}

// literal reads a number: whole, or the bits of a floating-point number (0f with 8 digits, 0d
// with 16).
func literal(text string) (uint64, error) {
	if rest, ok := cutEither(text, "0f", "0F"); ok {
		return strconv.ParseUint(rest, 16, 32)
	}
	if rest, ok := cutEither(text, "0d", "0D"); ok {
		return strconv.ParseUint(rest, 16, 64)
	}
	return strconv.ParseUint(strings.TrimSuffix(text, "U"), 0, 64)
}

func cutEither(text, a, b string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, a); ok {
		return rest, true
	}
	return strings.CutPrefix(text, b)
}
