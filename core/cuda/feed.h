/* Drawing an update's inputs on the device, as package feed describes it: the same numbers from the same stream as package
   replay draws on the host.
   The stream is Go's PCG (128 bits of state, DXSM output), seeded as package rng does; bounded integers are Lemire's,
   normals Marsaglia and Tsang's ziggurat, as math/rand/v2 has them. Both may reject, so how many numbers of the stream
   a draw takes is only known once it is made: raw makes the stream, draw finds out who gets which integer, walk and
   normals who gets which normal, gather copies rows and noise to where the program reads them, note keeps the program's scalars. */
typedef unsigned long long u64;
#define ROWS_PER_CHUNK 1024
#define RAWS 4      /* numbers of the stream per lane of raw */
#define WALKS 64    /* blocks that draw normals, at most */
#define ENTRIES 16  /* places at which a part of the stream may be entered without walking it again */

struct walk { int entry, made; }; /* where a part is entered, and the normals made before it */
struct ring { const float *const *chunks; const int *spans; int first, length, capacity, nspans; };
struct pick { int kind, store, n, pair, exclusive_end, skip, at; };
struct feed {
  u64 a, b, update;         /* of the next stream */
  const struct ring *rings; /* store by store, task by task */
  u64 *raw;
  int *chosen, *picks, *seen; /* drawn: tasks and counts, rows; seen is what the running update uses */
  float *noise;
  const float *wn, *fn;
  const unsigned *kn;
  short *leaves, *makes;      /* of walks: by block, entry and part */
  struct walk *blocks;        /* by block and entry */
  int *start, *finished;      /* of the normals' stream; blocks that have drawn theirs */
  int tasks, slots, choose, draws, per_slot, raws, noises, stride, walks, length;
  struct pick draw[4];
};
enum { NO_TASKS, WITH_REPLACEMENT, WITHOUT_REPLACEMENT }; /* choose */
enum { TRANSITIONS, WINDOW, WINDOW_PAIR };               /* kind of a pick */
enum { SAME_TRAJECTORY, SAME_TASK };                     /* pair of a pick */
enum { PAIRS, OVERLAP, SHORT, FAILED, COUNTS };          /* after the tasks in chosen */

struct wide { u64 hi, lo; };
DEV u64 k_high(u64 a, u64 b) { /* the upper half of a product */
  u64 a0 = (unsigned)a, a1 = a >> 32, b0 = (unsigned)b, b1 = b >> 32;
  u64 mid = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (unsigned)mid;
  return a1 * b1 + (mid >> 32) + (other >> 32);
}
DEV struct wide k_wide(u64 hi, u64 lo) { struct wide w; w.hi = hi; w.lo = lo; return w; }
DEV struct wide k_times(struct wide a, struct wide b) {
  return k_wide(k_high(a.lo, b.lo) + a.hi * b.lo + a.lo * b.hi, a.lo * b.lo);
}
DEV struct wide k_plus(struct wide a, struct wide b) {
  u64 lo = a.lo + b.lo;
  return k_wide(a.hi + b.hi + (lo < a.lo ? 1 : 0), lo);
}
DEV struct wide k_multiplier(void) { return k_wide(2549297995355413924ULL, 4865540595714422341ULL); }
DEV struct wide k_increment(void) { return k_wide(6364136223846793005ULL, 1442695040888963407ULL); }

/* n steps at once: x -> ax + c, squared as often as n has digits. */
DEV struct wide k_skip(struct wide s, unsigned n) {
  struct wide a = k_multiplier(), c = k_increment();
  for (; n; n >>= 1) {
    if (n & 1) s = k_plus(k_times(s, a), c);
    c = k_plus(k_times(c, a), c);
    a = k_times(a, a);
  }
  return s;
}
DEV u64 k_output(struct wide s) {
  u64 x = s.hi ^ s.hi >> 32;
  x *= 0xda942042e4dd58b5ULL;
  x ^= x >> 48;
  return x * (s.lo | 1);
}
DEV u64 k_mix(u64 x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}
DEV struct wide k_seed(const struct feed *f) {
  return k_wide(k_mix(f->a ^ k_mix(f->update)), k_mix(f->b + k_mix(f->update ^ 0xbb67ae8584caa73bULL)));
}

KERNEL(raw, const struct feed *f) {
  PHASE
    const int from = (BLOCK_ID * BLOCK + lane) * RAWS;
    struct wide s = k_skip(k_seed(f), from);
    for (int i = from; i < from + RAWS && i < f->raws; i++) {
      s = k_plus(k_times(s, k_multiplier()), k_increment());
      f->raw[i] = k_output(s);
    }
  END_PHASE
}

/* Number i of the stream, also past what raw made. */
DEV u64 k_raw(const struct feed *f, int i) { return i < f->raws ? f->raw[i] : k_output(k_skip(k_seed(f), i + 1)); }

/* An integer below n from one number of the stream, unless that is to be rejected. */
DEV int k_below(u64 x, u64 n, int *out) {
  if (!(n & (n - 1))) { *out = (int)(x & (n - 1)); return 1; }
  u64 lo = x * n;
  *out = (int)k_high(x, n);
  return lo >= n || lo >= (0 - n) % n;
}
DEV int k_next(const struct feed *f, int *pos, int n) {
  int x;
  while (!k_below(k_raw(f, (*pos)++), n, &x)) {}
  return x;
}

DEV const struct ring *k_ring(const struct feed *f, int store, int task) { return f->rings + store * f->tasks + task; }
DEV const float *k_row(const struct feed *f, const struct ring *r, int at) {
  int p = r->first + at;
  if (p >= r->capacity) p -= r->capacity;
  return r->chunks[p / ROWS_PER_CHUNK] + (u64)(p % ROWS_PER_CHUNK) * f->stride;
}
DEV int k_step(const struct feed *f, const struct ring *r, int at) { return (int)k_row(f, r, at)[f->stride - 1]; }

/* One window: of trajectory span, from which row and how long. */
DEV void k_crop(const struct feed *f, int *pos, const struct ring *r, int span, const struct pick *d, int *to) {
  int first = r->spans[2 * span], n = r->spans[2 * span + 1], m = d->n < n ? d->n : n, starts = n - m + 1;
  if (d->exclusive_end && starts > 1) starts--;
  to[0] = first + k_next(f, pos, starts);
  to[1] = m;
}
DEV void k_windows(const struct feed *f, int *pos, const struct ring *r, const struct pick *d, int *to, int *counts) {
  int one = k_next(f, pos, r->nspans), other = one, overlap;
  k_crop(f, pos, r, one, d, to);
  if (d->kind == WINDOW) return;
  if (d->pair == SAME_TASK) other = k_next(f, pos, r->nspans);
  k_crop(f, pos, r, other, d, to + 2);
  overlap = (to[0] + to[1] < to[2] + to[3] ? to[0] + to[1] : to[2] + to[3]) - (to[0] > to[2] ? to[0] : to[2]);
  counts[PAIRS]++;
  if (one == other && overlap > 0) counts[OVERLAP] += overlap;
  if (to[1] < d->n || to[3] < d->n) counts[SHORT]++;
}

/* log and e^x in double, for the normals outside the ziggurat's rectangles: one in a hundred. */
DEV double k_log64(double x) {
  union { double d; u64 u; } b;
  int n;
  double f, s, z, p;
  if (x <= 0) { b.u = 0xfff0000000000000ULL; return b.d; }
  b.d = x;
  n = (int)(b.u >> 52) - 1023;
  b.u = (b.u & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
  if (b.d > 1.4142135623730951) { b.d *= 0.5; n++; }
  f = b.d - 1;
  s = f / (2 + f);
  z = s * s;
  p = 1.0 / 23;
  for (int k = 21; k >= 3; k -= 2) p = p * z + 1.0 / k;
  return n * 0.6931471805599453 + 2 * s * (1 + p * z);
}
DEV double k_exp64(double x) {
  union { double d; u64 u; } b;
  if (x < -700) return 0;
  double n = (double)(int)(x * 1.4426950408889634 - 0.5), r = x - n * 0.6931471805599453, p = 1;
  for (int k = 14; k >= 1; k--) p = p * r / k + 1;
  b.u = (u64)((int)n + 1023) << 52;
  return p * b.d;
}
DEV double k_unit(u64 x) { return (double)(x & 0x1fffffffffffffULL) / 9007199254740992.0; }

/* What starts at number i of the stream: how many numbers it takes, and whether it ends in a normal, x. */
DEV int k_normal(const struct feed *f, int i, int *made, float *x) {
  const u64 u = k_raw(f, i);
  const int j = (int)(unsigned)u, k = (int)(u >> 32 & 0x7f);
  const double y = (double)j * (double)f->wn[k];
  int n = 1;
  *made = 1;
  *x = (float)y;
  if ((j < 0 ? 0u - (unsigned)j : (unsigned)j) < f->kn[k]) return n;
  if (k == 0) {
    double t, e;
    do {
      t = -k_log64(k_unit(k_raw(f, i + n))) * (1.0 / 3.442619855899);
      e = -k_log64(k_unit(k_raw(f, i + n + 1)));
      n += 2;
    } while (!(e + e >= t * t));
    *x = (float)(j > 0 ? 3.442619855899 + t : -3.442619855899 - t);
    return n;
  }
  *made = f->fn[k] + (float)k_unit(k_raw(f, i + 1)) * (f->fn[k - 1] - f->fn[k]) < (float)k_exp64(-0.5 * y * y);
  return 2;
}

/* Draws the tasks and rows of one update, and notes where the stream of its normals begins. */
KERNEL(draw, struct feed *f) {
  SHARED(int, pos, 1);
  SHARED(int, got, 1);
  SHARED(int, end, 1);
  SHARED(int, some, 1);
  SHARED(int, value, BLOCK);
  SHARED(int, rank, 2 * BLOCK);
  int *const counts = f->chosen + f->slots;
  PHASE
    if (lane == 0) {
      pos[0] = 0;
      some[0] = 0;
      for (int i = 0; i < COUNTS; i++) counts[i] = 0;
      if (f->choose == NO_TASKS) for (int i = 0; i < f->slots; i++) f->chosen[i] = i;
      if (f->choose == WITH_REPLACEMENT) for (int i = 0; i < f->slots; i++) f->chosen[i] = k_next(f, pos, f->tasks);
    }
  END_PHASE
  if (f->choose == WITHOUT_REPLACEMENT) { /* after the counts there is room for the order */
    int *const order = counts + COUNTS;
    PHASE for (int i = lane; i < f->tasks; i += BLOCK) order[i] = i; END_PHASE
    PHASE
      if (lane == 0)
        for (int i = f->tasks - 1; i > 0; i--) {
          int j = k_next(f, pos, i + 1), t = order[i];
          order[i] = order[j];
          order[j] = t;
        }
    END_PHASE
    PHASE for (int i = lane; i < f->slots; i += BLOCK) f->chosen[i] = order[i % f->tasks]; END_PHASE
  }
  for (int slot = 0; slot < f->slots; slot++)
    for (int q = 0; q < f->draws; q++) {
      const struct pick *const d = f->draw + q;
      const struct ring *const r = k_ring(f, d->store, f->chosen[slot]);
      int *const to = f->picks + slot * f->per_slot + d->at;
      PHASE
        if (lane == 0) {
          got[0] = d->kind == TRANSITIONS ? 0 : d->n;
          if (d->kind != TRANSITIONS) k_windows(f, pos, r, d, to, counts);
        }
      END_PHASE
      while (got[0] < d->n) {
        PHASE
          int x, ok = k_below(k_raw(f, pos[0] + lane), r->length, &x);
          if (ok && d->skip) ok = k_step(f, r, x) >= d->skip;
          value[lane] = x;
          rank[lane] = ok;
          if (!ok) some[0] = 1;
          if (lane == 0) end[0] = BLOCK;
        END_PHASE
        int from = 0;
        if (some[0]) { /* how many before each were taken */
          for (int by = 1; by < BLOCK; by *= 2) {
            PHASE rank[BLOCK - from + lane] = rank[from + lane] + (lane >= by ? rank[from + lane - by] : 0); END_PHASE
            from = BLOCK - from;
          }
          PHASE
            int before = lane ? rank[from + lane - 1] : 0, now = rank[from + lane];
            if (now > before && got[0] + now <= d->n) to[got[0] + now - 1] = value[lane];
            if (now > before && got[0] + now == d->n) end[0] = lane + 1;
          END_PHASE
        } else {
          PHASE
            if (got[0] + lane < d->n) to[got[0] + lane] = value[lane];
            if (got[0] + lane + 1 == d->n) end[0] = lane + 1;
          END_PHASE
        }
        PHASE
          if (lane == 0) {
            int taken = some[0] ? rank[from + BLOCK - 1] : BLOCK;
            pos[0] += end[0];
            got[0] = got[0] + taken < d->n ? got[0] + taken : d->n;
          }
        END_PHASE
        PHASE if (lane == 0) some[0] = 0; END_PHASE
      }
      PHASE END_PHASE /* nobody changes got before everybody has left the loop */
    }

  PHASE if (lane == 0) f->start[0] = pos[0]; END_PHASE
}

/* The normals of an update, by many blocks. The stream from where the integers end is cut into a part per lane. A part's
   walk depends on where it is entered, which only the walk before it tells; but walks that meet stay together, so walk
   goes through each part from every near entry, and normals follows the entries: first from block to block, then from
   part to part. */
DEV struct walk k_through(const struct feed *f, const short *leaves, const short *makes, int part, struct walk w) {
  const int lane = part % BLOCK;
  int p = w.entry, made;
  float x;
  if (p < ENTRIES) {
    w.made += makes[p * BLOCK + lane];
    w.entry = leaves[p * BLOCK + lane];
    return w;
  }
  while (p < f->length) { p += k_normal(f, f->start[0] + part * f->length + p, &made, &x); w.made += made; }
  w.entry = p - f->length;
  return w;
}

KERNEL(walk, struct feed *f) {
  SHARED(short, leaves, ENTRIES * BLOCK);
  SHARED(short, makes, ENTRIES * BLOCK);
  const int length = f->length;
  PHASE
    const int at = f->start[0] + (BLOCK_ID * BLOCK + lane) * length;
    int made, p = 0, all = 0;
    float x;
    while (p < length) { p += k_normal(f, at + p, &made, &x); all += made; }
    leaves[lane] = (short)(p - length);
    makes[lane] = (short)all;
    for (int e = 1; e < ENTRIES; e++) {
      int far = 0, passed = 0, count = 0; /* the walk from the beginning; what the one from e has made */
      p = e;
      while (p != far && p < length)
        if (far < p) { far += k_normal(f, at + far, &made, &x); passed += made; }
        else { p += k_normal(f, at + p, &made, &x); count += made; }
      leaves[e * BLOCK + lane] = p == far && p < length ? leaves[lane] : (short)(p - length);
      makes[e * BLOCK + lane] = (short)(p == far && p < length ? count + all - passed : count);
    }
  END_PHASE
  PHASE
    for (int i = lane; i < ENTRIES * BLOCK; i += BLOCK) {
      f->leaves[BLOCK_ID * ENTRIES * BLOCK + i] = leaves[i];
      f->makes[BLOCK_ID * ENTRIES * BLOCK + i] = makes[i];
    }
    if (lane < ENTRIES) {
      struct walk w;
      w.entry = lane;
      w.made = 0;
      for (int s = 0; s < BLOCK; s++) w = k_through(f, leaves, makes, BLOCK_ID * BLOCK + s, w);
      f->blocks[BLOCK_ID * ENTRIES + lane] = w;
    }
  END_PHASE
}

KERNEL(normals, struct feed *f) {
  SHARED(struct walk, blocks, ENTRIES * WALKS);
  SHARED(short, leaves, ENTRIES * BLOCK);
  SHARED(short, makes, ENTRIES * BLOCK);
  SHARED(struct walk, entry, BLOCK);
  PHASE
    for (int i = lane; i < ENTRIES * BLOCK_ID; i += BLOCK) blocks[i] = f->blocks[i];
    for (int i = lane; i < ENTRIES * BLOCK; i += BLOCK) {
      leaves[i] = f->leaves[BLOCK_ID * ENTRIES * BLOCK + i];
      makes[i] = f->makes[BLOCK_ID * ENTRIES * BLOCK + i];
    }
  END_PHASE
  PHASE
    if (lane == 0) {
      struct walk w;
      w.entry = w.made = 0;
      for (int b = 0; b < BLOCK_ID; b++) {
        const int all = b * ENTRIES * BLOCK;
        if (w.entry < ENTRIES) { struct walk to = blocks[b * ENTRIES + w.entry]; w.made += to.made; w.entry = to.entry; }
        else for (int s = 0; s < BLOCK; s++) w = k_through(f, f->leaves + all, f->makes + all, b * BLOCK + s, w);
      }
      for (int s = 0; s < BLOCK; s++) {
        entry[s] = w;
        w = k_through(f, leaves, makes, BLOCK_ID * BLOCK + s, w);
      }
      if (BLOCK_ID == f->walks - 1) f->chosen[f->slots + FAILED] = w.made < f->noises;
    }
  END_PHASE
  PHASE
    const int at = f->start[0] + (BLOCK_ID * BLOCK + lane) * f->length;
    int made, out = entry[lane].made;
    float x;
    for (int p = entry[lane].entry; p < f->length && out < f->noises;) {
      p += k_normal(f, at + p, &made, &x);
      if (made) f->noise[out++] = x;
    }
  END_PHASE
  PHASE /* the seed of numbers that are not made in advance changes when nobody draws any more */
    if (lane == 0) {
      FENCE;
      if (NEXT(f->finished) == f->walks - 1) { f->finished[0] = 0; f->update++; }
    }
  END_PHASE
}

/* One matrix to fill. A part of it is one block's work. */
struct job {
  float *to;
  const float *table;
  float masked;
  int kind, rows, cols, pitch;
  int store, at, n;  /* of the pick: its ring, where its rows stand among the slot's, rows per slot */
  int column, split; /* columns up to split are the row's from column on, the others the next observation */
  int windows, which; /* which of them, or -1 for transitions */
  int base;          /* of noise */
};
struct part { int job, from; };
enum { COLUMNS, WEIGHT, OF_TASK, TASK_MASK, NOISE, HISTORY };
#define PART 512

DEV float k_fill(const struct feed *f, const struct job *j, int row, int col) {
  if (j->kind == OF_TASK) return j->table[f->chosen[row] * j->cols + col];
  if (j->kind == TASK_MASK) return row != col && f->chosen[row] == f->chosen[col] ? j->masked : 0.0f;
  if (j->kind == NOISE) return f->noise[j->base + row * j->cols + col];
  const int slot = row / j->n, k = row % j->n;
  const int *picks = f->picks + slot * f->per_slot + j->at;
  const struct ring *r = k_ring(f, j->store, f->chosen[slot]);
  int at = j->which < 0 ? picks[k] : picks[2 * j->which] + k;
  if (j->which >= 0 && k >= picks[2 * j->which + 1]) return 0.0f;
  if (j->kind == WEIGHT) return 1.0f;
  int c = col;
  if (j->kind == HISTORY) { /* which counts back from the row: windows of them, oldest first, the last one back by split */
    const int width = j->cols / j->windows, back = j->windows - 1 + j->split - col / width, step = k_step(f, r, at);
    if (back > step || back > at) return 0.0f;
    at -= back;
    return k_row(f, r, at)[col % width];
  }
  c = c < j->split ? j->column + c : f->stride - 1 - (j->cols - c);
  return k_row(f, r, at)[c];
}

KERNEL(gather, const struct feed *f, const struct job *jobs, const struct part *parts) {
  PHASE
    const struct part p = parts[BLOCK_ID];
    const struct job *j = jobs + p.job;
    const int n = j->rows * j->cols, cols = j->cols, pitch = j->pitch;
    float *const to = j->to;
    float x[PART / BLOCK];
    UNROLL for (int i = 0; i < PART / BLOCK; i++) { /* all are read before any is written */
      const int e = p.from + i * BLOCK + lane;
      x[i] = e < n ? k_fill(f, j, e / cols, e % cols) : 0.0f;
    }
    UNROLL for (int i = 0; i < PART / BLOCK; i++) {
      const int e = p.from + i * BLOCK + lane;
      if (e < n) to[e / cols * pitch + e % cols] = x[i];
    }
    if (BLOCK_ID == 0)
      for (int i = lane; i < f->slots + COUNTS; i += BLOCK) f->seen[i] = f->chosen[i];
  END_PHASE
}

/* Keeps the scalars of an update, its tasks and its counts as a row of a ring. */
KERNEL(note, const float *const *scalars, const int *seen, float *rows, int *at, int n, int m, int width, int capacity) {
  PHASE
    float *to = rows + *at * width;
    for (int i = lane; i < n; i += BLOCK) to[i] = *scalars[i];
    for (int i = lane; i < m; i += BLOCK) to[n + i] = (float)seen[i];
  END_PHASE
  PHASE if (lane == 0) *at = (*at + 1) % capacity; END_PHASE
}
