/* C = A·B with an epilogue, operands transposed on request: GEMM(name, TA, TB) makes a kernel of one block per 64×64 of C,
   8×4 of it per lane. The epilogue is act(x + bias) or, with a mask, x·act'(mask). C is complete when the kernel ends: no
   partial sums, so the order of additions is that of k. */
#define TILE 64
#define DEPTH 16
#define PITCH (TILE + 4)
#define GEMM(name, TA, TB)                                                                                             \
  WIDE_KERNEL(name, const float *RESTRICT a, const float *RESTRICT b, const float *RESTRICT bias,                      \
         const float *RESTRICT mask, float *RESTRICT out, int m, int n, int k, int lda, int ldb, int ldc, int ldm,     \
         int act, int na, int nb, int nbias, int nmask, int nout) {                                                    \
    OF_MEMORY(a, na); OF_MEMORY(b, nb); OF_MEMORY(out, nout);                                                          \
    if (bias) OF_MEMORY(bias, nbias);                                                                                  \
    if (mask) OF_MEMORY(mask, nmask);                                                                                  \
    SHARED(float, sa, DEPTH * PITCH);                                                                                  \
    SHARED(float, sb, DEPTH * PITCH);                                                                                  \
    PRIVATE(float, sum, 32);                                                                                           \
    const int across = (n + TILE - 1) / TILE;                                                                          \
    const int top = BLOCK_ID / across * TILE, left = BLOCK_ID % across * TILE;                                         \
    PHASE                                                                                                              \
      UNROLL for (int i = 0; i < 32; i++) OWN(sum)[i] = 0.0f;                                                          \
    END_PHASE                                                                                                          \
    for (int from = 0; from < k; from += DEPTH) {                                                                      \
      PHASE                                                                                                            \
        UNROLL for (int i = 0; i < TILE * DEPTH / BLOCK; i++) {                                                        \
          int e = i * BLOCK + lane;                                                                                    \
          int r = TA ? e % TILE : e / DEPTH, d = TA ? e / TILE : e % DEPTH;                                            \
          int in = top + r < m && from + d < k;                                                                        \
          sa[d * PITCH + r] = !in ? 0.0f : TA ? a[(from + d) * lda + top + r]                                          \
                                              : a[(top + r) * lda + from + d];                                         \
        }                                                                                                              \
        UNROLL for (int i = 0; i < TILE * DEPTH / BLOCK; i++) {                                                        \
          int e = i * BLOCK + lane;                                                                                    \
          int c = TB ? e / DEPTH : e % TILE, d = TB ? e % DEPTH : e / TILE;                                            \
          int in = left + c < n && from + d < k;                                                                       \
          sb[d * PITCH + c] = !in ? 0.0f : TB ? b[(left + c) * ldb + from + d]                                         \
                                              : b[(from + d) * ldb + left + c];                                        \
        }                                                                                                              \
      END_PHASE                                                                                                        \
      PHASE                                                                                                            \
        const int r = lane / 16 * 8, c = lane % 16 * 4;                                                                \
        for (int d = 0; d < DEPTH; d++) {                                                                              \
          UNROLL for (int i = 0; i < 8; i++) {                                                                         \
            UNROLL for (int j = 0; j < 4; j++)                                                                         \
              OWN(sum)[i * 4 + j] = FMA(sa[d * PITCH + r + i], sb[d * PITCH + c + j], OWN(sum)[i * 4 + j]);            \
          }                                                                                                            \
        }                                                                                                              \
      END_PHASE                                                                                                        \
    }                                                                                                                  \
    PHASE                                                                                                              \
      const int r0 = top + lane / 16 * 8, c0 = left + lane % 16 * 4;                                                   \
      UNROLL for (int i = 0; i < 8; i++) {                                                                             \
        UNROLL for (int j = 0; j < 4; j++) {                                                                           \
          int r = r0 + i, c = c0 + j;                                                                                  \
          if (r < m && c < n) {                                                                                        \
            float x = OWN(sum)[i * 4 + j];                                                                             \
            if (mask) x *= k_slope(act, mask[r * ldm + c]);                                                            \
            else x = k_act(act, bias ? x + bias[c] : x);                                                               \
            out[r * ldc + c] = x;                                                                                      \
          }                                                                                                            \
        }                                                                                                              \
      }                                                                                                                \
    END_PHASE                                                                                                          \
  }
/* Both operands of a product as TF32 numbers and what these leave, the terms of a sum side by side, three times as many:
   of the one all numbers' first part twice and then the second, of the other first, second, first. What is left out is
   the product of the second parts. A block turns a square, if the terms lie apart. */
DEV float k_first(float x) { return x != x ? x : k_float((int)(((unsigned)k_bits(x) + 0x1000u) & ~0x1fffu)); }
#define SQUARE 32
KERNEL(split, const float *RESTRICT a, float *RESTRICT to_a, const float *RESTRICT b, float *RESTRICT to_b, int blocks,
       int terms, int m, int lda, int along_a, int n, int ldb, int along_b, int na, int nto_a, int nb, int nto_b) {
  OF_MEMORY(a, na);
  OF_MEMORY(to_a, nto_a);
  OF_MEMORY(b, nb);
  OF_MEMORY(to_b, nto_b);
  SHARED(float, square, SQUARE * (SQUARE + 1));
  const int other = BLOCK_ID >= blocks, id = other ? BLOCK_ID - blocks : BLOCK_ID;
  const float *const from = other ? b : a;
  float *const to = other ? to_b : to_a;
  const int across = other ? n : m, pitch = other ? ldb : lda, along = other ? along_b : along_a;
  const int room = (terms + 3) / 4 * 4, wide = (room + SQUARE - 1) / SQUARE;
  const int top = id / wide * SQUARE, left = id % wide * SQUARE;
  PHASE
    UNROLL for (int i = 0; i < SQUARE * SQUARE / BLOCK; i++) {
      const int e = i * BLOCK + lane, r = along ? e / SQUARE : e % SQUARE, c = along ? e % SQUARE : e / SQUARE;
      const int in = top + r < across && left + c < terms;
      square[r * (SQUARE + 1) + c] = !in ? 0.0f : along ? from[(top + r) * pitch + left + c] : from[(left + c) * pitch + top + r];
    }
  END_PHASE
  PHASE
    UNROLL for (int i = 0; i < SQUARE * SQUARE / BLOCK; i++) {
      const int e = i * BLOCK + lane, r = e / SQUARE, c = e % SQUARE;
      if (top + r >= across || left + c >= room) continue;
      const float x = square[r * (SQUARE + 1) + c], first = k_first(x);
      const float second = k_abs(first) < INFINITY_ ? x - first : 0.0f;
      float *const at = to + (top + r) * 3 * room + left + c;
      at[0] = first;
      at[room] = other ? second : first;
      at[2 * room] = other ? first : second;
    }
  END_PHASE
}
GEMM(gemm_nn, 0, 0)
GEMM(gemm_nt, 0, 1)
GEMM(gemm_tn, 1, 0)
GEMM(gemm_tt, 1, 1)
