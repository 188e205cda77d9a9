/* C = A·B with an epilogue, operands transposed on request: GEMM(name, TA, TB, EPILOGUE) makes a kernel of

     struct name_args { const float *a, *b, *bias, *mask; float *c; int m, n, k, lda, ldb, ldc, ldm, act; }

   one block per 64×64 of C, 8×4 of it per lane. The epilogue is act(x + bias) or, with a mask, x·act'(mask). C is
   complete when the kernel ends: no partial sums, so the order of additions is that of k. */
#define TILE 64
#define DEPTH 16
#define PITCH (TILE + 4)
#define GEMM(name, TA, TB)                                                                                             \
  struct name##_args { const float *a, *b, *bias, *mask; float *c; int m, n, k, lda, ldb, ldc, ldm, act; };            \
  KERNEL(name) {                                                                                                       \
    SHARED(float, sa, DEPTH * PITCH);                                                                                  \
    SHARED(float, sb, DEPTH * PITCH);                                                                                  \
    PRIVATE(float, sum, 32);                                                                                           \
    const int across = (ARG(n) + TILE - 1) / TILE;                                                                     \
    const int top = BLOCK_ID / across * TILE, left = BLOCK_ID % across * TILE;                                         \
    PHASE                                                                                                              \
      UNROLL for (int i = 0; i < 32; i++) OWN(sum)[i] = 0.0f;                                                          \
    END_PHASE                                                                                                          \
    for (int from = 0; from < ARG(k); from += DEPTH) {                                                                 \
      PHASE                                                                                                            \
        UNROLL for (int i = 0; i < TILE * DEPTH / BLOCK; i++) {                                                        \
          int e = i * BLOCK + lane;                                                                                    \
          int r = TA ? e % TILE : e / DEPTH, d = TA ? e / TILE : e % DEPTH;                                            \
          int in = top + r < ARG(m) && from + d < ARG(k);                                                              \
          sa[d * PITCH + r] = !in ? 0.0f : TA ? ARG(a)[(from + d) * ARG(lda) + top + r]                                \
                                              : ARG(a)[(top + r) * ARG(lda) + from + d];                               \
        }                                                                                                              \
        UNROLL for (int i = 0; i < TILE * DEPTH / BLOCK; i++) {                                                        \
          int e = i * BLOCK + lane;                                                                                    \
          int c = TB ? e / DEPTH : e % TILE, d = TB ? e % DEPTH : e / TILE;                                            \
          int in = left + c < ARG(n) && from + d < ARG(k);                                                             \
          sb[d * PITCH + c] = !in ? 0.0f : TB ? ARG(b)[(left + c) * ARG(ldb) + from + d]                               \
                                              : ARG(b)[(from + d) * ARG(ldb) + left + c];                              \
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
          if (r < ARG(m) && c < ARG(n)) {                                                                              \
            float x = OWN(sum)[i * 4 + j];                                                                             \
            if (ARG(mask)) x *= k_slope(ARG(act), ARG(mask)[r * ARG(ldm) + c]);                                        \
            else x = k_act(ARG(act), ARG(bias) ? x + ARG(bias)[c] : x);                                                \
            ARG(c)[r * ARG(ldc) + c] = x;                                                                              \
          }                                                                                                            \
        }                                                                                                              \
      }                                                                                                                \
    END_PHASE                                                                                                          \
  }
GEMM(gemm_nn, 0, 0)
GEMM(gemm_nt, 0, 1)
GEMM(gemm_tn, 1, 0)
GEMM(gemm_tt, 1, 1)
