package net

// NumPlanes is the number of input planes.
const NumPlanes = 40
