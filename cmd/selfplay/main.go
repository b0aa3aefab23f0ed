// Command selfplay is the command warren selfplay.
package main

import (
	"warren/internal/command/selfplay"
	"warren/internal/console"
)

func main() { selfplay.Main(console.Program("selfplay")) }
