// The network on a graphics processor, in OpenCL C 1.2. The same source is
// compiled to PTX for the CUDA driver, where ptx.h stands in for the parts of
// OpenCL that clang does not have there.
//
// Every number is computed by one work item in a fixed order of operations, with
// fma() where a product is added, so it has the same bits whatever the batch.
// Activations are [board][64][channels].

#pragma OPENCL FP_CONTRACT OFF

// With STORE16, activations and weights are kept in 16 bits. Sums are in 32 bits.
#ifdef STORE16
typedef half store;
#define LOAD(p, i) vload_half(i, p)
#define LOAD4(p, i) vload_half4(0, (p) + (i))
#define SAVE(v, p, i) vstore_half_rte(v, i, p)
#else
typedef float store;
#define LOAD(p, i) (p)[i]
#define LOAD4(p, i) vload4(0, (p) + (i))
#define SAVE(v, p, i) (p)[i] = (v)
#endif

// RELU keeps what is not a number, so that a broken network is seen.
#define RELU(v) ((v) < 0.0f ? 0.0f : (v))

// The input of a position: a mask of squares and a value for each of 40 planes.
#define PLANES 40
#define INPUT (3 * PLANES) // words of 32 bits

// expand writes the planes as numbers, [board][64][channels], with zeros from
// channel 40 on. A group for each board.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void expand(__global const uint *restrict input, __global store *restrict y, int channels) {
  const int board = get_group_id(0);
  input += board * INPUT;
  y += board * 64 * channels;
  for (int k = get_local_id(0); k < 64 * channels; k += 64) {
    const int square = k / channels, plane = k % channels;
    float v = 0.0f;
    if (plane < PLANES && (input[2 * plane + square / 32] >> square % 32 & 1))
      v = as_float(input[2 * PLANES + plane]);
    SAVE(v, y, k);
  }
}

// conv is a 3x3 convolution (taps 9) or a product at every square (taps 1), with bias,
// residual (flags & 1) and ReLU. Weights are [in][taps][stride], outputs padded to
// multiples of 32. A group computes 32 outputs of a board, an item 4 outputs on a rank.
#define DEPTH 8  // input channels at a time
#define WIDE 32  // outputs of a group
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void conv(__global const store *restrict x, __global const store *restrict w,
          __global const float *restrict bias, int biasBoard,
          __global const store *restrict residual, __global store *restrict y,
          int in, int out, int stride, int taps, int flags) {
  __local float tile[DEPTH * 10 * 10] __attribute__((aligned(16))); // with an edge of zeros
  __local float weights[DEPTH * 9 * WIDE] __attribute__((aligned(16)));
  const int board = get_group_id(0), first = get_group_id(1) * WIDE;
  const int id = get_local_id(0), rank = id / 8, o = id % 8 * 4;
  x += board * 64 * in;

  for (int k = id; k < DEPTH * 100; k += 64) tile[k] = 0.0f;
  float4 sum[8];
  for (int f = 0; f < 8; f++) sum[f] = (float4)(0.0f);
  for (int i0 = 0; i0 < in; i0 += DEPTH) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = id; k < 64 * DEPTH; k += 64) {
      const int square = k / DEPTH, i = k % DEPTH;
      tile[(i * 10 + square / 8 + 1) * 10 + square % 8 + 1] = LOAD(x, square * in + i0 + i);
    }
    for (int k = id; k < DEPTH * taps * WIDE / 4; k += 64)
      vstore4(LOAD4(w, (i0 * taps + k / (WIDE / 4)) * stride + first + k % (WIDE / 4) * 4), k, weights);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (taps == 1) {
      for (int i = 0; i < DEPTH; i++) {
        __local const float *row = tile + (i * 10 + rank + 1) * 10 + 1;
        const float4 v = vload4(0, weights + i * WIDE + o);
#pragma unroll
        for (int f = 0; f < 8; f++) sum[f] = fma((float4)(row[f]), v, sum[f]);
      }
      continue;
    }
    for (int i = 0; i < DEPTH; i++)
#pragma unroll
      for (int dr = 0; dr < 3; dr++) {
        float row[10];
#pragma unroll
        for (int f = 0; f < 10; f++) row[f] = tile[(i * 10 + rank + dr) * 10 + f];
#pragma unroll
        for (int df = 0; df < 3; df++) {
          const float4 v = vload4(0, weights + (i * 9 + dr * 3 + df) * WIDE + o);
#pragma unroll
          for (int f = 0; f < 8; f++) sum[f] = fma((float4)(row[f + df]), v, sum[f]);
        }
      }
  }

  bias += board * biasBoard;
#pragma unroll
  for (int f = 0; f < 8; f++) {
    const float *v = (const float *)&sum[f];
    for (int j = 0; j < 4; j++) {
      const int to = first + o + j, at = (board * 64 + rank * 8 + f) * out + to;
      if (to >= out) continue;
      float r = v[j] + bias[to];
      if (flags & 1) r += LOAD(residual, at);
      SAVE(RELU(r), y, at);
    }
  }
}

// pool writes the mean and the maximum of every channel over the board,
// y[board][2][channels]. An item for each channel.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void pool(__global const store *restrict x, __global float *restrict y, int channels) {
  const int board = get_group_id(0), c = get_group_id(1) * 64 + get_local_id(0);
  if (c >= channels) return;
  x += board * 64 * channels + c;
  float sum = 0.0f, most = LOAD(x, 0);
  for (int square = 0; square < 64; square++) {
    const float v = LOAD(x, square * channels);
    sum += v;
    most = v > most || v != v ? v : most;
  }
  y[board * 2 * channels + c] = sum * (1.0f / 64.0f);
  y[(board * 2 + 1) * channels + c] = most;
}

// dense multiplies parts of an input by a matrix, [inputs][outputs], and adds a bias. Of
// each board it makes rows*outputs numbers, [output][row], from place yAt of y[board][yBoard].
// Row r reads the runs of inner numbers that begin at xAt + r*run, xAt + (r+1)*run, and so on,
// of x[board][xBoard]. An item makes one number for each of 4 boards.
#define DENSE(NAME, TYPE, READ)                                                               \
  __kernel __attribute__((reqd_work_group_size(64, 1, 1)))                                    \
  void NAME(__global const TYPE *restrict x, __global const float *restrict w,                \
            __global const float *restrict bias, __global float *restrict y,                  \
            int xBoard, int xAt, int run, int inner, int inputs, int rows,                    \
            int outputs, int yBoard, int yAt, int relu) {                                     \
    const int k = get_group_id(1) * 64 + get_local_id(0), row = k % rows, o = k / rows;       \
    if (o >= outputs) return;                                                                 \
    const int board = get_group_id(0) * 4;                                                    \
    x += board * xBoard + xAt + row * run;                                                    \
    float4 sum = (float4)(bias[o]);                                                           \
    for (int i = 0; i < inputs; i += inner, x += run)                                         \
      for (int j = 0; j < inner; j++) {                                                       \
        const float4 v = (float4)(READ(x, j), READ(x, j + xBoard), READ(x, j + 2 * xBoard),   \
                                  READ(x, j + 3 * xBoard));                                   \
        sum = fma(v, (float4)(w[(i + j) * outputs + o]), sum);                                \
      }                                                                                       \
    const float *v = (const float *)&sum;                                                     \
    y += board * yBoard + yAt + k;                                                            \
    for (int j = 0; j < 4; j++) y[j * yBoard] = relu ? RELU(v[j]) : v[j];                     \
  }
#define AS_IS(p, i) (p)[i]
DENSE(dense, float, AS_IS)
DENSE(denseStored, store, LOAD)

// heads makes the numbers of the heads that read the first layers, y[board][yBoard]. For each square
// there are four, from channels of it by the matrix steps, [channels][4]: y[0..255] is [4][square].
// The next others come from the means and maxima of these channels, by the matrix other,
// [2*channels][others], and the last chances from numbers in hidden, by the matrix chance, [units][2].
// Biases are behind the weights. channels is a multiple of 4, at most 64; others is at most 8.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void heads(__global const store *restrict x, __global const float *restrict hidden,
           __global const float *restrict steps, __global const float *restrict other,
           __global const float *restrict chance, __global float *restrict y,
           int xBoard, int xAt, int run, int channels, int others, int units, int chances, int yBoard) {
  __local float pooled[128] __attribute__((aligned(16)));
  __local float part[64] __attribute__((aligned(16))), late[64] __attribute__((aligned(16)));
  const int board = get_group_id(0), id = get_local_id(0);
  x += board * xBoard + xAt;
  y += board * yBoard;
  float4 sum = vload4(channels, steps);
  for (int i = 0; i < channels; i += 4) {
    const float4 v = LOAD4(x, id * run + i);
    sum = fma((float4)(v.x), vload4(i, steps), sum);
    sum = fma((float4)(v.y), vload4(i + 1, steps), sum);
    sum = fma((float4)(v.z), vload4(i + 2, steps), sum);
    sum = fma((float4)(v.w), vload4(i + 3, steps), sum);
  }
  y[id] = sum.x;
  y[64 + id] = sum.y;
  y[128 + id] = sum.z;
  y[192 + id] = sum.w;

  if (id < channels) {
    float all = 0.0f, most = LOAD(x, id);
#pragma unroll 16
    for (int square = 0; square < 64; square++) {
      const float v = LOAD(x, square * run + id);
      all += v;
      most = v > most || v != v ? v : most;
    }
    pooled[id] = all * (1.0f / 64.0f);
    pooled[channels + id] = most;
  }
  float win = 0.0f, stop = 0.0f;
  for (int i = id; i < units; i += 64) {
    const float v = hidden[board * units + i];
    win = fma(v, chance[2 * i], win);
    stop = fma(v, chance[2 * i + 1], stop);
  }
  part[id] = win;
  late[id] = stop;
  for (int width = 32; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < width) {
      part[id] += part[id + width];
      late[id] += late[id + width];
    }
  }
  if (id == 0) {
    y[256 + others] = part[0] + chance[2 * units];
    if (chances > 1) y[257 + others] = late[0] + chance[2 * units + 1];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const int o = id % 8;
  float some = 0.0f;
  for (int i = id / 8; o < others && i < 2 * channels; i += 8) some = fma(pooled[i], other[i * others + o], some);
  part[id] = some;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id >= others) return;
  float v = other[2 * channels * others + id];
  for (int k = 0; k < 8; k++) v += part[8 * k + id];
  y[256 + id] = v;
}

// gather picks the numbers that the host wants: y[k] = x[at[k]].
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void gather(__global const float *restrict x, __global const uint *restrict at, __global float *restrict y) {
  const int k = get_group_id(0) * 64 + get_local_id(0);
  y[k] = x[at[k]];
}
