package kernel

import (
	"fmt"
	"os"
	"sync"
)

// Variable names the environment variable that chooses a path.
const Variable = "WARREN_KERNEL"

// Chosen returns the path that networks run on in this process: the fastest
// that the processor has, unless the environment variable WARREN_KERNEL names
// another. If it names none that there is, the error says so. The choice is made
// once, so all results of a process agree bit for bit.
func Chosen() (*Path, error) { return chosen() }

var chosen = sync.OnceValues(func() (*Path, error) {
	name := os.Getenv(Variable)
	if name == "" {
		return Best(), nil
	}
	p, err := Named(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Variable, err)
	}
	return p, nil
})
