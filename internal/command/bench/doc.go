// Package bench compares the speed of Warren's network with ONNX Runtime and PyTorch, with
// the same weights and positions. The programs take short turns, so that changes in the
// speed of the machine affect all of them. It also compares their results.
//
// The README in this directory explains how to install the two programs and what is
// compared.
//
// Warren runs in this process, on the processor (warren.go) or another device (device.go). The
// others run in processes that answer requests of one line each (peer.go); their programs are
// onnxruntime.js and pytorch.py. The file material.go creates the data that all of them read.
// The file measure.go organizes the turns, records the rates and formats the table. The script
// gpu.sh makes all measurements of a graphics processor.
package bench
