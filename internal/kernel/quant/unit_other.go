//go:build !amd64 || purego

package quant

func assembly() []*Unit { return nil }
