// Package house holds the one rule about the house itself: which room may
// import which. It has no code of its own; its test reads the sources.
package house
