// Learning on a graphics processor, in OpenCL C 1.2. The same source is compiled to
// PTX for the CUDA driver, where ptx.h stands in for the parts of OpenCL that clang
// does not have there.
//
// Every number is computed by one work item in a fixed order of operations, so the
// same inputs give the same bits on the same device. No kernel adds atomically.
//
// Matrices are row by row. An activation has a row for every square, [board][64], or
// for every board.

#pragma OPENCL FP_CONTRACT OFF

#define GROUP __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
#define INLINE static inline __attribute__((always_inline))
#define ALIGNED __attribute__((aligned(16)))

// Bits of the argument flags.
#define BIAS 1     // layer: adds a bias for every board
#define RESIDUAL 2 // layer: adds a residual
#define RECTIFY 4  // layer: ends with a ReLU
#define ADD 1      // gradients: adds to what is there

// Products. A group computes a tile of TALL rows and WIDE columns, and an item 8 rows
// and 4 columns of it. DEEP terms of the sums are in local memory at a time.
#define TALL 64
#define WIDE 32
#define DEEP 8
#define PITCH 68 // from one term to the next, so that banks differ

INLINE void multiply(float4 *sum, __local const float *a, __local const float *b) {
#pragma unroll
  for (int k = 0; k < DEEP; k++) {
    const float4 v = vload4(0, b + k * WIDE);
    const float4 p = vload4(0, a + k * PITCH), q = vload4(1, a + k * PITCH);
    sum[0] = fma((float4)(p.x), v, sum[0]);
    sum[1] = fma((float4)(p.y), v, sum[1]);
    sum[2] = fma((float4)(p.z), v, sum[2]);
    sum[3] = fma((float4)(p.w), v, sum[3]);
    sum[4] = fma((float4)(q.x), v, sum[4]);
    sum[5] = fma((float4)(q.y), v, sum[5]);
    sum[6] = fma((float4)(q.z), v, sum[6]);
    sum[7] = fma((float4)(q.w), v, sum[7]);
  }
}

// LOADED is number i of p where there is one, else 0. The first number is loaded then, so that the loads of an unrolled
// loop need not wait for one another.
#define LOADED(p, exists, i) loadedOf((exists), (p)[(exists) ? (i) : 0])
INLINE float loadedOf(int exists, float v) { return exists ? v : 0.0f; }

// Of the 9 taps of a 3x3 convolution, tap 4 is the square itself. A product at every
// row has one tap.
#define RANK(taps, tap) ((taps) == 9 ? (tap) / 3 - 1 : 0)
#define FILE(taps, tap) ((taps) == 9 ? (tap) % 3 - 1 : 0)

// neighbour is the row of the square that is some ranks and files away, -1 if it is off
// the board.
INLINE int neighbour(int row, int ranks, int files) {
  const int rank = row % 64 / 8 + ranks, file = row % 8 + files;
  return rank < 0 || rank > 7 || file < 0 || file > 7 ? -1 : row + 8 * ranks + files;
}

// layer computes y = x w + bias, with a board's bias, a residual and a ReLU if flags say
// so. w begins at place at: [taps][in][out], and then the bias, [out].
GROUP void layer(__global const float *restrict x, __global const float *restrict w, int at,
                 __global const float *restrict boardBias, __global const float *restrict residual,
                 __global float *restrict y, int rows, int in, int out, int taps, int flags) {
  __local float a[DEEP * PITCH] ALIGNED;
  __local float b[DEEP * WIDE] ALIGNED;
  const int id = get_local_id(0), mine = id / 8 * 8, o = id % 8 * 4;
  const int row = get_group_id(0) * TALL, column = get_group_id(1) * WIDE;
  w += at;
  float4 sum[8];
#pragma unroll
  for (int f = 0; f < 8; f++) sum[f] = (float4)(0.0f);
  for (int tap = 0; tap < taps; tap++)
    for (int i0 = 0; i0 < in; i0 += DEEP) {
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (int j = 0; j < TALL / 8; j++) {
        const int r = j * 8 + id / 8, i = id % 8;
        const int from = row + r < rows && i0 + i < in ? neighbour(row + r, RANK(taps, tap), FILE(taps, tap)) : -1;
        a[i * PITCH + r] = LOADED(x, from >= 0, from * in + i0 + i);
      }
#pragma unroll
      for (int j = 0; j < DEEP / 2; j++) {
        const int i = j * 2 + id / WIDE, c = id % WIDE;
        b[i * WIDE + c] = LOADED(w, i0 + i < in && column + c < out, (tap * in + i0 + i) * out + column + c);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      multiply(sum, a + mine, b + o);
    }
#pragma unroll
  for (int f = 0; f < 8; f++) {
    const int r = row + mine + f;
    const float *v = (const float *)&sum[f];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int c = column + o + j;
      if (r >= rows || c >= out) continue;
      float s = v[j] + w[taps * in * out + c];
      if (flags & BIAS) s += boardBias[r / 64 * out + c];
      if (flags & RESIDUAL) s += residual[r * out + c];
      y[r * out + c] = flags & RECTIFY && s < 0.0f ? 0.0f : s;
    }
  }
}

// inputGradient sets dx to the gradient by the input of a layer, or adds it. g is the
// gradient by the result, before the ReLU.
GROUP void inputGradient(__global const float *restrict g, __global const float *restrict w, int at,
                         __global float *restrict dx, int rows, int in, int out, int taps, int flags) {
  __local float a[DEEP * PITCH] ALIGNED;
  __local float b[DEEP * WIDE] ALIGNED;
  const int id = get_local_id(0), mine = id / 8 * 8, i = id % 8 * 4;
  const int row = get_group_id(0) * TALL, column = get_group_id(1) * WIDE;
  w += at;
  float4 sum[8];
#pragma unroll
  for (int f = 0; f < 8; f++) sum[f] = (float4)(0.0f);
  for (int tap = 0; tap < taps; tap++)
    for (int o0 = 0; o0 < out; o0 += DEEP) {
      const int o = id % 8;
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (int j = 0; j < TALL / 8; j++) {
        const int r = j * 8 + id / 8;
        const int from = row + r < rows && o0 + o < out ? neighbour(row + r, -RANK(taps, tap), -FILE(taps, tap)) : -1;
        a[o * PITCH + r] = LOADED(g, from >= 0, from * out + o0 + o);
      }
#pragma unroll
      for (int j = 0; j < WIDE / 8; j++) {
        const int c = j * 8 + id / 8;
        b[o * WIDE + c] = LOADED(w, o0 + o < out && column + c < in, (tap * in + column + c) * out + o0 + o);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      multiply(sum, a + mine, b + i);
    }
#pragma unroll
  for (int f = 0; f < 8; f++) {
    const int r = row + mine + f;
    const float *v = (const float *)&sum[f];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int c = column + i + j;
      if (r >= rows || c >= in) continue;
      dx[r * in + c] = flags & ADD ? dx[r * in + c] + v[j] : v[j];
    }
  }
}

// weightGradient writes sums over parts of the rows, [part][taps*in + 1][out], of the
// gradients by the weights and, last, by the bias. The second number of a group counts
// the columns' tiles, and then the parts.
GROUP void weightGradient(__global const float *restrict x, __global const float *restrict g,
                          __global float *restrict parts, int rows, int in, int out, int taps, int partRows) {
  __local float a[DEEP * PITCH] ALIGNED;
  __local float b[DEEP * WIDE] ALIGNED;
  const int id = get_local_id(0), mine = id / 8 * 8, o = id % 8 * 4;
  const int tiles = (out + WIDE - 1) / WIDE, part = get_group_id(1) / tiles;
  const int first = get_group_id(0) * TALL, column = get_group_id(1) % tiles * WIDE;
  const int inputs = taps * in, input = first + id, tap = input / in, channel = input % in;
  const int begin = part * partRows, end = begin + partRows < rows ? begin + partRows : rows;
  float4 sum[8];
#pragma unroll
  for (int f = 0; f < 8; f++) sum[f] = (float4)(0.0f);
  float inputsOf[DEEP], gradients[DEEP / 2]; // of the next rows, loaded while those before are multiplied
#define FETCH(row)                                                                              \
  _Pragma("unroll")                                                                             \
  for (int k = 0; k < DEEP; k++) {                                                              \
    const int from = (row) + k < end && input < inputs ? neighbour((row) + k, RANK(taps, tap), FILE(taps, tap)) : -1; \
    const float v = LOADED(x, from >= 0, from * in + channel);                                  \
    inputsOf[k] = (row) + k < end && input == inputs ? 1.0f : v;                                \
  }                                                                                             \
  _Pragma("unroll")                                                                             \
  for (int j = 0; j < DEEP / 2; j++) {                                                          \
    const int k = j * 2 + id / WIDE, c = id % WIDE;                                             \
    gradients[j] = LOADED(g, (row) + k < end && column + c < out, ((row) + k) * out + column + c); \
  }
  FETCH(begin)
  for (int row = begin; row < end; row += DEEP) {
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < DEEP; k++) a[k * PITCH + id] = inputsOf[k];
#pragma unroll
    for (int j = 0; j < DEEP / 2; j++) b[(j * 2 + id / WIDE) * WIDE + id % WIDE] = gradients[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    FETCH(row + DEEP)
    multiply(sum, a + mine, b + o);
  }
#undef FETCH
  parts += part * (inputs + 1) * out;
#pragma unroll
  for (int f = 0; f < 8; f++) {
    const int r = first + mine + f;
    const float *v = (const float *)&sum[f];
#pragma unroll
    for (int j = 0; j < 4; j++)
      if (r <= inputs && column + o + j < out) parts[r * out + column + o + j] = v[j];
  }
}

// sumParts adds n numbers of each part and writes the sums to y from place at on.
GROUP void sumParts(__global const float *restrict x, __global float *restrict y, int at, int n, int parts) {
  const int k = get_group_id(0) * 64 + get_local_id(0);
  if (k >= n) return;
  float sum = x[k];
  for (int p = 1; p < parts; p++) sum += x[p * n + k];
  y[at + k] = sum;
}

// passed makes the gradient by a ReLU's result that by its input.
GROUP void passed(__global const float *restrict y, __global float *restrict g, int n) {
  const int k = get_group_id(0) * 64 + get_local_id(0);
  if (k < n && !(y[k] > 0.0f)) g[k] = 0.0f;
}

// boardSums adds the rows of every board: y is [board][columns].
GROUP void boardSums(__global const float *restrict x, __global float *restrict y, int columns) {
  const int board = get_group_id(0), c = get_group_id(1) * 64 + get_local_id(0);
  if (c >= columns) return;
  float sum = 0.0f;
  for (int square = 0; square < 64; square++) sum += x[(board * 64 + square) * columns + c];
  y[board * columns + c] = sum;
}

// poolBoards writes the means, and then the maxima, of every column over each board.
GROUP void poolBoards(__global const float *restrict x, __global float *restrict y, int columns) {
  const int board = get_group_id(0), c = get_group_id(1) * 64 + get_local_id(0);
  if (c >= columns) return;
  x += board * 64 * columns + c;
  float sum = 0.0f, most = x[0];
  for (int square = 0; square < 64; square++) {
    const float v = x[square * columns];
    sum += v;
    most = v > most || v != v ? v : most;
  }
  y[board * 2 * columns + c] = sum * (1.0f / 64.0f);
  y[(board * 2 + 1) * columns + c] = most;
}

// poolGradient sets dx to the gradient by the input of poolBoards, or adds it. If several
// squares have the maximum, the first gets its gradient.
GROUP void poolGradient(__global const float *restrict x, __global const float *restrict y,
                        __global const float *restrict g, __global float *restrict dx, int columns, int flags) {
  const int board = get_group_id(0), c = get_group_id(1) * 64 + get_local_id(0);
  if (c >= columns) return;
  x += board * 64 * columns + c;
  dx += board * 64 * columns + c;
  const float mean = g[board * 2 * columns + c] * (1.0f / 64.0f), most = y[(board * 2 + 1) * columns + c];
  float rest = g[(board * 2 + 1) * columns + c];
  for (int square = 0; square < 64; square++) {
    float d = mean;
    if (x[square * columns] == most) {
      d += rest;
      rest = 0.0f;
    }
    dx[square * columns] = flags & ADD ? dx[square * columns] + d : d;
  }
}

// join copies the result of a layer, x[board][squares][columns], to places of the output of
// a head, y[board][size]: [column][square] from place at on.
GROUP void join(__global const float *restrict x, __global float *restrict y, int squares, int columns, int size, int at) {
  const int board = get_group_id(0), k = get_group_id(1) * 64 + get_local_id(0);
  if (k < squares * columns)
    y[board * size + at + k] = x[(board * squares + k % squares) * columns + k / squares];
}

// split copies the gradient by the output of a head back to that by a layer's result.
GROUP void split(__global const float *restrict g, __global float *restrict dx, int squares, int columns, int size, int at) {
  const int board = get_group_id(0), k = get_group_id(1) * 64 + get_local_id(0);
  if (k < squares * columns)
    dx[(board * squares + k % squares) * columns + k / squares] = g[board * size + at + k];
}

// exponential is e to the power of x, which is at most 0, to 2 units in the last place. The
// power of 2 is split off, and a Taylor series gives the rest.
INLINE float exponential(float x) {
  if (x < -87.0f) return 0.0f;
  const int n = (int)(x * 1.44269504f - 0.5f);
  const float r = fma((float)n, -1.42860677e-6f, fma((float)n, -0.693145752f, x));
  float s = 1.0f / 5040.0f;
  s = fma(s, r, 1.0f / 720.0f);
  s = fma(s, r, 1.0f / 120.0f);
  s = fma(s, r, 1.0f / 24.0f);
  s = fma(s, r, 1.0f / 6.0f);
  s = fma(s, r, 0.5f);
  s = fma(s, r, 1.0f);
  s = fma(s, r, 1.0f);
  return s * as_float((n + 127) << 23);
}

// logarithm is the natural one of x, which is at least 1. The power of 2 is split off, and
// the series of the inverse hyperbolic tangent gives the rest.
INLINE float logarithm(float x) {
  const int over = as_int(x) - as_int(0.70710678f), n = over >> 23;
  const float m = as_float((over & 0x7fffff) + as_int(0.70710678f)), s = (m - 1.0f) / (m + 1.0f), q = s * s;
  float t = 1.0f / 9.0f;
  t = fma(t, q, 1.0f / 7.0f);
  t = fma(t, q, 1.0f / 5.0f);
  t = fma(t, q, 1.0f / 3.0f);
  t = fma(t, q, 1.0f);
  return x != x ? x : fma((float)n, 0.693147181f, 2.0f * s * t);
}

// total is the sum of a number of every item, in the order of the items.
INLINE float total(__local float *all, float v) {
  barrier(CLK_LOCAL_MEM_FENCE);
  all[get_local_id(0)] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (int i = 0; i < 64; i++) sum += all[i];
  return sum;
}

// shares is the cross-entropy between a target and the softmax of the outputs for which the
// target is a number. It writes the loss of every board and the gradient by the outputs,
// multiplied by the board's weight. Targets, [board][size], and weights, [board], begin at places
// of batch. A group for each board.
GROUP void shares(__global const float *restrict logits, __global const float *restrict batch, int targets, int weights,
                  __global float *restrict slopes, __global float *restrict losses, int at, int size) {
  __local float all[64] ALIGNED;
  const int board = get_group_id(0), id = get_local_id(0);
  const float weight = batch[weights + board];
  batch += targets + board * size;
  logits += board * size;
  slopes += board * size;

  float most = -3.0e38f;
  for (int k = id; k < size; k += 64)
    if (batch[k] == batch[k] && logits[k] > most) most = logits[k];
  all[id] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 64; i++) most = all[i] > most ? all[i] : most;

  float part = 0.0f, whole = 0.0f;
  for (int k = id; k < size; k += 64)
    if (batch[k] == batch[k]) {
      part += exponential(logits[k] - most);
      whole += batch[k];
    }
  const float z = total(all, part);
  whole = total(all, whole);
  const float logZ = logarithm(z);
  float cross = 0.0f;
  for (int k = id; k < size; k += 64) {
    const float t = batch[k];
    float slope = 0.0f;
    if (t == t) {
      slope = weight * (exponential(logits[k] - most) / z * whole - t);
      if (t != 0.0f) cross += t * (logZ - (logits[k] - most));
    }
    slopes[k] = weight == 0.0f ? 0.0f : slope;
  }
  cross = total(all, cross);
  if (id == 0) losses[at + board] = cross;
}

// chances is the binary cross-entropy between targets and the logistic function of the
// outputs, summed over the outputs for which the target is a number. Otherwise it is like
// shares.
GROUP void chances(__global const float *restrict logits, __global const float *restrict batch, int targets, int weights,
                   __global float *restrict slopes, __global float *restrict losses, int at, int size) {
  __local float all[64] ALIGNED;
  const int board = get_group_id(0), id = get_local_id(0);
  const float weight = batch[weights + board];
  batch += targets + board * size;
  logits += board * size;
  slopes += board * size;
  float cross = 0.0f;
  for (int k = id; k < size; k += 64) {
    const float t = batch[k], x = logits[k];
    float slope = 0.0f;
    if (t == t) {
      const float e = exponential(x < 0.0f ? x : -x), chance = (x < 0.0f ? e : 1.0f) / (1.0f + e);
      slope = weight * (chance - t);
      cross += (x > 0.0f ? x : 0.0f) - x * t + logarithm(1.0f + e);
    }
    slopes[k] = weight == 0.0f ? 0.0f : slope;
  }
  cross = total(all, cross);
  if (id == 0) losses[at + board] = cross;
}

// sumSquares writes the sums of the squares of 1,024 numbers each.
GROUP void sumSquares(__global const float *restrict x, __global float *restrict y, int n) {
  __local float all[64] ALIGNED;
  float sum = 0.0f;
  for (int j = 0; j < 16; j++) {
    const int k = get_group_id(0) * 1024 + j * 64 + get_local_id(0);
    if (k < n) sum = fma(x[k], x[k], sum);
  }
  sum = total(all, sum);
  if (get_local_id(0) == 0) y[get_group_id(0)] = sum;
}

// The places of the numbers of an update in factors: those of learn.Factors, and the part of
// the average that the step keeps.
enum { CLIP, KEEP1, ADD1, KEEP2, ADD2, RATE, EPSILON, SHRINK, DECAY, MOMENTUM, MATRIX, AVERAGE };

// clip writes the norm of the gradient, the root of n sums of squares, to a place of results. The factor CLIP, which is the
// largest norm that a step may have, 0 for any, becomes what the gradient is multiplied by: -1 if it is not finite, and then
// nothing is updated.
GROUP void clip(__global const float *restrict squares, __global float *factors, __global float *results, int at, int n) {
  __local float all[64] ALIGNED;
  float sum = 0.0f;
  for (int k = get_local_id(0); k < n; k += 64) sum += squares[k];
  const float norm = sqrt(total(all, sum)), most = factors[CLIP];
  if (get_local_id(0) > 0) return;
  results[at] = norm;
  factors[CLIP] = !(norm <= 3.4e38f) ? -1.0f : most > 0.0f && norm > most ? most / norm : 1.0f;
}

// adam updates n parameters from place at on. decays is 1 where a parameter decays, below 0 where it is not for adam, else 0.
GROUP void adam(__global float *restrict w, __global const float *restrict g, __global const float *restrict decays,
                __global const float *restrict factors, __global float *restrict mean, __global float *restrict variance,
                int at, int n) {
  const int k = at + get_group_id(0) * 64 + get_local_id(0);
  if (k >= at + n || factors[CLIP] < 0.0f || decays[k] < 0.0f) return;
  const float v = g[k] * factors[CLIP];
  const float m = factors[KEEP1] * mean[k] + factors[ADD1] * v;
  const float s = factors[KEEP2] * variance[k] + factors[ADD2] * v * v;
  mean[k] = m;
  variance[k] = s;
  const float shrunk = decays[k] != 0.0f ? factors[SHRINK] * w[k] : w[k];
  w[k] = shrunk - factors[RATE] * m / (sqrt(s) + factors[EPSILON]);
}

// sgd is like adam.
GROUP void sgd(__global float *restrict w, __global const float *restrict g, __global const float *restrict decays,
               __global const float *restrict factors, __global float *restrict momentum, int at, int n) {
  const int k = at + get_group_id(0) * 64 + get_local_id(0);
  if (k >= at + n || factors[CLIP] < 0.0f) return;
  const float decay = decays[k] != 0.0f ? factors[DECAY] * w[k] : 0.0f;
  const float m = factors[KEEP1] * momentum[k] + (factors[CLIP] * g[k] + decay);
  momentum[k] = m;
  w[k] -= factors[RATE] * m;
}

// average moves the averaged weights towards the weights.
GROUP void average(__global const float *restrict w, __global const float *restrict factors, __global float *restrict mean, int n) {
  const int k = get_group_id(0) * 64 + get_local_id(0);
  if (k < n && !(factors[CLIP] < 0.0f)) mean[k] = w[k] + factors[AVERAGE] * (mean[k] - w[k]);
}
