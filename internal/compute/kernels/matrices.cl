// What the products of mixed precision have in common: numbers in bf16, fragments of matrices, and copies to the memory of a group. They
// are instructions of tensor cores and of compute capability 8.0, so this source is compiled to PTX only.
//
// The instruction mma.m16n8k16 multiplies 16x16 numbers in bf16 by 16x8 and adds the products in fp32. A warp's 32 lanes hold the matrices
// together: lane 4*g+t has the pairs (g, 2t), (g+8, 2t), (g, 2t+8) and (g+8, 2t+8) of the first, (2t, g) and (2t+8, g) of the second, and
// (g, 2t) and (g+8, 2t) of the sums. ldmatrix loads four matrices of 8x8, of which lane l names row l%8 of matrix l/8, so that lane 4*g+t
// gets the pair (g, 2t) of each; transposed, it gets (2t, g) and (2t+1, g).

#define PAIRS(low, high) ((uint)(low) | (uint)(high) << 16)
#define LOW(pair) as_float((pair) << 16)
#define HIGH(pair) as_float((pair) & 0xffff0000u)

// LANE is the place of a row of four matrices: those of odd numbers are s1 bytes from the even ones before, the last two s2 from the first
// two, and rows are pitch bytes apart.
#define LANE(lane, s1, s2, pitch) (((lane) / 8 & 1) * (s1) + (lane) / 16 * (s2) + (lane) % 8 * (pitch))

#define UNROLL _Pragma("unroll") // so that sums and fragments are in registers
#define MMA(c, a0, a1, a2, a3, b0, b1)                                                          \
  __asm__("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "                               \
          "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                               \
          : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])                              \
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#define MATRICES(r0, r1, r2, r3, at, s1, s2, pitch)                                             \
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"              \
                   : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(arena + (at) + LANE(lane, s1, s2, pitch)))
#define TRANSPOSED(r0, r1, r2, r3, at, s1, s2, pitch)                                           \
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"        \
                   : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(arena + (at) + LANE(lane, s1, s2, pitch)))
// The memory of a group, whose size the launch gives. Places in it are in bytes.
__asm__(".extern .shared .align 16 .b8 arena[];");
#define ARENA                                                                                   \
  uint arena;                                                                                   \
  __asm__("mov.u32 %0, arena;" : "=r"(arena))
#define COPY(to, from)                                                                          \
  __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(arena + (to)), "l"(from) : "memory")
#define COMMIT __asm__ volatile("cp.async.commit_group;" ::: "memory")
#define ARRIVED(left) __asm__ volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")
#define CLEAR(to) __asm__ volatile("st.shared.v4.b32 [%0], {%1,%1,%1,%1};" ::"r"(arena + (to)), "r"(0) : "memory")
#define LOADED4(v, at)                                                                          \
  __asm__ volatile("ld.shared.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"((v).x), "=r"((v).y), "=r"((v).z), "=r"((v).w) : "r"(arena + (at)))
#define STORE1(v, at) __asm__ volatile("st.shared.f32 [%0], %1;" ::"r"(arena + (at)), "f"(v) : "memory")
#define LOAD1(v, at) __asm__ volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(arena + (at)) : "memory")
#define NARROW2(low, high) narrow2(low, high)
OVERLOADED uint narrow2(float low, float high) {
  uint v;
  __asm__("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(high), "f"(low));
  return v;
}
// PASSED is a pair of gradients where a pair of a ReLU's results is greater than 0. As numbers in bf16 they are from 1 to 0x7f80.
#define POSITIVE(half) ((uint)(half) - 1 < 0x7f80u)
#define PASSED(pair, gradients) \
  ((POSITIVE((pair) & 0xffff) ? (gradients) & 0xffff : 0) | (POSITIVE((pair) >> 16) ? (gradients) & 0xffff0000u : 0))

// RELU keeps what is not a number, so that a broken network is seen.
#define RELU(v) ((v) < 0.0f ? 0.0f : (v))

// Bits of the argument flags of a convolution.
#define PLUS_BIAS 1     // adds the layer's bias
#define PLUS_BOARD 2    // adds a bias for every board
#define PLUS_RESIDUAL 4 // adds a residual
#define RELU_LAST 8     // ends with a ReLU
#define MASKED 16       // ends with the gradient of a ReLU, whose results are the mask
#define SUMMED 32       // also writes the sums of the results over each board, [board][out]
#define PLAIN 64        // the result is in fp32, [row][out]
