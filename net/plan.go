package net

// prepared holds the weights as inference wants them.
type prepared struct{}
