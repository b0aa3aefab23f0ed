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

// Functions without the library's, whose rounding differs from one device to another.

// exponential returns e to the power of v, which is at most 0 or not a number.
static float exponential(float v) {
  if (v < -87.0f) return 0.0f;
  const float whole = fma(v, 1.44269504f, 12582912.0f) - 12582912.0f; // 1.5 * 2^23 rounds to an integer
  const float rest = fma(whole, -1.42860677e-6f, fma(whole, -0.693145752f, v));
  float p = 1.0f / 720.0f;
  p = fma(p, rest, 1.0f / 120.0f);
  p = fma(p, rest, 1.0f / 24.0f);
  p = fma(p, rest, 1.0f / 6.0f);
  p = fma(p, rest, 0.5f);
  p = fma(p, rest, 1.0f);
  p = fma(p, rest, 1.0f);
  return as_float(((int)whole + 127) << 23) * p;
}

// inverse returns 1/v, where v is at least 1, in Newton's steps.
static float inverse(float v) {
  float r = as_float(0x7ef311c7 - as_int(v));
  for (int i = 0; i < 4; i++) r = fma(r, fma(-v, r, 1.0f), r);
  return r;
}

static float logistic(float v) {
  const float e = exponential(v < 0.0f ? v : -v), r = inverse(1.0f + e);
  return v < 0.0f ? e * r : r;
}

// answer makes the chances that the host wants of a position from numbers, x[board][size]. Those of the
// legal actions are in the first ones: their softmax. The numbers of at most two chances are the last,
// from place first; chance k is a logistic function if bit k of logits is set. The words 2*board
// and 2*board+1 of wanted say where the position's actions begin in it and how many there are. In the
// same places y has their chances, and the two others instead of the two words. All are not a number
// if the largest number of the actions is infinite, or any is not a number.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void answer(__global const float *restrict x, __global const uint *restrict wanted, __global float *restrict y,
            int size, int first, int logits) {
  __local float part[64] __attribute__((aligned(16)));
  const int board = get_group_id(0), id = get_local_id(0);
  const uint begin = wanted[2 * board], end = begin + wanted[2 * board + 1];
  x += board * size;
  float peak = as_float(0xff800000); // less than all
  for (uint k = begin + id; k < end; k += 64) {
    const float v = x[wanted[k]];
    peak = v > peak || v != v ? v : peak;
  }
  part[id] = peak;
  for (int width = 32; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < width) {
      const float v = part[id + width];
      part[id] = v > part[id] || v != v ? v : part[id];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  peak = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint k = begin + id; k < end; k += 64) {
    const float v = exponential(x[wanted[k]] - peak);
    sum += v;
    y[k] = v;
  }
  part[id] = sum;
  for (int width = 32; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < width) part[id] += part[id + width];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float scale = inverse(part[0]);
  for (uint k = begin + id; k < end; k += 64) y[k] *= scale;
  if (id < 2) {
    const float v = first + id < size ? x[first + id] : 0.0f;
    y[2 * board + id] = logits >> id & 1 ? logistic(v) : v;
  }
}
