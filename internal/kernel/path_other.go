//go:build !amd64 || purego

package kernel

func assembly() []*Path { return nil }
