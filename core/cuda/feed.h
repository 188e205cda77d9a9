/* Drawing an update's inputs on the device, as package feed describes it: the same numbers from the same stream as package
   replay draws on the host.
   The stream is Go's PCG (128 bits of state, DXSM output), seeded as package rng does; bounded integers are Lemire's,
   normals Marsaglia and Tsang's ziggurat, as math/rand/v2 has them. Both may reject, so how many numbers of the stream
   a draw takes is only known once it is made: raw makes the stream and what a normal would be that starts at each of its
   numbers, draw finds out who gets which integer, walk and normals who gets which normal, gather copies rows and noise to
   where the program reads them, note keeps the program's scalars. */
typedef unsigned long long u64;
#define ROWS_PER_CHUNK 1024
#define RAWS 2      /* numbers of the stream per lane of raw */
#define WALKS 64    /* blocks that draw normals, at most */
#define ENTRIES 16  /* places at which a part of the stream may be entered without walking it again */
#define AHEAD 8     /* numbers of a part that a lane reads at once */

struct walk { int entry, made; }; /* where a part is entered, and the normals made before it */
struct ring { const float *const *chunks; const int *spans; int first, length, capacity, nspans; };
struct pick { int kind, store, n, pair, exclusive_end, skip, at; };
struct feed {
  u64 a, b, update;         /* of the next stream */
  const struct ring *rings; /* store by store, task by task */
  u64 *raw;
  short *steps;             /* what starts at each number, see k_normal: of those of raw, then of the normals' parts past them */
  float *values;
  int *chosen, *picks, *seen; /* drawn: tasks and counts, rows; seen is what the running update uses */
  float *noise;
  const float *wn, *fn;
  const unsigned *kn;
  struct walk *ways;          /* by block, entry into it and part: where the part is entered, and what is made before it */
  struct walk *blocks;        /* by block and entry: where the next block is entered, and what is made in this one */
  int *start, *finished;      /* of the normals' stream; blocks that have drawn theirs */
  int tasks, slots, choose, draws, per_slot, raws, noises, stride, walks, length;
  struct pick draw[4];
};
enum { NO_TASKS, WITH_REPLACEMENT, WITHOUT_REPLACEMENT }; /* choose */
enum { TRANSITIONS, WINDOW, WINDOW_PAIR, ROW_PAIR };     /* kind of a pick */
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

DEV struct wide k_advance(struct wide s) { return k_plus(k_times(s, k_multiplier()), k_increment()); }

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

/* n rows of every other of a trajectory's, then n of the others. */
DEV void k_halves(const struct feed *f, int *pos, const struct ring *r, const struct pick *d, int *to, int *counts) {
  int span = k_next(f, pos, r->nspans), first = r->spans[2 * span], kept = r->spans[2 * span + 1], parity = k_next(f, pos, 2);
  if (kept == 1) parity = 0;
  for (int set = 0; set < 2; set++) {
    for (int k = 0; k < d->n; k++) to[set * d->n + k] = first + parity + 2 * k_next(f, pos, (kept - parity + 1) / 2);
    if (kept > 1) parity = 1 - parity;
  }
  counts[PAIRS]++;
  if (kept == 1) { counts[OVERLAP]++; counts[SHORT]++; }
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

/* What starts at a number of the stream, of state s: twice how many numbers it takes, and one more where it ends in a
   normal, x. */
DEV int k_normal(const struct feed *f, struct wide s, float *x) {
  const u64 u = k_output(s);
  const int j = (int)(unsigned)u, k = (int)(u >> 32 & 0x7f);
  const double y = (double)j * (double)f->wn[k];
  int n = 1;
  *x = (float)y;
  if ((j < 0 ? 0u - (unsigned)j : (unsigned)j) < f->kn[k]) return 3;
  s = k_advance(s);
  if (k == 0) {
    double t, e;
    do {
      t = -k_log64(k_unit(k_output(s))) * (1.0 / 3.442619855899);
      s = k_advance(s);
      e = -k_log64(k_unit(k_output(s)));
      s = k_advance(s);
      n += 2;
    } while (!(e + e >= t * t));
    *x = (float)(j > 0 ? 3.442619855899 + t : -3.442619855899 - t);
    return 2 * n + 1;
  }
  return f->fn[k] + (float)k_unit(k_output(s)) * (f->fn[k - 1] - f->fn[k]) < (float)k_exp64(-0.5 * y * y) ? 5 : 4;
}

KERNEL(raw, const struct feed *f) {
  PHASE
    const int from = (BLOCK_ID * BLOCK + lane) * RAWS;
    struct wide s = k_skip(k_seed(f), from);
    ONE_BY_ONE for (int i = from; i < from + RAWS && i < f->raws; i++) {
      float x;
      s = k_advance(s);
      f->raw[i] = k_output(s);
      f->steps[i] = (short)k_normal(f, s, &x);
      f->values[i] = x;
    }
  END_PHASE
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
          if (d->kind == WINDOW || d->kind == WINDOW_PAIR) k_windows(f, pos, r, d, to, counts);
          if (d->kind == ROW_PAIR) k_halves(f, pos, r, d, to, counts);
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

/* The normals of an update, by many blocks. The stream from where the integers end is cut into a part per lane. Where a part is
   entered only the part before it tells, so walk finds out of each part where it is left and how many normals it makes from
   every near entry, from its end to its beginning, as what starts at a number goes on as what starts further on does. Of a
   block it follows every near entry from part to part; normals follows that of its own from block to block. */
struct stream { const short *steps; const float *values; int raws, start, length; }; /* from the normals' beginning on */
DEV struct stream k_stream(const struct feed *f) {
  struct stream s;
  s.steps = f->steps;
  s.values = f->values;
  s.raws = f->raws;
  s.start = f->start[0];
  s.length = f->length;
  return s;
}
DEV int k_place(struct stream s, int p) { return p + s.start < s.raws ? p + s.start : s.raws + p; }

/* A walk from the place w into n numbers, from p on, to the place behind them. */
DEV struct walk k_walk(struct stream s, int p, int n, struct walk w) {
  while (w.entry < n) {
    const int step = s.steps[k_place(s, p + w.entry)];
    w.entry += step >> 1;
    w.made += step & 1;
  }
  w.entry -= n;
  return w;
}

KERNEL(walk, struct feed *f) {
  SHARED(short, leaves, ENTRIES * BLOCK);
  SHARED(short, makes, ENTRIES * BLOCK);
  const struct stream s = k_stream(f);
  const int length = s.length, first = BLOCK_ID * BLOCK * length;
  PHASE /* what raw has not made */
    for (int p = first + lane; p < first + BLOCK * length; p += BLOCK)
      if (s.start + p >= s.raws) f->steps[s.raws + p] = (short)k_normal(f, k_skip(k_seed(f), s.start + p + 1), f->values + s.raws + p);
  END_PHASE
  PHASE
    const int at = first + lane * length;
    for (int p = length; p < length + ENTRIES; p++) {
      leaves[p % ENTRIES * BLOCK + lane] = (short)(p - length);
      makes[p % ENTRIES * BLOCK + lane] = 0;
    }
    for (int end = length; end > 0; end -= AHEAD) {
      int steps[AHEAD];
      UNROLL for (int i = 0; i < AHEAD; i++) steps[i] = s.steps[k_place(s, at + (end - 1 - i > 0 ? end - 1 - i : 0))];
      UNROLL for (int i = 0; i < AHEAD; i++) {
        const int p = end - 1 - i, to = p + (steps[i] >> 1);
        struct walk w;
        w.entry = to;
        w.made = steps[i] & 1;
        if (p < 0) continue;
        if (to <= p + ENTRIES) { /* of these places it is known */
          w.entry = leaves[to % ENTRIES * BLOCK + lane];
          w.made += makes[to % ENTRIES * BLOCK + lane];
        } else w = k_walk(s, at, length, w);
        leaves[p % ENTRIES * BLOCK + lane] = (short)w.entry;
        makes[p % ENTRIES * BLOCK + lane] = (short)w.made;
      }
    }
  END_PHASE
  PHASE
    if (lane < ENTRIES) {
      struct walk w, *const ways = f->ways + (BLOCK_ID * ENTRIES + lane) * BLOCK;
      w.entry = lane;
      w.made = 0;
      for (int part = 0; part < BLOCK; part++) {
        ways[part] = w;
        if (w.entry < ENTRIES) {
          const int i = w.entry * BLOCK + part;
          w.entry = leaves[i];
          w.made += makes[i];
        } else w = k_walk(s, first + part * length, length, w);
      }
      f->blocks[BLOCK_ID * ENTRIES + lane] = w;
    }
  END_PHASE
}

KERNEL(normals, struct feed *f) {
  SHARED(struct walk, blocks, ENTRIES * WALKS);
  SHARED(struct walk, entry, 1);
  const struct stream s = k_stream(f);
  PHASE for (int i = lane; i < ENTRIES * (BLOCK_ID + 1); i += BLOCK) blocks[i] = f->blocks[i]; END_PHASE
  PHASE
    if (lane == 0) {
      struct walk w;
      w.entry = w.made = 0;
      for (int b = 0; b <= BLOCK_ID; b++) {
        entry[0] = w;
        if (w.entry < ENTRIES) { struct walk to = blocks[b * ENTRIES + w.entry]; w.made += to.made; w.entry = to.entry; }
        else w = k_walk(s, b * BLOCK * s.length, BLOCK * s.length, w);
      }
      if (BLOCK_ID == f->walks - 1) f->chosen[f->slots + FAILED] = w.made < f->noises;
    }
  END_PHASE
  PHASE
    const int first = BLOCK_ID * BLOCK * s.length, noises = f->noises;
    float *const noise = f->noise;
    struct walk w = entry[0];
    if (w.entry < ENTRIES) {
      struct walk way = f->ways[(BLOCK_ID * ENTRIES + w.entry) * BLOCK + lane];
      w.entry = way.entry;
      w.made += way.made;
    } else
      for (int part = 0; part < lane; part++) w = k_walk(s, first + part * s.length, s.length, w);
    while (w.entry < s.length && w.made < noises) {
      const int at = k_place(s, first + lane * s.length + w.entry), step = s.steps[at];
      const float x = s.values[at];
      if (step & 1) noise[w.made++] = x;
      w.entry += step >> 1;
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
