// Command bench times Warren's network beside ONNX Runtime and PyTorch: the same
// weights and positions, in turn and in short turns, so that a machine whose
// speed wanders is fair to all. It also holds the results to each other.
//
// The README beside this file says how to install the two and what is compared.
//
// Warren runs in this process (warren.go). The others are processes that answer
// requests, a line each (peer.go); their sides are onnxruntime.js and
// pytorch.py. What all of them read is made by material.go, and measure.go takes
// turns, keeps the rates and makes the table.
package main
