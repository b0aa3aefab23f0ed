// Package house checks the structure of the program, as ARCHITECTURE.md describes it: which
// package may import which. It contains only tests, which read the sources.
package house
