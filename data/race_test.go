//go:build race

package data

func init() { underRace = true }
