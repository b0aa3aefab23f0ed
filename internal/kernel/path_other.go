//go:build (!amd64 && !arm64) || purego

package kernel

func assembly() []*Path { return nil }
