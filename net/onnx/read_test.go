package onnx

import (
	"encoding/binary"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// An independent reader of the package's files. It repeats the field numbers of
// onnx.proto, and fails on anything that it does not know.

type model struct {
	ir, opset     int
	producer, doc string
	meta          map[string]string
	name          string
	nodes         []op
	weights       []array
	inputs        []port
	outputs       []port
}

type op struct {
	operator, name  string
	inputs, outputs []string
	ints            map[string][]int // attributes
}

type array struct {
	name, doc string
	shape     []int
	data      []float32
}

type port struct {
	name, doc string
	shape     []string // names or numbers
	elem      int
}

// fields calls each for every field of a message, with its number and its value as
// a number or as bytes.
func fields(t *testing.T, b []byte, each func(field protowire.Number, v int, s []byte)) {
	t.Helper()
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			v, k := protowire.ConsumeVarint(b)
			n = k
			if n >= 0 {
				each(field, int(v), nil)
			}
		case protowire.BytesType:
			s, k := protowire.ConsumeBytes(b)
			n = k
			if n >= 0 {
				each(field, 0, s)
			}
		default:
			t.Fatalf("field %d has wire type %d", field, kind)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
	}
}

func readModel(t *testing.T, b []byte) model {
	t.Helper()
	m := model{meta: map[string]string{}}
	fields(t, b, func(field protowire.Number, v int, s []byte) {
		switch field {
		case 1:
			m.ir = v
		case 2:
			m.producer = string(s)
		case 6:
			m.doc = string(s)
		case 7:
			readGraph(t, s, &m)
		case 8:
			fields(t, s, func(field protowire.Number, v int, s []byte) {
				if field != 2 {
					t.Errorf("operator set: field %d", field)
				}
				m.opset = v
			})
		case 14:
			var pair [3]string
			fields(t, s, func(field protowire.Number, _ int, s []byte) { pair[field] = string(s) })
			if _, ok := m.meta[pair[1]]; ok {
				t.Errorf("two metadata have the key %q", pair[1])
			}
			m.meta[pair[1]] = pair[2]
		default:
			t.Errorf("model: field %d", field)
		}
	})
	return m
}

func readGraph(t *testing.T, b []byte, m *model) {
	t.Helper()
	fields(t, b, func(field protowire.Number, _ int, s []byte) {
		switch field {
		case 1:
			m.nodes = append(m.nodes, readNode(t, s))
		case 2:
			m.name = string(s)
		case 5:
			m.weights = append(m.weights, readTensor(t, s))
		case 11:
			m.inputs = append(m.inputs, readPort(t, s))
		case 12:
			m.outputs = append(m.outputs, readPort(t, s))
		default:
			t.Errorf("graph: field %d", field)
		}
	})
}

func readNode(t *testing.T, b []byte) op {
	t.Helper()
	o := op{ints: map[string][]int{}}
	fields(t, b, func(field protowire.Number, _ int, s []byte) {
		switch field {
		case 1:
			o.inputs = append(o.inputs, string(s))
		case 2:
			o.outputs = append(o.outputs, string(s))
		case 3:
			o.name = string(s)
		case 4:
			o.operator = string(s)
		case 5:
			var name string
			var values []int
			single, kind := false, 0
			fields(t, s, func(field protowire.Number, v int, s []byte) {
				switch field {
				case 1:
					name = string(s)
				case 3:
					single = true
					values = append(values, v)
				case 8:
					values = append(values, v)
				case 20:
					kind = v
				default:
					t.Errorf("attribute: field %d", field)
				}
			})
			if want := map[bool]int{true: 2, false: 7}[single]; kind != want {
				t.Errorf("attribute %s of %s has type %d, want %d", name, o.name, kind, want)
			}
			o.ints[name] = values
		default:
			t.Errorf("node: field %d", field)
		}
	})
	return o
}

func readTensor(t *testing.T, b []byte) array {
	t.Helper()
	var a array
	elem := 0
	fields(t, b, func(field protowire.Number, v int, s []byte) {
		switch field {
		case 1:
			a.shape = append(a.shape, v)
		case 2:
			elem = v
		case 8:
			a.name = string(s)
		case 9:
			for ; len(s) >= 4; s = s[4:] {
				a.data = append(a.data, math.Float32frombits(binary.LittleEndian.Uint32(s)))
			}
		case 12:
			a.doc = string(s)
		default:
			t.Errorf("tensor: field %d", field)
		}
	})
	if elem != 1 {
		t.Errorf("tensor %s has element type %d, want 1 (float32)", a.name, elem)
	}
	if product(a.shape) != len(a.data) {
		t.Errorf("tensor %s of shape %v has %d numbers", a.name, a.shape, len(a.data))
	}
	return a
}

func readPort(t *testing.T, b []byte) port {
	t.Helper()
	var p port
	fields(t, b, func(field protowire.Number, _ int, s []byte) {
		switch field {
		case 1:
			p.name = string(s)
		case 3:
			p.doc = string(s)
		case 2: // type: tensor_type: elem_type, shape: dim: dim_value or dim_param
			fields(t, s, func(_ protowire.Number, _ int, s []byte) {
				fields(t, s, func(field protowire.Number, v int, s []byte) {
					if field == 1 {
						p.elem = v
						return
					}
					fields(t, s, func(_ protowire.Number, _ int, s []byte) {
						fields(t, s, func(field protowire.Number, v int, s []byte) {
							p.shape = append(p.shape, dimension(field, v, s))
						})
					})
				})
			})
		default:
			t.Errorf("input or output: field %d", field)
		}
	})
	return p
}
