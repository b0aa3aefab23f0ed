package write

// Sync waits at a barrier until a number of threads have come to it with Sync or Arrive.
func (k *Kernel) Sync(barrier Operand, threads int) {
	k.op("bar.sync %s, %d", barrier.operand(), threads)
}

// Arrive counts the thread at a barrier, and does not wait.
func (k *Kernel) Arrive(barrier Operand, threads int) {
	k.op("bar.arrive %s, %d", barrier.operand(), threads)
}

// InitBarrier makes 8 bytes of shared memory a barrier, each phase of which ends after a number of
// arrivals and after the bytes that they expect.
func (k *Kernel) InitBarrier(address U32, at Int, arrivals int) {
	k.op("mbarrier.init.shared::cta.b64 [%s+%d], %d", address, int(at), arrivals)
}

// PublishBarriers makes the barriers that the thread has made known to asynchronous copies.
func (k *Kernel) PublishBarriers() { k.op("fence.mbarrier_init.release.cluster") }

// ArriveAt counts one arrival at a barrier in shared memory.
func (k *Kernel) ArriveAt(barrier U32) { k.op("mbarrier.arrive.shared::cta.b64 _, [%s]", barrier) }

// Expect counts one arrival, and bytes that are to come.
func (k *Kernel) Expect(barrier U32, bytes int) {
	k.op("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], %d", barrier, bytes)
}

// Wait waits until the phase of the given parity has ended. Phases are counted from 0, and the
// phase before the first counts as ended.
func (k *Kernel) Wait(barrier, parity U32) {
	again, p := k.Label("wait"), k.NewPred()
	k.Place(again)
	k.op("mbarrier.try_wait.parity.shared::cta.b64 %s, [%s], %s", p, barrier, parity)
	k.JumpUnless(p, again)
}

// Fetch begins to copy bytes from global to shared memory. The barrier is told as they come. Size
// and addresses are multiples of 16.
func (k *Kernel) Fetch(to U32, from U64, bytes int, barrier U32) {
	k.op("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%s], %d, [%s]", to, from, bytes, barrier)
}

// CopyAsync begins to copy 16 bytes from global to shared memory, at multiples of 16.
func (k *Kernel) CopyAsync(to U32, at Int, from U64, offset Int) {
	k.op("cp.async.cg.shared.global [%s+%d], [%s+%d], 16", to, int(at), from, int(offset))
}

// CopySome is CopyAsync of the first bytes, and zeros behind them.
func (k *Kernel) CopySome(to U32, at Int, from U64, bytes U32) {
	k.op("cp.async.cg.shared.global [%s+%d], [%s], 16, %s", to, int(at), from, bytes)
}

// EndCopies closes a batch of the thread's CopyAsync.
func (k *Kernel) EndCopies() { k.op("cp.async.commit_group") }

// AwaitCopies waits until at most n of the thread's batches are not done.
func (k *Kernel) AwaitCopies(n int) { k.op("cp.async.wait_group %d", n) }

// SyncWarp waits for all threads of the warp.
func (k *Kernel) SyncWarp() { k.op("bar.warp.sync -1") }

// FenceAsync makes what the thread has written to shared memory visible to the matrix unit, which
// reads it another way, once the two have met at a barrier.
func (k *Kernel) FenceAsync() { k.op("fence.proxy.async.shared::cta") }

// MoreRegisters waits until each thread of the warpgroup can have n registers. FewerRegisters gives
// registers back.
func (k *Kernel) MoreRegisters(n int) { k.op("setmaxnreg.inc.sync.aligned.u32 %d", n) }

func (k *Kernel) FewerRegisters(n int) { k.op("setmaxnreg.dec.sync.aligned.u32 %d", n) }

// Matrices describes an operand of Multiply without swizzling: 8x8 numbers of 16 bits, a row of
// which is a unit of 16 bytes, lie in 128 consecutive bytes. Strides are in units.
type Matrices struct {
	Low  U32 // start and stride along K, from Start
	Rows Int // stride along M or N
}

// Start returns the low half of the descriptor of an operand that begins at an address.
func (k *Kernel) Start(address U32, depth Int) U32 {
	return k.Or(k.And(k.Right(address, Int(4)), Int(0x3fff)), depth<<16)
}

// Multiply begins d = a*b, or d += a*b if add holds, for 64 rows, 16 in depth, and 2*len(d) columns,
// in fp16 with sums in fp32. The warpgroup executes it together.
func (k *Kernel) Multiply(d []F32, a, b Matrices, add Pred) {
	k.op("wgmma.mma_async.sync.aligned.m64n%dk16.f32.f16.f16 %s, %s, %s, %s, 1, 1, 0, 0",
		2*len(d), list(d), k.descriptor(a.Low, a.Rows), k.descriptor(b.Low, b.Rows), add)
}

// MultiplyAcross begins d += a*b if add holds, and d = a*b otherwise, in bf16. A is in registers as
// ReadMatrices reads 16 by 16 numbers of each warp, whose rows are those of memory's columns. A row of
// b's matrices in memory has 8 columns of b.
func (k *Kernel) MultiplyAcross(d []F32, a []U32, b Matrices, add Pred) {
	k.op("wgmma.mma_async.sync.aligned.m64n%dk16.f32.bf16.bf16 %s, %s, %s, %s, 1, 1, 1",
		2*len(d), list(d), list(a), k.descriptor(b.Low, b.Rows), add)
}

// BeginMultiply must come between other uses of the sums and Multiply.
func (k *Kernel) BeginMultiply() { k.op("wgmma.fence.sync.aligned") }

// EndMultiply closes a batch of products.
func (k *Kernel) EndMultiply() { k.op("wgmma.commit_group.sync.aligned") }

// AwaitMultiply waits until at most n batches of products are not done.
func (k *Kernel) AwaitMultiply(n int) { k.op("wgmma.wait_group.sync.aligned %d", n) }

// MultiplyWarp adds the product of 16 rows a and 8 columns b, 16 in depth, to d, in fp16 with sums in fp32.
// The warp executes it together. A and b are matrices as ReadRows reads them: of the first 8 rows of a and
// of the others, then the same of the later half of the depth; and the rows of b are its columns.
func (k *Kernel) MultiplyWarp(d []F32, a, b []U32) {
	k.op("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %s, %s, %s, %s", list(d), list(a), list(b), list(d))
}
