// Package onnx writes a network in the open ONNX format (https://onnx.ai), which
// other programs and languages can run.
//
// Build expresses the network's computation in ONNX operators. The file describes
// itself: its inputs and outputs have names and documentation, the batch size is
// free, and its metadata has the architecture, the content hash of the weights and
// their provenance.
//
// The file uses operator set 13 (ONNX 1.8, end of 2020), which ONNX Runtime
// supports since version 1.6, and no operator outside the standard domain.
package onnx
