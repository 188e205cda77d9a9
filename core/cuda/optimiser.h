/* Adam's steps of any number of parameters, and the moving averages that follow them, in one launch. Parameters are
   cut into pieces of at most CHUNK numbers, one per block; a table in device memory says where each piece lies. Matrices
   that have a transposed copy are cut into squares, which are turned in shared memory.
   Step counts and powers of the betas live on the device too: tick counts them up first. */
#define CHUNK 1024
struct piece {
  float *w, *m, *v;      /* of the parameter; m is null where it only moves towards g */
  const float *g;        /* gradient, or the matrix to move towards */
  float *average;        /* follows w after its step; null for none */
  const float *correct;  /* 1/(1-beta1^t), 1/(1-beta2^t) */
  float *turned, *turned_average; /* the same numbers in the transposed copies; null for none */
  int rows, cols, pitch, shift; /* a row of a piece has room for 2^shift numbers */
  int across, turned_pitch;     /* columns without padding */
  float rate, beta1, gain1, beta2, gain2, eps, tau; /* gain is 1 - beta */
};
struct counter { double *t; float *correct; double beta1, beta2; };

KERNEL(tick, const struct counter *RESTRICT table, int n, int next) {
  OF_MEMORY(table, next);
  PHASE
    int i = BLOCK_ID * BLOCK + lane;
    if (i < n) {
      const struct counter c = table[i];
      double t = *c.t + 1, power1 = 1, power2 = 1, b1 = c.beta1, b2 = c.beta2;
      *c.t = t;
      for (unsigned left = (unsigned)t; left; left >>= 1) {
        if (left & 1) { power1 *= b1; power2 *= b2; }
        b1 *= b1;
        b2 *= b2;
      }
      c.correct[0] = (float)(1 / (1 - power1));
      c.correct[1] = (float)(1 / (1 - power2));
    }
  END_PHASE
}

DEV float k_part(float4 v, int c) { return c == 0 ? v.x : c == 1 ? v.y : c == 2 ? v.z : v.w; }
DEV void k_put(float4 *v, int c, float x) { if (c == 0) v->x = x; else if (c == 1) v->y = x; else if (c == 2) v->z = x; else v->w = x; }

/* Everything is read before anything is written: four numbers at a time, TURNS times a lane. */
#define TURNS (CHUNK / (4 * BLOCK))
#define SIDE 32
KERNEL(step, const struct piece *RESTRICT table, int next) {
  OF_MEMORY(table, next);
  SHARED(float, now, SIDE * (SIDE + 1)); /* transposed, until their rows are whole */
  SHARED(float, later, SIDE * (SIDE + 1));
  PHASE
    const struct piece p = table[BLOCK_ID];
    const float correct1 = p.m ? p.correct[0] : 0.0f, correct2 = p.m ? p.correct[1] : 0.0f;
    float4 w[TURNS], g[TURNS], m[TURNS], v[TURNS], a[TURNS];
    UNROLL for (int t = 0; t < TURNS; t++) {
      const int n = 4 * (t * BLOCK + lane), r = n >> p.shift, c = n - (r << p.shift), i = r * p.pitch + c;
      if (r >= p.rows || c >= p.cols) continue;
      w[t] = LOAD4(p.w, i);
      g[t] = LOAD4(p.g, i);
      if (p.m) m[t] = LOAD4(p.m, i), v[t] = LOAD4(p.v, i);
      if (p.average) a[t] = LOAD4(p.average, i);
    }
    UNROLL for (int t = 0; t < TURNS; t++) {
      const int n = 4 * (t * BLOCK + lane), r = n >> p.shift, c = n - (r << p.shift), i = r * p.pitch + c;
      if (r >= p.rows || c >= p.cols) continue;
      UNROLL for (int k = 0; k < 4; k++) {
        float x = k_part(w[t], k), y = k_part(g[t], k);
        if (p.m) {
          const float first = FMA(p.beta1, k_part(m[t], k), p.gain1 * y), second = FMA(p.beta2, k_part(v[t], k), p.gain2 * y * y);
          k_put(m + t, k, first);
          k_put(v + t, k, second);
          x -= p.rate * (first * correct1) / (k_sqrt(second * correct2) + p.eps);
        } else {
          x = FMA(p.tau, y - x, x);
        }
        k_put(w + t, k, x);
        if (p.turned) now[(c + k) * (SIDE + 1) + r] = x;
        if (!p.average) continue;
        y = k_part(a[t], k);
        x = FMA(p.tau, x - y, y);
        k_put(a + t, k, x);
        if (p.turned) later[(c + k) * (SIDE + 1) + r] = x;
      }
      PUT4(p.w, i, w[t]);
      if (p.m) PUT4(p.m, i, m[t]), PUT4(p.v, i, v[t]);
      if (p.average) PUT4(p.average, i, a[t]);
    }
  END_PHASE
  PHASE
    const struct piece p = table[BLOCK_ID];
    UNROLL for (int t = 0; t < TURNS; t++) {
      const int n = 4 * (t * BLOCK + lane), r = n % SIDE, c = n / SIDE, from = c * (SIDE + 1) + r, i = c * p.turned_pitch + r;
      if (!p.turned || c >= p.across || r >= p.rows) continue;
      float4 x = k_four(0.0f, 0.0f, 0.0f, 0.0f), y = x;
      UNROLL for (int k = 0; k < 4; k++)
        if (r + k < p.rows) {
          k_put(&x, k, now[from + k]);
          if (p.average) k_put(&y, k, later[from + k]);
        }
      PUT4(p.turned, i, x);
      if (p.average) PUT4(p.turned_average, i, y);
    }
  END_PHASE
}
