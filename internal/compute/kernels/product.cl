// product is dense on tensor cores: it multiplies parts of an input by a matrix, and adds a bias. A row
// is what dense reads of a position for one row of its output. inputs is a multiple of 16*WARPS, inner
// and xAt are even. Weights are those of a convolution (taps 1), outputs padded to multiples of 64.
//
// A group makes 64 outputs of 16 positions. Each of its warps adds up the products of some of the
// inputs, and the group then adds the warps' sums in their order.
#define WARPS 8
#define SUM 72 // numbers of a position in the sums: 64, and 8 so that banks differ
#define BOARDS 1
#define BLOCKS WARPS
#define ITEMS (32 * WARPS)
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void product(__global const store *restrict x, __global const store *restrict w,
             __global const float *restrict bias, __global float *restrict y,
             int xBoard, int xAt, int run, int inner, int inputs,
             int outputs, int yBoard, int yAt, int relu) {
  __local float sums[WARPS * 16 * SUM] __attribute__((aligned(16)));
  EXCHANGE
  const int id = get_local_id(0), warp = id / 32, lane = id % 32, g = lane / 4, t = lane % 4;
  const int board = get_group_id(0) * 16, first = get_group_id(1) * 64, stride = (outputs + 63) / 64 * 64;
  x += (board + g) * xBoard + xAt;
  __global const uint4 *restrict fragments = (__global const uint4 *)w + first / 16 * 32 + lane;
  float c[8][4];
  UNROLL
  for (int n = 0; n < 8; n++)
    UNROLL
    for (int i = 0; i < 4; i++) c[n][i] = 0.0f;
  for (int chunk = warp; chunk < inputs / 16; chunk += WARPS) {
    const int early = chunk * 16 + 2 * t, late = early + 8;
    __global const store *restrict a = x + early / inner * run + early % inner;
    __global const store *restrict b = x + late / inner * run + late % inner;
    const uint a0 = *(__global const uint *)a, a1 = *(__global const uint *)(a + 8 * xBoard);
    const uint a2 = *(__global const uint *)b, a3 = *(__global const uint *)(b + 8 * xBoard);
    UNROLL
    for (int n = 0; n < 8; n += 2) {
      const uint4 v = fragments[(chunk * (stride / 16) + n / 2) * 32];
      MMA(c[n], a0, a1, a2, a3, v.x, v.y);
      MMA(c[n + 1], a0, a1, a2, a3, v.z, v.w);
    }
  }
  UNROLL
  for (int n = 0; n < 8; n++)
    UNROLL
    for (int i = 0; i < 4; i++) sums[(warp * 16 + g + i / 2 * 8) * SUM + n * 8 + 2 * t + i % 2] = c[n][i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int to = first + id % 64;
  if (to >= outputs) return;
  for (int row = id / 64; row < 16; row += WARPS / 2) {
    float v = bias[to];
    for (int k = 0; k < WARPS; k++) v += sums[(k * 16 + row) * SUM + id % 64];
    y[(board + row) * yBoard + yAt + to] = relu ? RELU(v) : v;
  }
}
#undef BOARDS
#undef BLOCKS
#undef ITEMS
