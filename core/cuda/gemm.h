/* C = A·B with an epilogue, operands transposed on request: GEMM(name, TA, TB) makes a kernel of one block per 64×64 of C,
   8×4 of it per lane. The epilogue is act(x + bias) or, with a mask, x·act'(mask). C is complete when the kernel ends: no
   partial sums, so the order of additions is that of k. */
#define TILE 64
#define DEPTH 16
#define PITCH (TILE + 4)
#define GEMM(name, TA, TB)                                                                                             \
  KERNEL(name, const float *RESTRICT a, const float *RESTRICT b, const float *RESTRICT bias,                           \
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
GEMM(gemm_nn, 0, 0)
GEMM(gemm_nt, 0, 1)
GEMM(gemm_tn, 1, 0)
GEMM(gemm_tt, 1, 1)
