// A convolution on tensor cores, with the arguments of the kernel conv. This text is
// compiled once for every shape: NAME, TAPS (9 or 1), and a work group of BOARDS*BLOCKS
// warps, in which each warp computes 8*TILES outputs of a board.
//
// The instruction mma.m16n8k16 multiplies a fragment of 16 squares (two ranks) and 16 input
// channels by one of 16 input channels and 8 outputs. A warp's 32 lanes hold a fragment
// together; lane 4*g+t has the channels 2t, 2t+1, 2t+8 and 2t+9 of file g on both ranks, or of
// output g. Of the sums it has outputs 2t and 2t+1 on file g of both ranks.
//
// Weights lie as the lanes want them, [in/16][taps][stride/16][lane][4 words], where the
// words are the two of the first 8 outputs and the two of the next 8.
#ifndef MMA

#ifdef __NVPTX__
#define UNROLL _Pragma("unroll") // so that sums and fragments are in registers
#define EXCHANGE
#define MMA(c, a0, a1, a2, a3, b0, b1)                                                        \
  __asm__("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "                               \
          "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                             \
          : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])                            \
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#else
// Elsewhere the lanes exchange their fragments through local memory, so that every index is
// tested on any device.
#define UNROLL _Pragma("nounroll") // compilers for processors cannot cope with so many barriers
#define EXCHANGE __local uint shared[BOARDS * BLOCKS * 32 * 6];
#define MMA(c, a0, a1, a2, a3, b0, b1) emulate(c, (uint4)(a0, a1, a2, a3), (uint2)(b0, b1), shared)

float part(uint pair, int high) {
  const ushort h = high ? pair >> 16 : pair & 0xffff;
  return vload_half(0, (const half *)&h);
}

void emulate(float *c, uint4 a, uint2 b, __local uint *shared) {
  const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
  shared += get_local_id(0) / 32 * 32 * 6;
  vstore4(a, lane, shared);
  vstore2(b, lane, shared + 128);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 4; i++) {
    const int output = 2 * t + i % 2, rank = i / 2;
    for (int k = 0; k < 16; k++) {
      const int from = k % 8 / 2, late = k / 8;
      c[i] = fma(part(shared[(g * 4 + from) * 4 + rank + 2 * late], k % 2),
                 part(shared[128 + (output * 4 + from) * 2 + late], k % 2), c[i]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

#define ROW 12 // words of a square in the tile: 16 channels, and 4 so that banks differ
#endif

#define ITEMS (32 * BOARDS * BLOCKS)
#define COPIES (4 / BLOCKS) // pieces of 8 channels that an item copies
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void NAME(__global const store *restrict x, __global const store *restrict w,
          __global const float *restrict bias, int biasBoard,
          __global const store *restrict residual, __global store *restrict y,
          int in, int out, int stride, int taps, int flags) {
  __local uint tile[BOARDS * 100 * ROW] __attribute__((aligned(16))); // with an edge of zeros
  EXCHANGE
  const int id = get_local_id(0), lane = id % 32, g = lane / 4, t = lane % 4;
  const int mine = id / 32 % BOARDS, board = get_group_id(0) * BOARDS + mine;
  const int first = (get_group_id(1) * BLOCKS + id / 32 / BOARDS) * 8 * TILES;
  x += get_group_id(0) * BOARDS * 64 * in;
  __global const uint4 *restrict fragments = (__global const uint4 *)w + first / 16 * 32 + lane;
  __local const uint *corner = tile + (mine * 100 + g) * ROW + t;

  for (int k = id; k < BOARDS * 100 * ROW; k += ITEMS) tile[k] = 0;
  float c[4][TILES][4];
  UNROLL
  for (int m = 0; m < 4; m++)
    UNROLL
    for (int n = 0; n < TILES; n++)
      UNROLL
      for (int i = 0; i < 4; i++) c[m][n][i] = 0.0f;

  // The channels that come next are on their way while the warps compute.
  const int late = id % 2, column = id / 2;
  uint4 ahead[COPIES];
  UNROLL
  for (int j = 0; j < COPIES; j++)
    ahead[j] = *(__global const uint4 *)(x + (j * ITEMS / 2 + column) * in + late * 8);
  for (int i0 = 0; i0 < in; i0 += 16) {
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (int j = 0; j < COPIES; j++) {
      const int square = j * ITEMS / 2 + column;
      const int at = square / 64 * 100 + square % 64 / 8 * 10 + square % 8 + 11;
      *(__local uint4 *)(tile + at * ROW + late * 4) = ahead[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int next = i0 + 16 < in ? i0 + 16 : i0;
    UNROLL
    for (int j = 0; j < COPIES; j++)
      ahead[j] = *(__global const uint4 *)(x + (j * ITEMS / 2 + column) * in + next + late * 8);
    UNROLL
    for (int df = TAPS == 9 ? 0 : 1; df < (TAPS == 9 ? 3 : 2); df++) {
      uint rank[10][2];
      UNROLL
      for (int r = 0; r < 10; r++) {
        rank[r][0] = corner[(r * 10 + df) * ROW];
        rank[r][1] = corner[(r * 10 + df) * ROW + 4];
      }
      UNROLL
      for (int dr = TAPS == 9 ? 0 : 1; dr < (TAPS == 9 ? 3 : 2); dr++) {
        const int tap = TAPS == 9 ? dr * 3 + df : 0;
        __global const uint4 *restrict at = fragments + (i0 / 16 * TAPS + tap) * (stride / 16) * 32;
        UNROLL
        for (int n = 0; n < TILES; n += 2) {
          const uint4 b = at[n * 16];
          UNROLL
          for (int m = 0; m < 4; m++) {
            const int r = 2 * m + dr;
            MMA(c[m][n], rank[r][0], rank[r + 1][0], rank[r][1], rank[r + 1][1], b.x, b.y);
            MMA(c[m][n + 1], rank[r][0], rank[r + 1][0], rank[r][1], rank[r + 1][1], b.z, b.w);
          }
        }
      }
    }
  }

  bias += board * biasBoard;
  UNROLL
  for (int n = 0; n < TILES; n++) {
    const int to = first + n * 8 + 2 * t;
    if (to >= out) continue;
    UNROLL
    for (int m = 0; m < 4; m++)
      UNROLL
      for (int i = 0; i < 4; i += 2) {
        const int at = (board * 64 + (2 * m + i / 2) * 8 + g) * out + to;
        float2 v = (float2)(c[m][n][i] + bias[to], c[m][n][i + 1] + bias[to + 1]);
        if (flags & 1) v += vload_half2(0, residual + at);
        vstore_half2_rte((float2)(RELU(v.x), RELU(v.y)), 0, y + at);
      }
  }
}
#undef ITEMS
#undef COPIES
