//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package device

import (
	"fmt"
	"sync"

	"warren/internal/compute"
	"warren/internal/compute/cuda"
	"warren/internal/compute/kernels"
	"warren/internal/compute/opencl"
	"warren/internal/eval"
	"warren/internal/eval/gpu"
	"warren/net"
)

// drivers are the drivers of graphics processors. A name is the driver's, the number of the
// device, and if wanted the precision: "opencl:0", "opencl:0/fp16". Their libraries are
// opened when a device is asked for.
var drivers = []driver{
	{"opencl", found(opencl.Devices)},
	{"cuda", found(cuda.Devices)},
}

// found returns a function that wraps the devices that a driver finds, so that networks can be put
// on them.
func found(find func() ([]compute.Device, error)) func() ([]processor, error) {
	return sync.OnceValues(func() ([]processor, error) {
		devices, err := find()
		var all []processor
		for _, d := range devices {
			all = append(all, graphics{gpu.NewDevice(d), d})
		}
		return all, err
	})
}

// graphics is a graphics processor.
type graphics struct {
	*gpu.Device
	driver compute.Device
}

func (g graphics) compute() compute.Device { return g.driver }

// String describes the device.
func (g graphics) String() string {
	i := g.Info()
	return fmt.Sprintf("%s, %.1f GB, %d multiprocessors, %s", i.Name, float64(i.Memory)/1e9, i.Units, i.Detail)
}

// precisions names the precisions, the default first: fp16 if there are tensor cores for it, and
// otherwise fp32, which every driver computes reliably. int8 is for those whose tensor cores multiply bytes by
// wgmma.
func (g graphics) precisions() []string {
	switch {
	case g.tensor() && g.Info().Compute == 90:
		return []string{"fp16", "fp32", "int8"}
	case g.tensor():
		return []string{"fp16", "fp32"}
	case g.Info().Driver == "cuda":
		return []string{"fp32"} // fp16 is compiled for tensor cores only
	}
	return []string{"fp32", "fp16"}
}

// learning names the precisions of learning: bf16 needs tensor cores, on which it is the default.
func (g graphics) learning() []string {
	if g.tensor() {
		return []string{"bf16", "fp32"}
	}
	return []string{"fp32"}
}

// tensor reports whether the device has the instruction that the kernels are written for.
func (g graphics) tensor() bool { return g.Info().Driver == "cuda" && g.Info().Compute >= 80 }

func (g graphics) open(n *net.Network, precision string) (eval.Backend, error) {
	if precision == "int8" {
		return gpu.NewInt8(g.Device, n)
	}
	half := precision == "fp16"
	return gpu.New(g.Device, n, kernels.Form{Half: half, Tensor: half && g.tensor()})
}
