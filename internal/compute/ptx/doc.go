// Package ptx interprets PTX, the assembly language of NVIDIA's devices, for tests of kernels where
// there is no device. It follows the PTX ISA, version 8.0, in the subset that clang and the
// generators of package kernels use. Any other instruction is an error of Parse, which names its
// line. A Device runs programs of package compute.
//
// An interpreter that only computed would not find the faults that matter: those that a device
// shows rarely, or never on the card at hand. So this one is as late and as unkind as the ISA
// allows, and keeps the order of all accesses to memory but those by which bulk copies read global memory:
//
//   - Two accesses to the same memory of which one is a write must be ordered by barriers, mbarriers
//     or wgmma.wait_group (the memory consistency model of the ISA, by vector clocks). Threads of a
//     warp are ordered no better than others. Blocks of a launch are not ordered at all. Of several
//     reads of global memory only the last one counts, and none through ld.global.nc.
//   - What a thread writes to shared memory reaches wgmma and bulk copies, the async proxy, only
//     through a fence.proxy.async of that thread, and then an order.
//   - wgmma reads and writes at the last moment, and its registers are out of bounds until then. A
//     warp that has waited for it does not know that the other three have. A group of them begins with
//     wgmma.fence, even where the ISA could do without.
//   - A bulk copy lands as late as possible, or at any time. A try_wait may give up.
//   - Shared memory, registers and predicates that nothing has written must not be read. New global
//     memory is full of NaN, and between two buffers there is none.
//   - Parities, counts of arrivals and bytes, alignment, bounds, threads of a warp that miss an
//     instruction for all, and threads that wait for ever are checked.
//
// The first such fault stops the kernel, as a *Fault with the line and the thread. The order in which
// warps run and copies land comes from a seed.
//
// Products of wgmma and mma.sync are added in fp32 one after the other, rounded each time. The ISA
// leaves both open, so only exact sums have the same bits as on a device.
//
// [Compare] and [Assemble] check files of PTX without running them.
package ptx
