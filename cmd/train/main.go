// Command train is the command warren train.
package main

import (
	"warren/internal/command/train"
	"warren/internal/console"
)

func main() { train.Main(console.Program("train")) }
