package kernel

import (
	"fmt"
	"os"
	"sync"
)

// Variable names the environment variable that chooses a path.
const Variable = "WARREN_KERNEL"

// AMX is the value of Variable that makes package bf16 evaluate networks on the processor's tile
// unit. It is not a path of this package: everything else then runs on the fastest path.
const AMX = "amx"

// Int16 is the value of Variable that makes package quant evaluate networks in whole numbers. It is not
// a path of this package either.
const Int16 = "int16"

// Forced returns the value of Variable, empty if nothing is forced.
func Forced() string { return os.Getenv(Variable) }

// Chosen returns the path that networks run on in this process: the fastest that the processor has,
// unless the environment variable WARREN_KERNEL names another of this package. If there is no such
// path, the error says so. The choice is made once, so all results of a process agree bit for bit.
func Chosen() (*Path, error) { return chosen() }

var chosen = sync.OnceValues(func() (*Path, error) {
	name := Forced()
	if name == "" || name == AMX || name == Int16 {
		return Best(), nil
	}
	p, err := Named(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, or %s, or %s where the processor has AMX", Variable, err, Int16, AMX)
	}
	return p, nil
})
