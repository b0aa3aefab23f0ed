// Package house checks the structure of the program, the "house" of ARCHITECTURE.md: which
// package may import which. It contains only tests, which read the sources.
package house
