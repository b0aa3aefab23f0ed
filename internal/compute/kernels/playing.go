package kernels

import "warren/internal/compute"

// The kernels that evaluate positions. kernels.cl says what they compute.
type (
	Expand struct {
		Input, Y compute.Buffer
		Channels int
	}

	Conv struct {
		Launch    Launch // how it is run, which is no argument
		X, W      compute.Buffer
		Bias      compute.Buffer
		BiasBoard int
		Residual  compute.Buffer
		Y         compute.Buffer

		In, Out, Stride, Taps int
		Flags                 int // AddResidual or 0
	}

	Pool struct {
		X, Y     compute.Buffer
		Channels int
	}

	// Dense reads numbers in fp32.
	Dense struct {
		X, W, Bias, Y compute.Buffer

		XBoard, XAt, Run, Inner, Inputs, Rows int
		Outputs, YBoard, YAt                  int
		Relu                                  bool
	}

	// DenseStored reads numbers as the form keeps them.
	DenseStored Dense

	// Product is DenseStored on tensor cores.
	Product struct {
		X, W, Bias, Y compute.Buffer

		XBoard, XAt, Run, Inner, Inputs int
		Outputs, YBoard, YAt            int
		Relu                            bool
	}

	Heads struct {
		X, Hidden, Steps, Other, Chance, Y compute.Buffer

		XBoard, XAt, Run, Channels, Others, Units, Chances, YBoard int
	}

	Answer struct {
		X, Wanted, Y        compute.Buffer
		Size, First, Logits int
	}

	// Tower is the residual blocks of a network, by a kernel of package hopper.
	Tower struct {
		Launch                      Launch // how it is run, which is no argument
		X, Y, Weights, Biases, Pool compute.Buffer
		Boards, Blocks, Every       int
		Local                       compute.Local
	}

	// Network is a network but for what its heads make of their first layers, likewise. Resident is the same
	// by a kernel of package ampere.
	Network struct {
		Launch                       Launch
		Positions, Y, Scratch        compute.Buffer
		Weights, Biases, Pool        compute.Buffer
		Boards, Blocks, Every, Width int
		Local                        compute.Local
	}

	Resident struct {
		Launch                                  Launch
		Positions, Y, Weights, Biases, Products compute.Buffer
		Blocks, Every, Width                    int
		Local                                   compute.Local
	}

	// ByteNetwork is Network with blocks in whole numbers of 8 bits.
	ByteNetwork struct {
		Launch                        Launch
		Positions, Y, Scratch         compute.Buffer
		Weights, Biases, Scales, Pool compute.Buffer
		Boards, Blocks, Every, Width  int
		Local                         compute.Local
	}
)

// Multiplies reports whether a product of stored numbers can be a Product, on tensor cores.
func (f Form) Multiplies(d Dense) bool {
	return f.Tensor && d.Rows == 1 && d.Inputs%128 == 0 && d.Inner%2 == 0 && d.XAt%2 == 0
}

// AddResidual is the flag of Conv.
const AddResidual = 1

func (Expand) kernel() (string, int)        { return "expand", items }
func (c Conv) kernel() (string, int)        { return c.Launch.Kernel, c.Launch.Group }
func (Pool) kernel() (string, int)          { return "pool", items }
func (Dense) kernel() (string, int)         { return "dense", items }
func (DenseStored) kernel() (string, int)   { return "denseStored", items }
func (Product) kernel() (string, int)       { return "product", 256 }
func (Heads) kernel() (string, int)         { return "heads", items }
func (Answer) kernel() (string, int)        { return "answer", items }
func (t Tower) kernel() (string, int)       { return t.Launch.Kernel, t.Launch.Group }
func (n Network) kernel() (string, int)     { return n.Launch.Kernel, n.Launch.Group }
func (r Resident) kernel() (string, int)    { return r.Launch.Kernel, r.Launch.Group }
func (n ByteNetwork) kernel() (string, int) { return n.Launch.Kernel, n.Launch.Group }
