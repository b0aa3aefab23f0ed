//go:build linux && amd64 && !purego

package quant

import (
	"errors"

	"golang.org/x/sys/cpu"

	"warren/internal/kernel/bf16"
)

// tileUnit returns the processor's tile unit, with AVX-512 for what is no product. The error says why it
// cannot be used. The first call asks Linux for it, for the whole process.
func tileUnit() (*Unit, error) {
	if _, err := bf16.AMX(); err != nil {
		return nil, err
	}
	units := assembly()
	if !cpu.X86.HasAMXInt8 || len(units) == 0 || units[0].name != "avx512-vnni" {
		return nil, errors.New("this processor has no AMX-INT8, or no VNNI")
	}
	u := *units[0]
	// The unit is so fast that it would wait for weights if fewer boards went through at once.
	u.name, u.bytes = "avx512-amx", &byBytes{func(p *pointProducts) { inGroups(p, amxBytes) }, packTiles, chunk, 16}
	return &u, nil
}
