package kernels

// Launch says how a convolution is run.
type Launch struct {
	Kernel string
	Group  int // items of a work group
	Boards int // positions that a work group works on, at most 8
	Parts  int // work groups for the same positions
}

// Launch returns how a convolution is run.
func (f Form) Launch(c Conv) Launch {
	const wide = 32 // outputs of a work group
	return Launch{Kernel: "conv", Group: 64, Boards: 1, Parts: (f.Channels(c.Out) + wide - 1) / wide}
}
