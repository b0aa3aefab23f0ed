// Gradients by the weights in mixed precision: sums over the squares of boards of products of a layer's inputs and the gradients by its
// results. This text is compiled once for TAPS 9 and once for 1.
//
// A group computes one job of the table, [job][8 numbers]: of at most 64 inputs and 64 outputs, over some boards. Boards come one after
// the other, inputs as in mixedconv.cl with zeros around them, so that a tap is another start. A warp computes 16 inputs of all taps times
// 32 outputs. Parts are [job][tap][64 inputs][64 outputs].

#define ITEMS 256
#define INPUTS (91 * 144)         // bytes of a board; a square has 128, and 16 so that banks differ
#define BOARD (INPUTS + 64 * 144) // and the gradients
#define SQUARE(rank, file) ((((rank) + 1) * 9 + (file) + 1) * 144)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void NAME(__global const uint4 *x, __global const uint4 *g, __global float *parts, int partsAt, __global const int *jobs) {
  ARENA;
  const int id = get_local_id(0), lane = id % 32, block = id / 32 % 4 * 16, column = id / 128 * 32;
  jobs += get_group_id(0) * 8;
  const int in = jobs[1], out = jobs[3], boards = jobs[5]; // in is the inputs of a square, out the gradients, in 16 bytes
  const int i0 = jobs[6], o0 = jobs[7];
  x += jobs[0] + jobs[4] * 64 * in + i0;
  g += jobs[2] + jobs[4] * 64 * out + o0;

  for (int k = id; k < STAGES * BOARD / 16; k += ITEMS) CLEAR(k * 16);
  barrier(CLK_LOCAL_MEM_FENCE);

  float c[TAPS][4][4];
  UNROLL
  for (int tap = 0; tap < TAPS; tap++)
    UNROLL
    for (int n = 0; n < 4; n++)
      UNROLL
      for (int i = 0; i < 4; i++) c[tap][n][i] = 0.0f;

#define FETCH(board)                                                                            \
  if ((board) < boards)                                                                         \
    UNROLL                                                                                      \
    for (int j = 0; j < 2; j++) {                                                               \
      const int k = j * ITEMS + id, square = k / 8, part = k % 8;                               \
      const int to = (board) % STAGES * BOARD + part * 16;                                      \
      if (i0 + part < in) COPY(to + SQUARE(square / 8, square % 8), x + ((board) * 64 + square) * in + part); \
      if (o0 + part < out) COPY(to + INPUTS + square * 144, g + ((board) * 64 + square) * out + part);        \
    }                                                                                           \
  COMMIT
  for (int board = 0; board < STAGES - 1; board++) {
    FETCH(board);
  }
  for (int board = 0; board < boards; board++) {
    ARRIVED(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    FETCH(board + STAGES - 1);
    const uint inputs = board % STAGES * BOARD + block * 2, gradients = board % STAGES * BOARD + INPUTS + column * 2;
    UNROLL
    for (int s = 0; s < 4; s++) {
      uint b[4][2];
      TRANSPOSED(b[0][0], b[1][0], b[2][0], b[3][0], gradients + 2 * s * 8 * 144, 16, 32, 144);
      TRANSPOSED(b[0][1], b[1][1], b[2][1], b[3][1], gradients + (2 * s + 1) * 8 * 144, 16, 32, 144);
      UNROLL
      for (int df = 0; df < (TAPS == 9 ? 3 : 1); df++) {
        const int file = TAPS == 9 ? df - 1 : 0;
        uint rank[4][2];
        UNROLL
        for (int r = 0; r < 4; r += 2)
          TRANSPOSED(rank[r][0], rank[r][1], rank[r + 1][0], rank[r + 1][1], inputs + SQUARE(2 * s + r - (TAPS == 9 ? 1 : 0), file), 16, 9 * 144, 144);
        UNROLL
        for (int dr = 0; dr < (TAPS == 9 ? 3 : 1); dr++)
          UNROLL
          for (int n = 0; n < 4; n++)
            MMA(c[TAPS == 9 ? dr * 3 + df : 0][n], rank[dr][0], rank[dr][1], rank[dr + 1][0], rank[dr + 1][1], b[n][0], b[n][1]);
      }
    }
  }
#undef FETCH

  parts += (partsAt + get_group_id(0) * TAPS) * 4096 + (block + lane / 4) * 64 + column + lane % 4 * 2;
  UNROLL
  for (int tap = 0; tap < TAPS; tap++)
    UNROLL
    for (int n = 0; n < 4; n++) {
      *(__global float2 *)(parts + tap * 4096 + n * 8) = (float2)(c[tap][n][0], c[tap][n][1]);
      *(__global float2 *)(parts + tap * 4096 + 8 * 64 + n * 8) = (float2)(c[tap][n][2], c[tap][n][3]);
    }
}
#undef ITEMS
#undef INPUTS
#undef BOARD
#undef SQUARE
