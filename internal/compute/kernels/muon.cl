// Muon: matrices of parameters, [rows][columns], are changed by matrices x, [tall][narrow], which are transposed if rows are fewer than
// columns. A launch takes all of them, and the second number of a group is that of the matrix. The table has 8 numbers for each: the
// place of the parameters, rows and columns, the places of x and of a square matrix, that of the parts of the Gram matrix and how many
// they are, and that of the sums of squares.
//
// The Newton-Schulz iteration (Jordan et al. 2024) multiplies x five times by p, a polynomial of the Gram matrix a = x'x. Its Gram matrix
// is p a p then, so x is needed at the beginning and at the end only: for the first a, and for its product with all p, q.

#define SIDE 32    // of a tile of a product
#define BESIDE 36  // from one row of it in local memory to the next
#define TABLE 8
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

// PART_ROWS is the number of rows of x in a part of a Gram matrix.
#define PART_ROWS(narrow) LARGER(128, 2 * (narrow))

// blocks adds the products of SIDE terms to an item's 4 rows and 4 columns.
INLINE void blocks(float4 *sum, __local const float *p, __local const float *q) {
#pragma unroll
  for (int k = 0; k < SIDE; k++) {
    const float4 u = vload4(0, p + k * BESIDE), v = vload4(0, q + k * BESIDE);
    sum[0] = fma((float4)(u.x), v, sum[0]);
    sum[1] = fma((float4)(u.y), v, sum[1]);
    sum[2] = fma((float4)(u.z), v, sum[2]);
    sum[3] = fma((float4)(u.w), v, sum[3]);
  }
}

// correlate sets a tile of a'b at row i and column j, of which an item has 4 rows and 4 columns. Both have a row for each of depth terms.
INLINE void correlate(float4 *sum, __local float *p, __local float *q, __global const float *a, __global const float *b,
                      int n, int i, int j, int depth) {
  const int id = get_local_id(0), c = id % SIDE;
#pragma unroll
  for (int f = 0; f < 4; f++) sum[f] = (float4)(0.0f);
  for (int first = 0; first < depth; first += SIDE) {
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < SIDE / 2; k++) {
      const int r = 2 * k + id / SIDE;
      p[r * BESIDE + c] = LOADED(a, first + r < depth && i + c < n, (first + r) * n + i + c);
      q[r * BESIDE + c] = LOADED(b, first + r < depth && j + c < n, (first + r) * n + j + c);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    blocks(sum, p + id / 8 * 4, q + id % 8 * 4);
  }
}

// corner sets the row and the column of tile number t of those on and above the diagonal of n numbers. Behind the last tile they are n or
// more.
INLINE void corner(int t, int n, int *i, int *j) {
  const int tiles = (n + SIDE - 1) / SIDE;
  int row = 0;
  for (; row < tiles && t >= tiles - row; row++) t -= tiles - row;
  *i = row * SIDE;
  *j = (row + t) * SIDE;
}

// mirrored writes number (i, j) of a symmetric matrix where i <= j.
INLINE void mirrored(__global float *to, int n, int i, int j, float v) {
  if (i > j || j >= n) return;
  to[i * n + j] = v;
  to[j * n + i] = v;
}

// held is the place in x of element k of the parameters.
INLINE int held(int k, int rows, int columns) { return rows < columns ? k % columns * rows + k / columns : k; }

// look updates the momentum of matrices, and sets x to where it will be one gradient ahead (Nesterov). It adds 1,024 squares of x.
GROUP void look(__global const float *restrict g, __global const float *restrict factors, __global float *restrict momentum,
                __global float *restrict x, __global float *restrict squares, __global const int *restrict matrices) {
  __local float all[64] ALIGNED;
  matrices += get_group_id(1) * TABLE;
  const int at = matrices[0], rows = matrices[1], columns = matrices[2], n = rows * columns;
  const int end = factors[CLIP] < 0.0f ? 0 : n;
  x += matrices[3];
  float sum = 0.0f;
  for (int j = 0; j < 16; j++) {
    const int k = get_group_id(0) * 1024 + j * 64 + get_local_id(0);
    if (k < end) {
      const float v = factors[CLIP] * g[at + k];
      const float m = factors[MOMENTUM] * momentum[at + k] + v, ahead = v + factors[MOMENTUM] * m;
      momentum[at + k] = m;
      x[held(k, rows, columns)] = ahead;
      sum = fma(ahead, ahead, sum);
    }
  }
  sum = total(all, sum);
  if (get_local_id(0) == 0 && get_group_id(0) * 1024 < n) squares[matrices[7] + get_group_id(0)] = sum;
}

// gram computes parts of Gram matrices, each of as many rows of x as matrices of that width have in a part.
GROUP void gram(__global const float *restrict x, __global float *restrict parts, __global const int *restrict matrices) {
  __local float p[SIDE * BESIDE] ALIGNED;
  __local float q[SIDE * BESIDE] ALIGNED;
  matrices += get_group_id(1) * TABLE;
  const int narrow = SMALLER(matrices[1], matrices[2]), tall = LARGER(matrices[1], matrices[2]), count = matrices[6];
  const int part = get_group_id(0) % count, size = PART_ROWS(narrow), first = part * size;
  int i, j;
  corner(get_group_id(0) / count, narrow, &i, &j);
  float4 sum[4];
  x += matrices[3] + first * narrow;
  correlate(sum, p, q, x, x, narrow, i, j, i < narrow ? SMALLER(size, tall - first) : 0);
  parts += matrices[5] + part * narrow * narrow;
  const int id = get_local_id(0);
#pragma unroll
  for (int f = 0; f < 16; f++)
    mirrored(parts, narrow, i + id / 8 * 4 + f / 4, j + id % 8 * 4 + f % 4, ((const float *)&sum[f / 4])[f % 4]);
}

// sumGram adds the parts of Gram matrices, and divides by the sum of the squares of x. It writes the factor that makes the norm of x 1.
// Numbers that vanish stay small.
GROUP void sumGram(__global const float *restrict parts, __global const float *restrict squares, __global float *restrict scales,
                   __global float *restrict sets, __global const int *restrict matrices) {
  __local float all[64] ALIGNED;
  const int matrix = get_group_id(1), id = get_local_id(0);
  matrices += matrix * TABLE;
  const int n = SMALLER(matrices[1], matrices[2]), sums = (matrices[1] * matrices[2] + 1023) / 1024, count = matrices[6];
  float sum = 0.0f;
  for (int i = id; i < sums; i += 64) sum += squares[matrices[7] + i];
  const float scale = 1.0f / (sqrt(total(all, sum)) + 1e-7f);
  if (get_group_id(0) == 0 && id == 0) scales[matrix] = scale;
  for (int k = get_group_id(0) * 256 + id; k < n * n && k < (get_group_id(0) + 1) * 256; k += 64) {
    float v = 0.0f;
    for (int part = 0; part < count; part++) v += parts[matrices[5] + part * n * n + k];
    sets[matrices[4] + k] = v * scale * scale;
  }
}

// products multiplies symmetric matrices that commute: those of two sets, which are size numbers each, to a third; and, in groups beyond
// the tiles of the largest, perhaps other ones. The polynomial is that of a matrix a whose square the product is.
GROUP void products(__global float *sets, __global const int *restrict matrices, int size, int tiles,
                    int left, int right, int to, int otherLeft, int otherRight, int otherTo, int polynomial) {
  __local float p[SIDE * BESIDE] ALIGNED;
  __local float q[SIDE * BESIDE] ALIGNED;
  matrices += get_group_id(1) * TABLE;
  const int n = SMALLER(matrices[1], matrices[2]), other = get_group_id(0) >= tiles;
  int i, j;
  corner(get_group_id(0) % tiles, n, &i, &j);
  __global const float *a = sets + (other ? otherLeft : left) * size + matrices[4];
  float4 sum[4];
  correlate(sum, p, q, a, sets + (other ? otherRight : right) * size + matrices[4], n, i, j, i < n ? n : 0);
  sets += (other ? otherTo : to) * size + matrices[4];
  const int id = get_local_id(0);
#pragma unroll
  for (int f = 0; f < 16; f++) {
    const int r = i + id / 8 * 4 + f / 4, c = j + id % 8 * 4 + f % 4;
    float v = ((const float *)&sum[f / 4])[f % 4];
    if (polynomial && r < n && c < n) v = -4.7750f * a[r * n + c] + 2.0315f * v + (r == c ? 3.4445f : 0.0f);
    mirrored(sets, n, r, c, v);
  }
}

// muon updates matrices of parameters by x q, whose norm scales make 1 for x.
GROUP void muon(__global float *restrict w, __global const float *restrict factors, __global const float *restrict x,
                __global const float *restrict q, int qAt, __global const float *restrict scales, __global const int *restrict matrices) {
  __local float a[SIDE * BESIDE] ALIGNED;
  __local float b[SIDE * BESIDE] ALIGNED;
  const int id = get_local_id(0), c = id % SIDE, scale = get_group_id(1);
  matrices += get_group_id(1) * TABLE;
  const int rows = matrices[1], columns = matrices[2], tall = LARGER(rows, columns), n = SMALLER(rows, columns), tiles = (n + SIDE - 1) / SIDE;
  const int i = get_group_id(0) / tiles * SIDE, j = get_group_id(0) % tiles * SIDE;
  const int depth = i >= tall || factors[CLIP] < 0.0f ? 0 : n; // barriers follow, so no item may leave
  x += matrices[3];
  q += qAt + matrices[4];
  float4 sum[4];
#pragma unroll
  for (int f = 0; f < 4; f++) sum[f] = (float4)(0.0f);
  for (int first = 0; first < depth; first += SIDE) {
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < SIDE / 2; k++) {
      const int r = 2 * k + id / SIDE;
      a[c * BESIDE + r] = LOADED(x, i + r < tall && first + c < n, (i + r) * n + first + c);
      b[r * BESIDE + c] = LOADED(q, first + r < n && j + c < n, (first + r) * n + j + c);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    blocks(sum, a + id / 8 * 4, b + id % 8 * 4);
  }
  const float rate = factors[MATRIX] * sqrt((float)tall) * scales[scale];
  w += matrices[0];
#pragma unroll
  for (int f = 0; f < 16; f++) {
    const int r = i + id / 8 * 4 + f / 4, column = j + id % 8 * 4 + f % 4;
    if (r >= tall || column >= depth) continue;
    const int k = rows < columns ? column * columns + r : r * columns + column;
    w[k] = factors[SHRINK] * w[k] - rate * ((const float *)&sum[f / 4])[f % 4];
  }
}
