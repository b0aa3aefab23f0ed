// Command export writes a trained network as an ONNX model, which other
// programs and languages can run.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"warren/internal/console"
	"warren/net"
	"warren/net/onnx"
)

const description = `Write a network as an ONNX model.

The model runs in ONNX Runtime (1.6 or later) and everything else that reads ONNX, on batches of any size.
Its input and outputs are documented in the file; its metadata say which network it is, with the hash of
its weights, the run and the generation.

Examples:
  export runs/quick/networks/gen-00040.safetensors quick.onnx
  export --inputs runs/quick/networks/gen-00040.safetensors quick.onnx`

type flags struct {
	Network string `arg:"" help:"The network, a .safetensors file."`
	Out     string `arg:"" help:"The model to write, a .onnx file. One that is there is replaced."`
	Inputs  bool   `help:"Also print what the numbers of the input and the outputs mean."`
}

func main() {
	var f flags
	console.Parse(&f, "export", description)
	console.Run("export", func(context.Context) error { return f.run(os.Stdout) })
}

func (f *flags) run(out io.Writer) error {
	if !strings.EqualFold(filepath.Ext(f.Out), ".onnx") {
		return fmt.Errorf("%s: the model's name must end in .onnx", f.Out)
	}
	if dir, err := os.Stat(filepath.Dir(f.Out)); err != nil || !dir.IsDir() {
		return fmt.Errorf("%s: there is no directory %s; make it first", f.Out, filepath.Dir(f.Out))
	}
	n, meta, err := net.Load(f.Network)
	if err != nil {
		return err
	}
	if err := onnx.Save(f.Out, n, meta); err != nil {
		return err
	}
	info, err := os.Stat(f.Out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %v network, %d parameters, %.1f MB\n", f.Out, n.Config, n.NumParams(), float64(info.Size())/1e6)
	fmt.Fprintf(out, "  run %s, generation %s, hash %.16s\n", cmp.Or(meta["run"], "unknown"), cmp.Or(meta["generation"], "unknown"), n.Hash())
	f.port(out, "input ", onnx.Planes)
	f.port(out, "output", onnx.Policy)
	f.port(out, "output", onnx.Value)
	return nil
}

// port prints the name and shape of an input or output.
func (f *flags) port(out io.Writer, kind string, p onnx.Port) {
	shape := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(p.Shape), "[]")), ", ")
	fmt.Fprintf(out, "  %s %-7s float32 [batch, %s]\n", kind, p.Name, shape)
	if f.Inputs {
		fmt.Fprintf(out, "    %s\n", p.Doc)
	}
}
