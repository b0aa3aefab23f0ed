package kernels

import "warren/internal/compute"

type (
	// Chain is a chain of convolutions of learning in mixed precision, by a kernel of package hopper.
	Chain struct {
		Launch Launch // how it is run, which is no argument

		X, Mask, Weights, Numbers          compute.Buffer
		BoardBias, Pooled, Products, Steps compute.Buffer
		XAt, ResidualAt, Boards, Count     int
		Local                              compute.Local
	}

	// PackChain packs the weights of chains, likewise.
	PackChain struct {
		Launch                  Launch
		Weights, Packed, Layers compute.Buffer
	}
)

func (c Chain) kernel() (string, int)     { return c.Launch.Kernel, c.Launch.Group }
func (p PackChain) kernel() (string, int) { return p.Launch.Kernel, p.Launch.Group }
