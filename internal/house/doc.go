// Package house checks the structure of the program, as ARCHITECTURE.md describes it: which
// package may import which, and how long functions and files may be. It also checks that what documents
// name is there. It contains only tests, which read the sources.
package house
