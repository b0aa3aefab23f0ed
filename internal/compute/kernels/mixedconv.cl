// A convolution in mixed precision, for both passes. This text is compiled once for every shape: NAME, TAPS (9 or 1), and a work group of
// BOARDS*BLOCKS warps, in which each warp computes 8*TILES outputs of a board.
//
// The group takes 16 channels at a time, a slab. The slab of its boards is in its memory, with a file of zeros between ranks and a rank of
// zeros between boards, so that a tap is another start. Weights come as the lanes want them,
// [in/16][file][rank][stride/16][lane][4 words], with AT_ONCE files of taps at a time. STAGES pieces of them are in memory, so that they and
// the boards are copied while the warps compute on what came before.
//
// Columns of the sums are permuted by the weights so that lane t has outputs 8t to 8t+7 of 32.

#define WARPS (BOARDS * BLOCKS)
#define ITEMS (32 * WARPS)
#define OUTPUTS (8 * TILES * BLOCKS)
#define FILES (TAPS == 9 ? 3 : 1)
#define SLABS (AT_ONCE < FILES ? 2 : STAGES)         // of boards, in memory
#define SLAB ((81 * BOARDS + 10) * 48)               // bytes; a square has 32, and 16 so that banks differ
#define PIECE (AT_ONCE * FILES * OUTPUTS / 16 * 512) // bytes of weights that come at a time
#define SQUARE(board, rank, file) ((((board) * 9 + (rank) + 1) * 9 + (file) + 1) * 48)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void NAME(__global const uint4 *x, int xAt, __global const uint4 *w, int wAt, __global const float *bias, int biasAt,
          __global const float *boardBias, __global const uint4 *residual, int residualAt, __global const uint4 *mask, int maskAt,
          __global uint4 *y, int yAt, __global float *sums, int sumsAt, int boards, int in, int out, int stride, int flags) {
  ARENA;
  const int id = get_local_id(0), lane = id % 32, t = lane % 4;
  const int mine = id / 32 % BOARDS, board = get_group_id(0) * BOARDS + mine;
  const int begin = get_group_id(1) * OUTPUTS, first = begin + id / 32 / BOARDS * 8 * TILES;
  const int stages = in / 16 * FILES / AT_ONCE, width = (out + 15) / 16 * 16; // of the result
  const int last = (boards - get_group_id(0) * BOARDS) * 64 - 1; // row; behind it the last one is read again
  x += xAt + get_group_id(0) * BOARDS * 64 * (in / 8);
  w += wAt + begin / 16 * 32;

  for (int k = id; k < SLABS * SLAB / 16; k += ITEMS) CLEAR(k * 16);
  barrier(CLK_LOCAL_MEM_FENCE);

  float c[4][TILES][4];
  UNROLL
  for (int m = 0; m < 4; m++)
    UNROLL
    for (int n = 0; n < TILES; n++)
      UNROLL
      for (int i = 0; i < 4; i++) c[m][n][i] = 0.0f;

#define FETCH(stage)                                                                            \
  if ((stage) < stages) {                                                                       \
    const int slab = (stage) * AT_ONCE / FILES;                                                 \
    if ((stage) * AT_ONCE % FILES == 0)                                                         \
      UNROLL                                                                                    \
      for (int j = 0; j < 4 / BLOCKS; j++) {                                                    \
        const int k = j * ITEMS + id;                                                           \
        COPY(slab % SLABS * SLAB + SQUARE(k / 128, k / 16 % 8, k / 2 % 8) + k % 2 * 16,         \
             x + (k / 2 < last ? k / 2 : last) * (in / 8) + slab * 2 + k % 2);                  \
      }                                                                                         \
    UNROLL                                                                                      \
    for (int j = 0; j < (PIECE / 16 + ITEMS - 1) / ITEMS; j++) {                                \
      const int k = j * ITEMS + id;                                                             \
      if (k < PIECE / 16)                                                                       \
        COPY(SLABS * SLAB + (stage) % STAGES * PIECE + k * 16,                                  \
             w + ((stage) * AT_ONCE * FILES + k / (OUTPUTS * 2)) * (stride * 2) + k % (OUTPUTS * 2)); \
    }                                                                                           \
  }                                                                                             \
  COMMIT
  for (int s = 0; s < STAGES - 1; s++) {
    FETCH(s);
  }
  for (int s = 0; s < stages; s++) {
    ARRIVED(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    FETCH(s + STAGES - 1);
    UNROLL
    for (int f = 0; f < AT_ONCE; f++) {
      const int file = TAPS == 1 ? 0 : AT_ONCE == 3 ? f - 1 : s % 3 - 1;
      const uint corner = s * AT_ONCE / FILES % SLABS * SLAB + SQUARE(mine, -1, file);
      const uint weights = SLABS * SLAB + s % STAGES * PIECE + (f * FILES * OUTPUTS + first - begin) / 16 * 512 + lane * 16;
      uint rank[10][2];
      UNROLL
      for (int r = 0; r < 10; r += 2)
        MATRICES(rank[r][0], rank[r + 1][0], rank[r][1], rank[r + 1][1], corner + r * 9 * 48, 9 * 48, 16, 48);
      UNROLL
      for (int dr = 0; dr < FILES; dr++)
        UNROLL
        for (int n = 0; n < TILES; n += 2) {
          uint4 b;
          LOADED4(b, weights + (dr * OUTPUTS / 16 + n / 2) * 512);
          UNROLL
          for (int m = 0; m < 4; m++) {
            const int r = 2 * m + (TAPS == 9 ? dr : 1);
            MMA(c[m][n], rank[r][0], rank[r + 1][0], rank[r][1], rank[r + 1][1], b.x, b.y);
            MMA(c[m][n + 1], rank[r][0], rank[r + 1][0], rank[r][1], rank[r + 1][1], b.z, b.w);
          }
        }
    }
  }
#undef FETCH

  // Of 32 outputs a lane has 8 on each square of its file. Their sums over the board are added in the group's memory.
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLL
  for (int q = 0; q < TILES / 4; q++) {
    const int to = first + 32 * q + 8 * t;
    float plus[8], whole[8];
    UNROLL
    for (int i = 0; i < 8; i++) {
      plus[i] = flags & PLUS_BIAS && to + i < out ? bias[biasAt + to + i] : 0.0f;
      if (flags & PLUS_BOARD && board < boards && to + i < out) plus[i] += boardBias[board * out + to + i];
      whole[i] = 0.0f;
    }
    const int rows = board * 64 + lane / 4;
    if (flags & PLAIN && board < boards) {
      UNROLL
      for (int k = 0; k < 64; k++) {
        const int i = k % 8;
        const float v = c[k / 16][4 * q + i / 2][2 * (k / 8 % 2) + i % 2] + plus[i];
        if (to + i < out) ((__global float *)y)[(rows + k / 8 * 8) * out + to + i] = flags & RELU_LAST ? RELU(v) : v;
      }
    } else if (board < boards && to < width) {
      UNROLL
      for (int k = 0; k < 8; k += 4) { // loads of 4 ranks are on their way before anything is stored
        uint4 added[4], passed[4];
        if (flags & PLUS_RESIDUAL) {
          UNROLL
          for (int r = 0; r < 4; r++) added[r] = residual[residualAt + (rows + (k + r) * 8) * (width / 8) + to / 8];
        }
        if (flags & MASKED) {
          UNROLL
          for (int r = 0; r < 4; r++) passed[r] = mask[maskAt + (rows + (k + r) * 8) * (width / 8) + to / 8];
        }
        UNROLL
        for (int r = 0; r < 4; r++) {
          float v[8];
          UNROLL
          for (int i = 0; i < 8; i++) v[i] = c[(k + r) / 2][4 * q + i / 2][2 * (r % 2) + i % 2] + plus[i];
          if (flags & PLUS_RESIDUAL) {
            v[0] += LOW(added[r].x), v[1] += HIGH(added[r].x), v[2] += LOW(added[r].y), v[3] += HIGH(added[r].y);
            v[4] += LOW(added[r].z), v[5] += HIGH(added[r].z), v[6] += LOW(added[r].w), v[7] += HIGH(added[r].w);
          }
          if (flags & RELU_LAST) {
            UNROLL
            for (int i = 0; i < 8; i++) v[i] = RELU(v[i]);
          }
          uint4 u = (uint4)(NARROW2(v[0], v[1]), NARROW2(v[2], v[3]), NARROW2(v[4], v[5]), NARROW2(v[6], v[7]));
          if (flags & MASKED)
            u = (uint4)(PASSED(passed[r].x, u.x), PASSED(passed[r].y, u.y), PASSED(passed[r].z, u.z), PASSED(passed[r].w, u.w));
          y[yAt + (rows + (k + r) * 8) * (width / 8) + to / 8] = u;
          whole[0] += LOW(u.x), whole[1] += HIGH(u.x), whole[2] += LOW(u.y), whole[3] += HIGH(u.y);
          whole[4] += LOW(u.z), whole[5] += HIGH(u.z), whole[6] += LOW(u.w), whole[7] += HIGH(u.w);
        }
      }
    }
    if (flags & SUMMED) {
      UNROLL
      for (int i = 0; i < 8; i++) STORE1(whole[i], (id / 32 * TILES / 4 + q) * 1024 + (lane / 4 * 32 + 8 * t + i) * 4);
    }
  }
  if (flags & SUMMED) {
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (int q = 0; q < TILES / 4; q++) {
      float whole = 0.0f;
      UNROLL
      for (int g = 0; g < 8; g++) {
        float part;
        LOAD1(part, (id / 32 * TILES / 4 + q) * 1024 + (g * 32 + lane) * 4);
        whole += part;
      }
      if (board < boards && first + 32 * q + lane < out) sums[sumsAt + board * out + first + 32 * q + lane] = whole;
    }
  }
}
#undef WARPS
#undef ITEMS
#undef OUTPUTS
#undef FILES
#undef SLABS
#undef SLAB
#undef PIECE
#undef SQUARE
