// The small kernels of learning in mixed precision: weights and activations of the trunk are in bf16, sums, heads and parameters in fp32.
// Boards in bf16 are [board][64][channels padded to a multiple of 16]. Places in their memory are in units of 16 bytes, 8 numbers.
// Tables have 8 numbers for each layer.

// planes writes the input of boards: for each of 40 planes there is a mask of squares, in two words, and a value. A group for each board.
GROUP void planes(__global const uint *restrict input, __global uint4 *y, int yAt) {
  const int board = get_group_id(0);
  input += board * 120;
  y += yAt + board * 64 * 6;
  for (int k = get_local_id(0); k < 64 * 6; k += 64) {
    const int square = k / 6;
    float v[8];
    UNROLL
    for (int i = 0; i < 8; i++) {
      const int plane = k % 6 * 8 + i;
      v[i] = plane < 40 && input[2 * plane + square / 32] >> square % 32 & 1 ? as_float(input[80 + plane]) : 0.0f;
    }
    y[k] = (uint4)(NARROW2(v[0], v[1]), NARROW2(v[2], v[3]), NARROW2(v[4], v[5]), NARROW2(v[6], v[7]));
  }
}

// pack writes the weights of layers as mixedconv.cl reads them, in words of two. A layer of the table is: the place of its weights, its
// inputs, outputs and taps, the numbers that its inputs (by 16) and outputs (by 32) are padded to, where they go, and whether they are
// those of the backward pass, in which outputs become inputs and the taps are reversed.
// A group packs 16 inputs and 32 outputs of a tap.
GROUP void pack(__global const float *restrict w, __global uint *packed, __global const int *restrict layers) {
  __local float tile[16 * 33] ALIGNED;
  layers += get_group_id(1) * 8;
  const int id = get_local_id(0), in = layers[1], out = layers[2], taps = layers[3], wide = layers[5] / 32, back = layers[7];
  if (get_group_id(0) >= taps * layers[4] / 16 * wide) return;
  const int place = get_group_id(0) / wide, block = get_group_id(0) % wide;
  const int slab = place / taps, forth = taps == 9 ? place % 3 * 3 + place / 3 % 3 : 0, tap = back ? taps - 1 - forth : forth;
  UNROLL
  for (int j = 0; j < 8; j++) {
    const int i = j * 64 + id, k = back ? i % 16 : i / 32, n = back ? i / 16 : i % 32; // in the order of memory
    const int from = slab * 16 + k, to = block * 32 + n, input = back ? to : from, output = back ? from : to;
    tile[k * 33 + n] = LOADED(w, input < in && output < out, layers[0] + (tap * in + input) * out + output);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  packed += layers[6] * 4 + (place * wide + block) * 256;
  UNROLL
  for (int j = 0; j < 4; j++) {
    const int i = j * 64 + id, lane = i / 4 % 32, column = lane / 4;
    const int k = i % 2 * 8 + lane % 4 * 2, n = column / 2 * 8 + (i / 128 * 2 + i % 4 / 2) * 2 + column % 2;
    packed[i] = NARROW2(tile[k * 33 + n], tile[(k + 1) * 33 + n]);
  }
}

// addParts adds the parts of mixedouter.cl to gradients by weights. A layer of the table is: the place of its weights, its inputs, outputs
// and taps, the number of parts, the place of the first in units of 4,096, and the tiles of 64 outputs and of both in a part. A group adds
// 4 inputs of a tap of a tile, and an item 4 outputs.
GROUP void addParts(__global const float *restrict parts, __global float *gradient, __global const int *restrict layers) {
  layers += get_group_id(1) * 8;
  const int in = layers[1], out = layers[2], taps = layers[3], count = layers[4], wide = layers[6], tiles = layers[7];
  const int id = get_local_id(0), block = get_group_id(0) / 16, rows = get_group_id(0) % 16, tile = block / taps;
  const int i = tile / wide * 64 + rows * 4 + id / 16, o = tile % wide * 64 + id % 16 * 4;
  if (tile >= tiles || i >= in || o >= out) return;
  __global const float4 *at = (__global const float4 *)parts + (layers[5] + block) * 1024 + rows * 64 + id;
  float4 sum = at[0];
  _Pragma("unroll 4")
  for (int p = 1; p < count; p++) sum += at[p * tiles * taps * 1024];
  const int to = layers[0] + (block % taps * in + i) * out + o;
  if ((to | out) % 4 == 0) {
    *(__global float4 *)(gradient + to) = sum;
    return;
  }
  gradient[to] = sum.x;
  if (o + 1 < out) gradient[to + 1] = sum.y;
  if (o + 2 < out) gradient[to + 2] = sum.z;
  if (o + 3 < out) gradient[to + 3] = sum.w;
}

// addBoards adds the sums of gradients over boards to gradients by biases. A layer of the table is: the place of its bias, that of the
// sums, [board][out], and its outputs. A group adds 8 columns.
GROUP void addBoards(__global const float *restrict sums, __global float *gradient, __global const int *restrict layers, int boards) {
  __local float all[64] ALIGNED;
  layers += get_group_id(1) * 8;
  const int id = get_local_id(0), out = layers[2], c = get_group_id(0) * 8 + id % 8;
  float sum = 0.0f;
  if (c < out)
    for (int board = id / 8; board < boards; board += 8) sum += sums[layers[1] + board * out + c];
  all[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id >= 8 || c >= out) return;
  for (int i = 1; i < 8; i++) sum += all[i * 8 + id];
  gradient[layers[0] + c] = sum;
}

// poolMixed is poolBoards of boards in bf16.
GROUP void poolMixed(__global const ushort *x, int xAt, __global float *restrict y, int columns) {
  const int board = get_group_id(0), c = get_group_id(1) * 64 + get_local_id(0), width = (columns + 15) / 16 * 16;
  if (c >= columns) return;
  x += xAt * 8 + board * 64 * width + c;
  float sum = 0.0f, most = LOW((uint)x[0]);
  for (int square = 0; square < 64; square++) {
    const float v = LOW((uint)x[square * width]);
    sum += v;
    most = v > most || v != v ? v : most;
  }
  y[board * 2 * columns + c] = sum * (1.0f / 64.0f);
  y[(board * 2 + 1) * columns + c] = most;
}

// poolMixedGradient sets part of slopes to the gradient by the input of poolMixed, and to what is added if flags say so. It may be the last
// of the gradients by a ReLU's result.
GROUP void poolMixedGradient(__global const ushort *x, int xAt, __global const float *restrict y, __global const float *restrict g,
                             __global ushort *slopes, int addedAt, int dxAt, __global float *sums, int sumsAt, int columns, int flags) {
  const int board = get_group_id(0), c = get_group_id(1) * 64 + get_local_id(0), width = (columns + 15) / 16 * 16;
  if (c >= width) return;
  x += xAt * 8 + board * 64 * width + c;
  __global ushort *added = slopes + addedAt * 8 + board * 64 * width + c, *dx = slopes + dxAt * 8 + board * 64 * width + c;
  float mean = 0.0f, most = 0.0f, rest = 0.0f, whole = 0.0f;
  if (c < columns) mean = g[board * 2 * columns + c] * (1.0f / 64.0f), most = y[(board * 2 + 1) * columns + c], rest = g[(board * 2 + 1) * columns + c];
  for (int first = 0; first < 64; first += 16) {
    float v[16], d[16]; // loaded before anything is stored
    UNROLL
    for (int i = 0; i < 16; i++) {
      v[i] = LOW((uint)x[(first + i) * width]);
      d[i] = flags & PLUS_RESIDUAL ? LOW((uint)added[(first + i) * width]) : 0.0f;
    }
    UNROLL
    for (int i = 0; i < 16; i++) {
      float sum = mean;
      if (v[i] == most) {
        sum += rest;
        rest = 0.0f;
      }
      uint r = NARROW2(sum + d[i], 0.0f);
      if (flags & MASKED && !(v[i] > 0.0f)) r = 0;
      dx[(first + i) * width] = (ushort)r;
      whole += LOW(r);
    }
  }
  if (flags & SUMMED && c < columns) sums[sumsAt + board * columns + c] = whole;
}

// narrowed writes a gradient g, [board][64][columns] in fp32, in bf16, and its sums. If flags say so it is that by a ReLU's result y.
// A group for 16 columns of a board.
GROUP void narrowed(__global const float *restrict y, __global const float *restrict g, __global ushort *slopes, int dxAt,
                    __global float *sums, int sumsAt, int columns, int flags) {
  __local float all[64] ALIGNED;
  const int board = get_group_id(0), id = get_local_id(0), c = get_group_id(1) * 16 + id % 16, width = (columns + 15) / 16 * 16;
  float whole = 0.0f;
  for (int square = id / 16; square < 64; square += 4) {
    const int row = board * 64 + square;
    float d = 0.0f;
    if (c < columns && (!(flags & MASKED) || y[row * columns + c] > 0.0f)) d = g[row * columns + c];
    const uint r = NARROW2(d, 0.0f);
    slopes[dxAt * 8 + row * width + c] = (ushort)r;
    whole += LOW(r);
  }
  all[id] = whole;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id >= 16 || c >= columns) return;
  sums[sumsAt + board * columns + c] = whole + all[id + 16] + all[id + 32] + all[id + 48];
}

// denseRows is layer for few rows of one tap, in fp32: y = x w + bias, and a ReLU if flags say so. A group computes 4 rows and 16
// outputs. Its items add quarters of the inputs, which are then added in order.
GROUP void denseRows(__global const float *restrict x, __global const float *restrict w, int at, __global float *restrict y,
                     int rows, int in, int out, int flags) {
  __local float all[256] ALIGNED;
  const int id = get_local_id(0), c = get_group_id(1) * 16 + id % 16, row = get_group_id(0) * 4;
  const int size = (in + 3) / 4, begin = id / 16 * size, end = begin + size < in ? begin + size : in;
  w += at;
  float sum[4];
  __global const float *from[4];
  UNROLL
  for (int r = 0; r < 4; r++) {
    sum[r] = 0.0f;
    from[r] = x + (row + r < rows ? row + r : row) * in;
  }
  if (c < out) {
    _Pragma("unroll 8")
    for (int k = begin; k < end; k++) {
      const float v = w[k * out + c];
      UNROLL
      for (int r = 0; r < 4; r++) sum[r] = fma(from[r][k], v, sum[r]);
    }
  }
  UNROLL
  for (int r = 0; r < 4; r++) all[r * 64 + id] = sum[r];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int mine = id / 16;
  if (row + mine >= rows || c >= out) return;
  float v = all[mine * 64 + id % 16];
  UNROLL
  for (int part = 1; part < 4; part++) v += all[mine * 64 + part * 16 + id % 16];
  v += w[in * out + c];
  y[(row + mine) * out + c] = flags & RECTIFY && v < 0.0f ? 0.0f : v;
}
