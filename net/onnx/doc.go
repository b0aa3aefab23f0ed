// Package onnx writes a network in the open format of ONNX
// (https://onnx.ai), which other programs and languages can run.
//
// It stands beside package net's other views of the network: Build reads the
// one list of parameters and says the same computation in ONNX's operators.
// The file explains itself: its inputs and outputs are named and documented,
// the batch is free, and its metadata hold the architecture, the content hash
// of the weights and where they come from.
//
// What is written needs operator set 13 (ONNX 1.8, the end of 2020), which ONNX
// Runtime takes since 1.6, and no operator outside the standard domain.
package onnx
