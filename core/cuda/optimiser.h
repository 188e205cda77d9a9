/* Adam's steps of any number of parameters, and the moving averages that follow them, in one launch. Parameters are
   cut into pieces of at most CHUNK numbers, one per block; a table in device memory says where each piece lies.
   Step counts and powers of the betas live on the device too: tick counts them up first. */
#define CHUNK 1024
struct piece {
  float *w, *m, *v;      /* of the parameter; m is null where it only moves towards g */
  const float *g;        /* gradient, or the matrix to move towards */
  float *average;        /* follows w after its step; null for none */
  const float *correct;  /* 1/(1-beta1^t), 1/(1-beta2^t) */
  int n;
  float rate, beta1, gain1, beta2, gain2, eps, tau; /* gain is 1 - beta */
};
struct counter { double *t; float *correct; double beta1, beta2; };

struct tick_args { const struct counter *table; int n; };
KERNEL(tick) {
  PHASE
    int i = BLOCK_ID * BLOCK + lane;
    if (i < ARG(n)) {
      const struct counter c = ARG(table)[i];
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

struct step_args { const struct piece *table; };
KERNEL(step) {
  PHASE
    const struct piece p = ARG(table)[BLOCK_ID];
    const float correct1 = p.m ? p.correct[0] : 0.0f, correct2 = p.m ? p.correct[1] : 0.0f;
    for (int i = lane; i < p.n; i += BLOCK) {
      float w = p.w[i], g = p.g[i];
      if (p.m) {
        float m = FMA(p.beta1, p.m[i], p.gain1 * g);
        float v = FMA(p.beta2, p.v[i], p.gain2 * g * g);
        p.m[i] = m;
        p.v[i] = v;
        w -= p.rate * (m * correct1) / (k_sqrt(v * correct2) + p.eps);
      } else {
        w = FMA(p.tau, g - w, w);
      }
      p.w[i] = w;
      if (p.average) p.average[i] = FMA(p.tau, w - p.average[i], p.average[i]);
    }
  END_PHASE
}
