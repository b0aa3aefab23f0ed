package net

import "slices"

// Program is a network as a list of operations, trunk and heads alike, made once from the
// settings. Whatever computes or describes a network follows this list: the back ends, the
// learners, the exported models, the card and the documents. Only the plain reference of the tests
// is written without it.
type Program struct {
	// Layers are in the order in which files keep their parameters.
	Layers []Layer
	// Ops are in the order of execution: each reads only earlier ones. The first is the input.
	Ops []Op
	// Trunk is the result that the heads read.
	Trunk Value
	// Heads are in the order of their outputs.
	Heads []Head
}

// Value is the result of an operation: its index in Program.Ops.
type Value int

const (
	// Input is the encoded position, a board of NumPlanes channels.
	Input Value = 0
	// None stands for an operand that an operation does not have.
	None Value = -1
)

// Op is an operation on one position. Its result is a board, [64][Channels], or a row,
// [Channels].
type Op struct {
	Kind  Kind
	X     Value // what it reads
	Layer int   // index in Program.Layers, or -1 if the kind has no weights

	// RowBias is a row that is added to every square before the activation, or None.
	RowBias Value
	// Residual is a board that is added before the activation, or None.
	Residual   Value
	Activation Activation // Linear or ReLU

	Board    bool // whether the result is a board
	Channels int
}

// Kind says what an operation computes.
type Kind uint8

const (
	// Position is the input.
	Position Kind = iota
	// Conv3x3 is a 3x3 convolution of a board. Its weight is [3][3][in][out].
	Conv3x3
	// Conv1x1 multiplies the channels of every square by one matrix, [in][out]: a 1x1
	// convolution.
	Conv1x1
	// Pool turns a board into a row: the means of its channels, then their maxima. It has no
	// weights.
	Pool
	// Dense multiplies a row by a matrix, [in][out]. It reads a board as one row, the
	// channels of a square side by side.
	Dense
)

// Activation is a function of an operation's result or of a head's output.
type Activation uint8

const (
	// Linear leaves the numbers as they are.
	Linear Activation = iota
	// ReLU replaces negative numbers with 0.
	ReLU
	// Logistic turns each number into a chance from 0 to 1.
	Logistic
	// Softmax turns the numbers of a row into shares that sum to 1.
	Softmax
)

// Layer is a weight and a bias.
type Layer struct {
	Name  string
	Shape []int   // of the weight; the last dimension is that of the outputs
	In    int     // channels that the layer reads; row r of the weight reads channel r%In
	Std   float64 // deviation of the initial weights
}

// Weight returns the name of the weight.
func (l *Layer) Weight() string { return l.Name + ".weight" }

// Bias returns the name of the bias.
func (l *Layer) Bias() string { return l.Name + ".bias" }

// Inputs returns the number of rows of the weight.
func (l *Layer) Inputs() int { return size(l.Shape[:len(l.Shape)-1]) }

// Outputs returns the number of columns of the weight.
func (l *Layer) Outputs() int { return l.Shape[len(l.Shape)-1] }

// Op returns the operation whose result is v.
func (p *Program) Op(v Value) *Op { return &p.Ops[v] }

// Layer returns the layer of the operation whose result is v. The operation must have one.
func (p *Program) Layer(v Value) *Layer { return &p.Layers[p.Ops[v].Layer] }

// Size returns the number of values of a result.
func (p *Program) Size(v Value) int {
	if p.Ops[v].Board {
		return 64 * p.Ops[v].Channels
	}
	return p.Ops[v].Channels
}

// Operands returns the results that the operation reads.
func (o *Op) Operands() []Value {
	if o.Kind == Position {
		return nil
	}
	operands := []Value{o.X}
	for _, v := range []Value{o.RowBias, o.Residual} {
		if v != None {
			operands = append(operands, v)
		}
	}
	return operands
}

// BiasOf returns the operation to which the result of v is a row bias, if that is all that v is
// for: nothing else reads it, and it has no activation, so that the operation's own bias can be
// added to it beforehand. Otherwise it returns None.
func (p *Program) BiasOf(v Value) Value {
	of := None
	for reader := v + 1; reader < Value(len(p.Ops)); reader++ {
		o := p.Op(reader)
		if !slices.Contains(o.Operands(), v) {
			continue
		}
		if of != None || o.RowBias != v || o.X == v || o.Residual == v {
			return None
		}
		of = reader
	}
	if p.Op(v).Activation != Linear {
		return None
	}
	return of
}
