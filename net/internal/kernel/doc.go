// Package kernel holds the few numeric loops the network spends its time in.
//
// Everything here is plain Go and single-threaded, and gives an element the
// same bits whatever else is computed beside it: each output is one sum, taken
// in one fixed order, that never depends on the number of positions.
package kernel
