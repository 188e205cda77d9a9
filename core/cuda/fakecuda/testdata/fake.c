/* A stand-in for NVIDIA's driver, NVRTC and cuBLASLt in one library, for tests on machines without a GPU. It checks the
   arguments of every call, and really computes: "compiling" is the system's C compiler on the C side of the kernel
   language, device memory is host memory with guards around it, streams do nothing until somebody waits for them,
   and a graph runs its operations in any order that its dependencies allow. fake_fail makes the nth call of a function
   fail. A mistake of the caller's that a real driver might not notice is written to standard error and counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INVALID = 1, OUT_OF_MEMORY = 2, INVALID_HANDLE = 400, NOT_FOUND = 500, UNJOINED = 904 };

/* ---- control by the tests ---- */
static int version = 13000, lt_version = 130002, nvrtc_major = 13, devices = 2, mistakes, order, supports = 1, batches = 1, refuses, capturing, pause_ms, loads, lined;
static double clock_us, speeds[3]; /* of the algorithms that are proposed for a product, in us */
static char folder[200];
void fake_folder(const char *path) { snprintf(folder, sizeof folder, "%s", path); }
/* Programs that know nothing of the stand-in leave their kernels where temporary files go. */
__attribute__((constructor)) static void begin(void) { const char *t = getenv("TMPDIR"); fake_folder(t ? t : "/tmp"); }
static size_t limit = (size_t)4 << 30, in_use;
static int period; /* what was allocated before the last fake_limit is in nobody's count: Go frees it when it likes */
static char fail_name[64];
static int fail_after, fail_code;
void fake_limit(size_t bytes) { limit = bytes; in_use = 0; period++; }
void fake_reset(void) {
  version = 13000; lt_version = 130002; nvrtc_major = 13; devices = 2; mistakes = 0; order = 0; supports = 1; batches = 1; refuses = 0; pause_ms = 0; loads = 0; lined = 0;
  for (int i = 0; i < 3; i++) speeds[i] = 10 + i;
  fake_limit((size_t)4 << 30); fail_name[0] = 0;
}
void fake_versions(int driver, int nvrtc, int lt) { version = driver; nvrtc_major = nvrtc; lt_version = lt; }
void fake_devices(int n) { devices = n; }
void fake_supports(int yes) { supports = yes; }
void fake_batches(int yes) { batches = yes; }
void fake_refuses(int n) { refuses = n; } /* the first algorithms proposed for a product fail when they are run */
void fake_speed(int algorithm, int us) { speeds[algorithm] = us; }
void fake_pause(int ms) { pause_ms = ms; } /* in every recording, for others to come in between */
void fake_order(int n) { order = n; } /* of lanes, blocks and of a graph's operations: 0 as given, 1 backwards, 2 and above shuffled */
void fake_fail(const char *name, int after, int code) { snprintf(fail_name, sizeof fail_name, "%s", name); fail_after = after; fail_code = code; }
int fake_lined(void) { return lined; }
int fake_mistakes(void) { return mistakes; }
size_t fake_in_use(void) { return in_use; }
static int failing(const char *name) { return !strcmp(name, fail_name) && fail_after-- <= 0 ? fail_code : 0; }
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int take(void) { pthread_mutex_lock(&mutex); return 0; }
static void leave(int *x) { (void)x; pthread_mutex_unlock(&mutex); }
#define ENTER int taken_ __attribute__((cleanup(leave), unused)) = take(); { int code_ = failing(__func__); if (code_) return code_; }
static int wrong(const char *call, const char *format, ...) {
  va_list a; va_start(a, format); fprintf(stderr, "fake driver: %s: ", call); vfprintf(stderr, format, a); fputc('\n', stderr); va_end(a);
  mistakes++;
  return INVALID;
}
#define WANT(condition, ...) if (!(condition)) return wrong(__func__, __VA_ARGS__)
/* A driver may refuse these while any thread records a graph, and then the recording is lost. */
#define APART WANT(!capturing, "while a recording is made")

/* ---- memory ---- */
enum { GUARD = 256 };
struct block { char *p; size_t n; int pinned, period; struct block *next; };
static struct block *blocks;
static struct block *find(const void *p, size_t n) {
  for (struct block *b = blocks; b; b = b->next)
    if ((const char *)p >= b->p && (const char *)p + n <= b->p + b->n) return b;
  return NULL;
}
static int allocate(void **out, size_t n, int pinned) {
  if (in_use + n > limit) return OUT_OF_MEMORY;
  struct block *b = malloc(sizeof *b);
  char *raw = aligned_alloc(256, (n + 2 * GUARD + 255) / 256 * 256);
  memset(raw, 0xab, GUARD);
  memset(raw + GUARD + n, 0xab, GUARD);
  memset(raw + GUARD, 0xff, n < 1 << 20 ? n : 1 << 20); /* not numbers */
  *b = (struct block){raw + GUARD, n, pinned, period, blocks};
  blocks = b; in_use += n; *out = b->p;
  return 0;
}
static int guards(struct block *b) {
  for (int i = 0; i < GUARD; i++)
    if ((unsigned char)b->p[-1 - i] != 0xab || (unsigned char)b->p[b->n + i] != 0xab) return 0;
  return 1;
}
static void settle(void);
static int release(const char *call, void *p, int pinned) {
  settle();
  for (struct block **b = &blocks; *b; b = &(*b)->next)
    if ((*b)->p == p) {
      struct block *old = *b;
      if (old->pinned != pinned) return wrong(call, "%p is the other kind of memory", p);
      if (!guards(old)) return wrong(call, "something wrote beside the %zu bytes at %p", old->n, p);
      *b = old->next; in_use -= old->period == period ? old->n : 0; free(old->p - GUARD); free(old);
      return 0;
    }
  return wrong(call, "%p is not memory", p);
}
/* Copies from ordinary memory may be under way when the call returns, as clearing is: they are the default stream's, which
   streams that do not block it do not wait for. */
static struct later { void *to, *copy; size_t n; uint32_t x; struct later *next; } *first_later, **last_later = &first_later;
static void later(void *to, const void *from, size_t n, uint32_t x) {
  struct later *l = malloc(sizeof *l);
  *l = (struct later){to, from ? malloc(n) : NULL, n, x, NULL};
  if (from) memcpy(l->copy, from, n);
  *last_later = l; last_later = &l->next;
}
static void settle(void) {
  while (first_later) {
    struct later *l = first_later;
    if (l->copy) memcpy(l->to, l->copy, l->n);
    else for (size_t i = 0; i < l->n; i++) ((uint32_t *)l->to)[i] = l->x;
    first_later = l->next; free(l->copy); free(l);
  }
  last_later = &first_later;
}
int cuMemAlloc_v2(void **p, size_t n) { ENTER APART; WANT(n > 0, "0 bytes"); return allocate(p, n, 0); }
int cuMemFree_v2(void *p) { ENTER APART; return release(__func__, p, 0); }
int cuMemHostAlloc(void **p, size_t n, unsigned flags) { ENTER APART; WANT(n > 0 && flags == 0, "%zu bytes, flags %u", n, flags); return allocate(p, n, 1); }
int cuMemFreeHost(void *p) { ENTER APART; return release(__func__, p, 1); }
static int device(const void *p, size_t n) { struct block *b = find(p, n); return b && !b->pinned && n > 0; }
static int pinned(const void *p, size_t n) { struct block *b = find(p, n); return b && b->pinned && n > 0; }
int cuMemcpyHtoD_v2(void *to, const void *from, size_t n) { ENTER APART; WANT(device(to, n), "%zu bytes to %p", n, to); later(to, from, n, 0); return 0; }
int cuMemcpyDtoH_v2(void *to, const void *from, size_t n) { ENTER APART; WANT(device(from, n), "%zu bytes from %p", n, from); settle(); memcpy(to, from, n); return 0; }
int cuMemsetD32_v2(uint32_t *to, uint32_t x, size_t n) { ENTER APART; WANT(device(to, 4 * n), "%zu words at %p", n, (void *)to); later(to, NULL, n, x); return 0; }

/* ---- devices ---- */
static int initialised;
static __thread void *context;
static __thread int since;
static int forgotten;
#define current (since == forgotten ? context : NULL)
void fake_forget(void) { forgotten++; } /* what is current on any thread */
int cuInit(unsigned flags) { ENTER WANT(flags == 0, "flags %u", flags); initialised = 1; return devices ? 0 : 100; }
int cuDriverGetVersion(int *v) { ENTER *v = version; return 0; }
int cuDeviceGetCount(int *n) { ENTER WANT(initialised, "before cuInit"); *n = devices; return 0; }
int cuDeviceGet(int *d, int i) { ENTER WANT(i >= 0 && i < devices, "device %d", i); *d = i; return 0; }
int cuDeviceGetName(char *name, int n, int d) { ENTER WANT(d < devices, "device %d", d); snprintf(name, n, "Fake H100 number %d", d); return 0; }
int cuDeviceTotalMem_v2(size_t *n, int d) { ENTER WANT(d < devices, "device %d", d); *n = limit; return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) {
  ENTER WANT(d < devices, "device %d", d);
  *v = a == 75 ? 9 : a == 76 ? 0 : a == 16 ? 132 : -1;
  WANT(*v >= 0, "attribute %d", a);
  return 0;
}
int cuDevicePrimaryCtxRetain(void **c, int d) { ENTER *c = (void *)(uintptr_t)(0xc0 + d); return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { ENTER return wrong(__func__, "the primary context of device %d is everybody's in this process", d); }
int cuCtxSetCurrent(void *c) { ENTER WANT(c == (void *)0xc0 || c == (void *)0xc1, "context %p", c); context = c; since = forgotten; return 0; }
int cuGetErrorName(int code, const char **name) {
  *name = code == 1 ? "CUDA_ERROR_INVALID_VALUE" : code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 100 ? "CUDA_ERROR_NO_DEVICE" : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : NULL;
  return *name ? 0 : INVALID;
}

/* ---- operations, streams, events, graphs ---- */
struct list { int n, *of; };
static void add(struct list *l, int x) { for (int i = 0; i < l->n; i++) if (l->of[i] == x) return; l->of = realloc(l->of, (l->n + 1) * sizeof(int)); l->of[l->n++] = x; }
static void join(struct list *l, const struct list *x) { for (int i = 0; i < x->n; i++) add(l, x->of[i]); }
/* Called with as many arguments as any kernel has: both kinds of processor pass what is too much and nobody looks at. */
enum { MOST = 96 };
#define EIGHT(a, i) a[i], a[i + 1], a[i + 2], a[i + 3], a[i + 4], a[i + 5], a[i + 6], a[i + 7]
typedef uint64_t u64;
#define EIGHT_OF u64, u64, u64, u64, u64, u64, u64, u64
struct function { void (*run)(int, int, EIGHT_OF, EIGHT_OF, EIGHT_OF, EIGHT_OF, EIGHT_OF, EIGHT_OF, EIGHT_OF, EIGHT_OF, EIGHT_OF, EIGHT_OF, EIGHT_OF, EIGHT_OF); int count, loaded; int *order; const char *parameters; };
struct lt_product { int m, n, k, ta, tb, lda, ldb, ldc, epilogue, compute, count, algo; int64_t na, nb, nc, nbias; const float *a, *b; float *bias, *c; };
struct operation {
  enum { LAUNCH, COPY, MULTIPLY, GRAPH, MARK } kind;
  struct function *f; int grid, memories; void *args;
  void *to; const void *from; size_t n;
  struct lt_product product;
  struct graph *graph;
  struct event *mark;
  struct list after;
};
struct graph { int n; struct operation *ops; };
struct stream { int magic; struct operation *queue; int queued; struct graph *capture; int origin; struct list frontier; };
struct event { int magic, asked, timed; double when; struct stream *on; struct graph *capture; struct list frontier; };
static int is_stream(struct stream *s) { return s && s->magic == 0x57; }
static int is_event(struct event *e) { return e && e->magic == 0xe7; }

static void multiply(const struct lt_product *p);
/* The product made last, until anything else is done: made again, by whatever algorithm, it is the same. */
static struct lt_product again;
static int same(struct lt_product p) { p.algo = again.algo; return !memcmp(&p, &again, sizeof p); }
static void run(struct operation *o);
static void run_graph(struct graph *g) {
  char *done = calloc(g->n + 1, 1);
  unsigned seed = order * 2654435761u;
  for (int left = g->n; left > 0; left--) {
    int pick = -1, ready = 0;
    for (int i = 0; i < g->n; i++) {
      if (done[i]) continue;
      int ok = 1;
      for (int k = 0; k < g->ops[i].after.n; k++) ok &= done[g->ops[i].after.of[k]];
      if (!ok) continue;
      ready++;
      seed = seed * 1664525u + 1013904223u;
      if (pick < 0 || order == 1 || order > 1 && (seed >> 8) % ready == 0) pick = i;
    }
    run(&g->ops[pick]);
    done[pick] = 1;
  }
  free(done);
}
static void run(struct operation *o) {
  if (o->kind != MULTIPLY && o->kind != MARK) memset(&again, 0, sizeof again);
  switch (o->kind) {
  case LAUNCH:
    *o->f->order = order > 2 ? 2 : order;
    for (int n = 0; n < o->grid * o->memories; n++) {
      const u64 *a = o->args;
      int all = o->grid * o->memories, i = order == 0 ? n : all - 1 - n;
      if (order > 1) i = i % o->memories * o->grid + i / o->memories; /* those of all memories by turns */
      o->f->run(i % o->grid, i / o->grid, EIGHT(a, 0), EIGHT(a, 8), EIGHT(a, 16), EIGHT(a, 24), EIGHT(a, 32), EIGHT(a, 40),
        EIGHT(a, 48), EIGHT(a, 56), EIGHT(a, 64), EIGHT(a, 72), EIGHT(a, 80), EIGHT(a, 88));
    }
    break;
  case COPY: memcpy(o->to, o->from, o->n); break;
  case MULTIPLY:
    for (int i = 0; i < o->product.count && !same(o->product); i++) {
      struct lt_product p = o->product;
      p.a += i * p.na; p.b += i * p.nb; p.c += i * p.nc; p.bias += i * p.nbias;
      multiply(&p);
    }
    again = o->product;
    clock_us += speeds[o->product.algo];
    break;
  case MARK: o->mark->when = clock_us; break;
  case GRAPH: run_graph(o->graph); break;
  }
}
static int give(const char *call, struct stream *s, struct operation o) {
  if (!is_stream(s)) return wrong(call, "%p is not a stream", (void *)s);
  if (!current) return wrong(call, "no context is current");
  if (s->capture) {
    struct graph *g = s->capture;
    if (o.kind == GRAPH) return wrong(call, "a graph in a graph");
    join(&o.after, &s->frontier);
    g->ops = realloc(g->ops, (g->n + 1) * sizeof o);
    g->ops[g->n] = o;
    free(s->frontier.of);
    s->frontier = (struct list){0};
    add(&s->frontier, g->n++);
    return 0;
  }
  s->queue = realloc(s->queue, (s->queued + 1) * sizeof o);
  s->queue[s->queued++] = o;
  return 0;
}
static void drain(struct stream *s) {
  memset(&again, 0, sizeof again);
  for (int i = 0; i < s->queued; i++) { run(&s->queue[i]); if (s->queue[i].kind == LAUNCH) free(s->queue[i].args); }
  s->queued = 0;
}
int cuStreamCreate(struct stream **s, unsigned flags) { ENTER APART; WANT(flags == 1, "flags %u", flags); *s = calloc(1, sizeof **s); (*s)->magic = 0x57; return 0; }
int cuStreamDestroy_v2(struct stream *s) { ENTER WANT(is_stream(s), "%p", (void *)s); drain(s); s->magic = 0; free(s->frontier.of); free(s->queue); free(s); return 0; }
int cuStreamSynchronize(struct stream *s) { ENTER if (!s) { APART; settle(); return 0; } WANT(is_stream(s) && !s->capture, "%p", (void *)s); drain(s); return 0; }
int cuEventCreate(struct event **e, unsigned flags) { ENTER WANT(flags == 2 || flags == 0, "flags %u", flags); *e = calloc(1, sizeof **e); (*e)->magic = 0xe7; (*e)->timed = flags == 0; return 0; }
int cuEventElapsedTime(float *ms, struct event *from, struct event *to) {
  ENTER WANT(is_event(from) && is_event(to) && from->timed && to->timed && from->on && !to->on->queued, "%p, %p", (void *)from, (void *)to);
  *ms = (to->when - from->when) / 1000;
  return 0;
}
int cuEventDestroy_v2(struct event *e) { ENTER WANT(is_event(e), "%p", (void *)e); e->magic = 0; free(e->frontier.of); free(e); return 0; }
int cuEventRecord(struct event *e, struct stream *s) {
  ENTER WANT(is_event(e) && is_stream(s), "%p on %p", (void *)e, (void *)s);
  if (e->timed && !s->capture) { int code = give(__func__, s, (struct operation){.kind = MARK, .mark = e}); if (code) return code; }
  e->on = s; e->asked = 0; e->capture = s->capture; e->frontier.n = 0; join(&e->frontier, &s->frontier);
  return 0;
}
int cuEventSynchronize(struct event *e) { ENTER WANT(is_event(e) && !e->capture, "%p", (void *)e); if (e->on) drain(e->on); return 0; }
/* Not there yet the first time it is asked: nothing moves on a stream before somebody waits, or asks again. */
int cuEventQuery(struct event *e) {
  ENTER WANT(is_event(e) && !e->capture, "%p", (void *)e);
  if (!e->on || !e->on->queued) return 0;
  if (!e->asked++) return 600;
  drain(e->on);
  return 0;
}
int cuStreamWaitEvent(struct stream *s, struct event *e, unsigned flags) {
  ENTER WANT(is_stream(s) && is_event(e) && flags == 0, "%p for %p", (void *)s, (void *)e);
  WANT(e->capture, "only in a recording");
  WANT(!s->capture || s->capture == e->capture, "two recordings");
  s->capture = e->capture;
  join(&s->frontier, &e->frontier);
  return 0;
}
int cuStreamBeginCapture_v2(struct stream *s, int mode) {
  ENTER WANT(is_stream(s) && !s->capture && mode == 1, "%p, mode %d", (void *)s, mode);
  WANT(!s->queued, "work that nobody waited for is left on the stream");
  s->capture = calloc(1, sizeof *s->capture); s->origin = 1; s->frontier.n = 0;
  capturing++;
  if (pause_ms) { pthread_mutex_unlock(&mutex); usleep(1000 * pause_ms); pthread_mutex_lock(&mutex); }
  return 0;
}
int cuStreamEndCapture(struct stream *s, struct graph **g) {
  *g = NULL;
  int all = 1, taken_ __attribute__((cleanup(leave), unused)) = take();
  WANT(is_stream(s) && s->capture && s->origin, "%p", (void *)s);
  capturing--;
  struct graph *made = s->capture;
  char *reached = calloc(made->n + 1, 1);
  for (int i = 0; i < s->frontier.n; i++) reached[s->frontier.of[i]] = 1;
  for (int i = made->n - 1; i >= 0; i--) {
    all &= reached[i];
    for (int k = 0; reached[i] && k < made->ops[i].after.n; k++) reached[made->ops[i].after.of[k]] = 1;
  }
  free(reached);
  s->capture = NULL; s->origin = 0; s->frontier.n = 0;
  { int code_ = failing(__func__); if (code_) return code_; }
  if (!all) return UNJOINED;
  *g = made;
  return 0;
}
int cuGraphInstantiateWithFlags(struct graph **e, struct graph *g, unsigned long long flags) { ENTER WANT(g && flags == 0, "flags %llu", flags); *e = malloc(sizeof *g); **e = *g; return 0; }
int cuGraphDestroy(struct graph *g) { ENTER free(g); return 0; }
int cuGraphExecDestroy(struct graph *g) {
  ENTER
  for (int i = 0; i < g->n; i++) { free(g->ops[i].after.of); if (g->ops[i].kind == LAUNCH) free(g->ops[i].args); }
  free(g->ops); free(g);
  return 0;
}
int cuGraphLaunch(struct graph *g, struct stream *s) { ENTER WANT(g, "no graph"); return give(__func__, s, (struct operation){.kind = GRAPH, .graph = g}); }
int fake_nodes(struct graph *g) { return g->n; }
static int copy(const char *call, void *to, const void *from, size_t n, struct stream *s) { return give(call, s, (struct operation){.kind = COPY, .to = to, .from = from, .n = n}); }
int cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t n, struct stream *s) { ENTER WANT(device(to, n) && pinned(from, n), "%zu bytes from %p to %p", n, from, to); return copy(__func__, to, from, n, s); }
int cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t n, struct stream *s) { ENTER WANT(pinned(to, n) && device(from, n), "%zu bytes from %p to %p", n, from, to); return copy(__func__, to, from, n, s); }

/* ---- modules and kernels: a "cubin" is the path of a shared object ---- */
struct module { void *object; };
int cuModuleLoadData(struct module **m, const char *image) {
  ENTER APART; WANT(!strncmp(image, "FAKE", 4), "not a compiled kernel");
  *m = malloc(sizeof **m);
  (*m)->object = dlopen(image + 4, RTLD_NOW | RTLD_LOCAL);
  WANT((*m)->object, "%s", dlerror());
  return 0;
}
int cuModuleUnload(struct module *m) { ENTER APART; dlclose(m->object); free(m); return 0; }
int cuModuleGetFunction(struct function **f, struct module *m, const char *name) {
  ENTER
  char parameters[128];
  snprintf(parameters, sizeof parameters, "%s_parameters", name);
  *f = calloc(1, sizeof **f);
  *(void **)&(*f)->run = dlsym(m->object, name);
  (*f)->order = dlsym(m->object, "k_order");
  const char *list = (*f)->parameters = dlsym(m->object, parameters);
  if (!(*f)->run || !list || !(*f)->order) return NOT_FOUND;
  for ((*f)->count = 1; *list; list++) (*f)->count += *list == ',';
  WANT((*f)->count <= MOST, "%d parameters", (*f)->count);
  return 0;
}
int cuFuncLoad(struct function *f) { ENTER APART; f->loaded = 1; return 0; }
/* What is written through a pointer marked RESTRICT is reached through no other. */
static int aliased(const struct function *f, void **args) {
  char text[2048], *rest = text, *name;
  struct { int pointer, written; } of[MOST] = {0};
  snprintf(text, sizeof text, "%s", f->parameters);
  for (int i = 0; i < f->count && (name = strsep(&rest, ",")); i++) {
    while (*name == ' ') name++;
    of[i].pointer = strchr(name, '*') != NULL;
    of[i].written = strcasestr(name, "restrict") && strncmp(name, "const", 5);
  }
  for (int i = 0; i < f->count; i++)
    for (int k = 0; k < f->count; k++)
      if (i != k && of[i].written && of[k].pointer && args[i] && args[i] == args[k]) return 1;
  return 0;
}
int cuLaunchKernel(struct function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, struct stream *s, void **params, void **extra) {
  ENTER WANT(f && gx > 0 && gy > 0 && gz == 1 && bx == 128 && by == 1 && bz == 1 && shared == 0 && !extra && params && params[0],
    "grid %u %u %u, block %u %u %u, %u bytes", gx, gy, gz, bx, by, bz, shared);
  WANT(f->loaded, "the function is not loaded yet");
  int given = 0;
  while (params[given]) given++;
  WANT(given == f->count, "%d arguments for %d parameters", given, f->count);
  void **args = calloc(MOST, sizeof *args);
  for (int i = 0; i < given; i++) memcpy(args + i, params[i], sizeof *args);
  WANT(!aliased(f, args), "two of the pointers are one: %s", f->parameters);
  WANT(device(args[0], 4), "the first argument, %p, is not device memory", args[0]);
  return give(__func__, s, (struct operation){.kind = LAUNCH, .f = f, .grid = gx, .memories = gy, .args = args});
}

/* ---- NVRTC ---- */
struct program { char *source, *name, path[256], log[4096]; };
static int programs;
int nvrtcVersion(int *major, int *minor) { ENTER *major = nvrtc_major; *minor = 0; return 0; }
int nvrtcCreateProgram(struct program **p, const char *source, const char *name, int headers, void *h, void *names) {
  ENTER WANT(source && name && headers == 0 && !h && !names, "headers %d", headers);
  *p = calloc(1, sizeof **p);
  (*p)->source = strdup(source);
  (*p)->name = strdup(name);
  return 0;
}
int nvrtcCompileProgram(struct program *p, int n, const char **options) {
  ENTER
  int arch = 0;
  for (int i = 0; i < n; i++) arch |= !strcmp(options[i], "--gpu-architecture=sm_90");
  WANT(arch, "no architecture among %d options", n);
  for (int i = 0; i < n; i++)
    if (!strcmp(options[i], "--generate-line-info")) { /* lines of a file that has this text */
      FILE *f = fopen(p->name, "r");
      size_t n = strlen(p->source);
      char *text = calloc(n + 2, 1);
      size_t got = f ? fread(text, 1, n + 1, f) : 0;
      if (f) fclose(f);
      int is = got == n && !strcmp(text, p->source);
      free(text);
      WANT(is, "%s is not what is compiled", p->name);
      lined++;
    }
  char source[256], command[2048];
  snprintf(p->path, sizeof p->path, "%s/kernels%d-%d.so", folder, (int)getpid(), ++programs);
  snprintf(source, sizeof source, "%s/kernels%d-%d.c", folder, (int)getpid(), programs);
  FILE *f = fopen(source, "w");
  WANT(f, "cannot write %s", source);
  fputs(p->source, f);
  fclose(f);
  const char *level = getenv("FAKE_OPTIMISE"); /* slower to compile, faster to run */
  snprintf(command, sizeof command, "cc -std=gnu11 %s -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -shared -fPIC -Wall -Wno-unused -Wno-misleading-indentation -Werror -o %s %s -lm 2>&1", level ? level : "-O0", p->path, source);
  FILE *out = popen(command, "r");
  size_t got = fread(p->log, 1, sizeof p->log - 1, out);
  p->log[got] = 0;
  return pclose(out) == 0 ? 0 : 6;
}
int nvrtcGetProgramLogSize(struct program *p, size_t *n) { ENTER *n = strlen(p->log) + 1; return 0; }
int nvrtcGetProgramLog(struct program *p, char *to) { ENTER strcpy(to, p->log); return 0; }
int nvrtcGetCUBINSize(struct program *p, size_t *n) { ENTER *n = strlen(p->path) + 5; return 0; }
int nvrtcGetCUBIN(struct program *p, char *to) { ENTER sprintf(to, "FAKE%s", p->path); return 0; }
int nvrtcDestroyProgram(struct program **p) { ENTER free((*p)->source); free((*p)->name); free(*p); *p = NULL; return 0; }

/* ---- cuBLASLt: column-major ---- */
struct lt_desc { int magic, compute, ta, tb, epilogue; float *bias; int64_t nbias; };
struct lt_layout { int magic; uint64_t rows, cols; int64_t ld; int count; int64_t next; };
struct lt_pref { int magic; uint64_t workspace; };
size_t cublasLtGetVersion(void) { return lt_version; }
int cublasLtCreate(int **h) { ENTER APART; WANT(current, "no context is current"); *h = calloc(1, 4); **h = 0x17; return 0; }
int cublasLtMatmulDescCreate(struct lt_desc **d, int compute, int scale) {
  ENTER WANT((compute == 68 || compute == 75 || compute == 77) && scale == 0, "compute type %d, scale type %d", compute, scale);
  *d = calloc(1, sizeof **d);
  **d = (struct lt_desc){.magic = 0xd5, .compute = compute, .epilogue = 1};
  return 0;
}
int cublasLtMatmulDescDestroy(struct lt_desc *d) { ENTER WANT(d->magic == 0xd5, "%p", (void *)d); d->magic = 0; free(d); return 0; }
int cublasLtMatmulDescSetAttribute(struct lt_desc *d, int attr, const void *v, size_t n) {
  ENTER WANT(d && d->magic == 0xd5, "%p", (void *)d);
  WANT(n == (attr >= 8 ? 8 : 4), "attribute %d of %zu bytes", attr, n);
  switch (attr) {
  case 3: d->ta = *(const int *)v; break;
  case 4: d->tb = *(const int *)v; break;
  case 7: d->epilogue = *(const int *)v; break;
  case 8: d->bias = *(float *const *)v; break;
  case 10: d->nbias = *(const int64_t *)v; break;
  default: return wrong(__func__, "attribute %d", attr);
  }
  int e = d->epilogue;
  WANT(e == 1 || e == 4 || e == 6, "epilogue %d", e);
  return 0;
}
int cublasLtMatrixLayoutCreate(struct lt_layout **l, int type, uint64_t rows, uint64_t cols, int64_t ld) {
  ENTER WANT(type == 0 && rows > 0 && cols > 0 && ld >= (int64_t)rows, "type %d, %lu x %lu, ld %ld", type, rows, cols, ld);
  *l = malloc(sizeof **l);
  **l = (struct lt_layout){0x1a, rows, cols, ld, 1, 0};
  return 0;
}
int cublasLtMatrixLayoutSetAttribute(struct lt_layout *l, int attr, const void *v, size_t n) {
  ENTER WANT(l->magic == 0x1a && (attr == 5 && n == 4 || attr == 6 && n == 8), "attribute %d of %zu bytes", attr, n);
  if (attr == 5) l->count = *(const int *)v;
  else l->next = *(const int64_t *)v;
  return 0;
}
int cublasLtMatrixLayoutDestroy(struct lt_layout *l) { ENTER WANT(l->magic == 0x1a, "%p", (void *)l); l->magic = 0; free(l); return 0; }
int cublasLtMatmulPreferenceCreate(struct lt_pref **p) { ENTER *p = calloc(1, sizeof **p); (*p)->magic = 0x9f; return 0; }
int cublasLtMatmulPreferenceDestroy(struct lt_pref *p) { ENTER free(p); return 0; }
int cublasLtMatmulPreferenceSetAttribute(struct lt_pref *p, int attr, const void *v, size_t n) { ENTER WANT(p->magic == 0x9f && attr == 1 && n == 8, "attribute %d of %zu bytes", attr, n); p->workspace = *(const uint64_t *)v; return 0; }
static int fits(const char *call, struct lt_desc *d, struct lt_layout *a, struct lt_layout *b, struct lt_layout *c, struct lt_product *p) {
  if (!d || d->magic != 0xd5 || a->magic != 0x1a || b->magic != 0x1a || c->magic != 0x1a) return wrong(call, "not descriptors");
  *p = (struct lt_product){.m = c->rows, .n = c->cols, .k = d->ta ? a->rows : a->cols, .ta = d->ta, .tb = d->tb, .lda = a->ld, .ldb = b->ld, .ldc = c->ld, .epilogue = d->epilogue, .compute = d->compute, .bias = d->bias,
    .count = c->count, .na = a->next, .nb = b->next, .nc = c->next, .nbias = d->nbias};
  if (a->count != c->count || b->count != c->count || c->count > 1 && c->next < c->ld * (int64_t)c->cols) return wrong(call, "%d, %d and %d products", a->count, b->count, c->count);
  if ((int)(d->ta ? a->cols : a->rows) != p->m || (int)(d->tb ? b->rows : b->cols) != p->n || (int)(d->tb ? b->cols : b->rows) != p->k) return wrong(call, "the shapes do not fit");
  return 0;
}
struct result { uint64_t algo[8]; size_t workspace; int state; float waves; int reserved[4]; };
int cublasLtMatmulAlgoGetHeuristic(int *h, struct lt_desc *d, struct lt_layout *a, struct lt_layout *b, struct lt_layout *c, struct lt_layout *c2, struct lt_pref *pref, int wanted, struct result *r, int *found) {
  ENTER WANT(h && *h == 0x17 && pref->magic == 0x9f && wanted > 0 && c2 == c, "%d wanted", wanted);
  struct lt_product p;
  int code = fits(__func__, d, a, b, c, &p);
  if (code) return code;
  *found = !supports ? 0 : wanted < 3 ? wanted : 3;
  memset(r, 0, wanted * sizeof *r);
  for (int i = 0; i < *found; i++) { r[i].algo[0] = 0xa190 + p.m; r[i].algo[1] = i; r[i].algo[7] = p.n; r[i].workspace = pref->workspace / (i + 2); }
  return supports ? 0 : 15;
}
/* Products that were made outside a recording: the library has loaded what they need. */
static struct lt_product *loaded;
static int is_loaded(struct lt_product p, int algo) {
  p = (struct lt_product){.m = p.m, .n = p.n, .k = p.k, .ta = p.ta, .tb = p.tb, .epilogue = p.epilogue, .compute = p.compute, .count = p.count, .algo = algo};
  for (int i = 0; i < loads; i++) if (!memcmp(&loaded[i], &p, sizeof p)) return 1;
  loaded = realloc(loaded, (loads + 1) * sizeof p);
  loaded[loads++] = p;
  return 0;
}
int cublasLtMatmul(int *h, struct lt_desc *d, const float *alpha, const float *A, struct lt_layout *a, const float *B, struct lt_layout *b, const float *beta, const float *C, struct lt_layout *c, float *D, struct lt_layout *c2, const uint64_t *algo, void *workspace, size_t size, struct stream *s) {
  ENTER WANT(h && *h == 0x17 && *alpha == 1 && *beta == 0 && C == D && c == c2, "alpha %g, beta %g", *alpha, *beta);
  struct lt_product p;
  int code = fits(__func__, d, a, b, c, &p);
  if (code) return code;
  WANT(algo[0] == (uint64_t)0xa190 + p.m && algo[7] == (uint64_t)p.n, "the algorithm is another product's");
  if (p.count > 1 && !batches) return 15;
  if ((int)algo[1] < refuses) return 13; /* CUBLAS_STATUS_EXECUTION_FAILED */
  WANT(device(workspace, size), "%zu bytes of workspace at %p", size, workspace);
  WANT(device(A, 4 * ((a->cols - 1) * a->ld + a->rows)) && device(B, 4 * ((b->cols - 1) * b->ld + b->rows)) && device(D, 4 * ((c->cols - 1) * c->ld + c->rows)), "operands are not device memory");
  WANT(p.epilogue == 1 || device(p.bias, 4 * p.m), "the bias is not device memory");
  WANT(is_stream(s), "%p is not a stream", (void *)s);
  int known = is_loaded(p, algo[1]);
  WANT(known || !s->capture, "a product is recorded that was never made before");
  WANT(s->capture || !capturing, "while a recording is made");
  p.a = A; p.b = B; p.c = D; p.algo = algo[1];
  return give(__func__, s, (struct operation){.kind = MULTIPLY, .product = p});
}
/* To TF32's 10 bits or bfloat16's 7, or as it is. */
static inline float rounded(float x, int compute) {
  uint32_t b;
  memcpy(&b, &x, 4);
  if (compute == 77) b = (b + 0x1000) & ~0x1fffu;
  if (compute == 75) b = (b + 0x7fff + (b >> 16 & 1)) & ~0xffffu;
  memcpy(&x, &b, 4);
  return x;
}
static void multiply(const struct lt_product *p) {
  float *at = malloc(4 * (size_t)p->m * p->k), *acc = malloc(4 * (size_t)p->m); /* a as k columns of m */
  for (int k = 0; k < p->k; k++)
    for (int i = 0; i < p->m; i++) {
      float x = p->ta ? p->a[(size_t)i * p->lda + k] : p->a[(size_t)k * p->lda + i];
      at[(size_t)k * p->m + i] = rounded(x, p->compute);
    }
  for (int j = 0; j < p->n; j++) {
    memset(acc, 0, 4 * (size_t)p->m);
    for (int k = 0; k < p->k; k++) {
      float y = p->tb ? p->b[(size_t)k * p->ldb + j] : p->b[(size_t)j * p->ldb + k];
      y = rounded(y, p->compute);
      const float *col = at + (size_t)k * p->m;
      for (int i = 0; i < p->m; i++) acc[i] += col[i] * y;
    }
    for (int i = 0; i < p->m; i++) {
      float x = acc[i];
      if (p->epilogue & 4) x += p->bias[i];
      if (p->epilogue & 2) x = x > 0 ? x : 0;
      p->c[(size_t)j * p->ldc + i] = x;
    }
  }
  free(at); free(acc);
}
