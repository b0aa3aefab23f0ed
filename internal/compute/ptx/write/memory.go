package write

// LoadF returns a number in fp32 of global memory that no thread writes.
func (k *Kernel) LoadF(address U64, at Int) F32 {
	d := k.NewF32()
	k.op("ld.global.nc.f32 %s, [%s+%d]", d, address, int(at))
	return d
}

// LoadTwoF copies two such numbers to registers. The address must be a multiple of 8.
func (k *Kernel) LoadTwoF(d []F32, address U64, at Int) {
	k.op("ld.global.nc.v2.f32 %s, [%s+%d]", list(d), address, int(at))
}

// LoadPairF returns two such numbers. The address must be a multiple of 8.
func (k *Kernel) LoadPairF(address U64, at Int) []F32 {
	d := k.F32s(2)
	k.LoadTwoF(d, address, at)
	return d
}

// Load4 returns 4 bytes of global memory.
func (k *Kernel) Load4(address U64, at Int) U32 {
	d := k.NewU32()
	k.op("ld.global.nc.b32 %s, [%s+%d]", d, address, int(at))
	return d
}

// Load16 copies 16 bytes of global memory to four registers. The address must be a multiple of 16,
// as for the others that end in 16.
func (k *Kernel) Load16(d []U32, address U64, at Int) {
	k.op("ld.global.v4.b32 %s, [%s+%d]", list(d), address, int(at))
}

// LoadConstant16 is Load16 of memory that no thread writes.
func (k *Kernel) LoadConstant16(d []U32, address U64, at Int) {
	k.op("ld.global.nc.v4.b32 %s, [%s+%d]", list(d), address, int(at))
}

// Store4 copies a register to global memory.
func (k *Kernel) Store4(address U64, at Int, v U32) {
	k.op("st.global.b32 [%s+%d], %s", address, int(at), v)
}

// Store16 copies four registers to global memory.
func (k *Kernel) Store16(address U64, at Int, v []U32) {
	k.op("st.global.v4.b32 [%s+%d], %s", address, int(at), list(v))
}

// ReadF returns a number in fp32 of shared memory.
func (k *Kernel) ReadF(address U32, at Int) F32 {
	d := k.NewF32()
	k.op("ld.shared.f32 %s, [%s+%d]", d, address, int(at))
	return d
}

// ReadF4 returns four numbers in fp32 of shared memory, at a multiple of 16.
func (k *Kernel) ReadF4(address U32, at Int) []F32 {
	d := k.F32s(4)
	k.op("ld.shared.v4.f32 %s, [%s+%d]", list(d), address, int(at))
	return d
}

// WriteF writes one, two or four numbers in fp32 to shared memory, at a multiple of their size.
func (k *Kernel) WriteF(address U32, at Int, v ...F32) {
	switch len(v) {
	case 1:
		k.op("st.shared.f32 [%s+%d], %s", address, int(at), v[0])
	case 2:
		k.op("st.shared.v2.f32 [%s+%d], %s", address, int(at), list(v))
	default:
		k.op("st.shared.v4.f32 [%s+%d], %s", address, int(at), list(v))
	}
}

// Read4 returns 4 bytes of shared memory.
func (k *Kernel) Read4(address U32, at Int) U32 {
	d := k.NewU32()
	k.op("ld.shared.b32 %s, [%s+%d]", d, address, int(at))
	return d
}

// Write4 writes 4 bytes to shared memory.
func (k *Kernel) Write4(address U32, at Int, v U32) {
	k.op("st.shared.b32 [%s+%d], %s", address, int(at), v)
}

// Read16 returns 16 bytes of shared memory.
func (k *Kernel) Read16(address U32, at Int) []U32 {
	d := k.U32s(4)
	k.op("ld.shared.v4.b32 %s, [%s+%d]", list(d), address, int(at))
	return d
}

// Write16 writes 16 bytes to shared memory.
func (k *Kernel) Write16(address U32, at Int, v []U32) {
	k.op("st.shared.v4.b32 [%s+%d], %s", address, int(at), list(v))
}

// ReadMatrices reads four matrices of 8x8 numbers of 16 bits from shared memory, transposed: lane
// 8q+i has the address of row i of matrix q, and receives in register q the numbers of column
// lane/4 in rows 2*(lane%4) and the next.
func (k *Kernel) ReadMatrices(d []U32, address U32, at Int) {
	k.op("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 %s, [%s+%d]", list(d), address, int(at))
}

// WriteMatrices is the reverse of ReadMatrices.
func (k *Kernel) WriteMatrices(address U32, at Int, v []U32) {
	k.op("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%s+%d], %s", address, int(at), list(v))
}

// ReadRows reads four matrices as ReadMatrices does, but not transposed: a lane receives of row lane/4 the
// numbers 2*(lane%4) and the next.
func (k *Kernel) ReadRows(d []U32, address U32, at Int) {
	k.op("ldmatrix.sync.aligned.m8n8.x4.shared.b16 %s, [%s+%d]", list(d), address, int(at))
}

// StoreF writes a number in fp32 to global memory.
func (k *Kernel) StoreF(address U64, at Int, v F32) {
	k.op("st.global.f32 [%s+%d], %s", address, int(at), v)
}
