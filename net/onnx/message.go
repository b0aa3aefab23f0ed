package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is an encoded protocol buffer. Field numbers and types are those of
// onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). The fields
// of a message are in the order of their numbers.
type message []byte

func (m *message) number(field protowire.Number, v int64) {
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, uint64(v))
}

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendString(*m, s)
}

func (m *message) sub(field protowire.Number, s message) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, s)
}

// numbers appends a repeated field of integers, unpacked. Parsers accept both
// forms; the format's own tools write this one.
func (m *message) numbers(field protowire.Number, vs []int) {
	for _, v := range vs {
		m.number(field, int64(v))
	}
}

// floats appends a field of bytes that holds numbers as ONNX's raw data,
// little-endian.
func (m *message) floats(field protowire.Number, vs []float32) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendVarint(*m, uint64(4*len(vs)))
	for _, v := range vs {
		*m = binary.LittleEndian.AppendUint32(*m, math.Float32bits(v))
	}
}

// Values of ONNX's enumerations that are used here.
const (
	typeFloat = 1 // TensorProto.DataType
	attrInt   = 2 // AttributeProto.AttributeType
	attrInts  = 7
)

// tensor returns a TensorProto of float32.
func tensor(name, doc string, shape []int, data []float32) message {
	m := make(message, 0, 4*len(data)+len(name)+len(doc)+64)
	m.numbers(1, shape)
	m.number(2, typeFloat)
	m.text(8, name)
	m.floats(9, data)
	m.text(12, doc)
	return m
}

// attribute is a NodeProto's attribute: an integer or a list of them.
type attribute struct {
	name string
	one  int
	many []int // the value instead of one, if not nil
}

func (a attribute) message() message {
	var m message
	m.text(1, a.name)
	if a.many == nil {
		m.number(3, int64(a.one))
		m.number(20, attrInt)
		return m
	}
	m.numbers(8, a.many)
	m.number(20, attrInts)
	return m
}

// node returns a NodeProto with one output. The node has the output's name.
func node(operator, output string, inputs []string, attributes []attribute) message {
	var m message
	for _, in := range inputs {
		m.text(1, in)
	}
	m.text(2, output)
	m.text(3, output)
	m.text(4, operator)
	for _, a := range attributes {
		m.sub(5, a.message())
	}
	return m
}

// message returns the port as a ValueInfoProto. The first dimension is named
// "batch" and has any length.
func (p Port) message() message {
	var batch, shape message
	batch.text(2, "batch")
	shape.sub(1, batch)
	for _, d := range p.Shape {
		var dim message
		dim.number(1, int64(d))
		shape.sub(1, dim)
	}
	var tensorType, valueType, m message
	tensorType.number(1, typeFloat)
	tensorType.sub(2, shape)
	valueType.sub(1, tensorType)
	m.text(1, p.Name)
	m.sub(2, valueType)
	m.text(3, p.Doc)
	return m
}

// entry returns a StringStringEntryProto of the metadata.
func entry(key, value string) message {
	var m message
	m.text(1, key)
	m.text(2, value)
	return m
}
