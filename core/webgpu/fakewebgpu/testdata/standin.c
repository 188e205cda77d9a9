/* A library that speaks webgpu.h and computes nothing: it keeps buffers, checks little, and fails as it is told. Structs
   are declared here as far as they are read; the package's test of structs compares sizes with the real header. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { const char *data; size_t length; } view;
typedef struct { void *next; uint32_t mode; void *callback; void *user1, *user2; } callback_info;
typedef struct { void *next; void *callback; void *user1, *user2; } error_info;
typedef struct {
  void *next; view label; size_t features; void *list; void *limits; void *queue_next; view queue_label;
  callback_info lost; error_info failed;
} device_descriptor;
typedef struct { void *next; view vendor, architecture, device, description; uint32_t backend, kind, rest[4]; } adapter_info;
typedef struct { void *next; uint32_t a[11]; uint32_t storage_buffers; uint32_t b[2]; uint64_t uniform, storage; uint32_t c[4];
  uint64_t buffer; uint32_t d[5]; uint32_t shared, lanes; uint32_t e[5]; } limits;
typedef struct { void *next; view label; uint64_t usage, size; uint32_t mapped; } buffer_descriptor;
typedef struct { size_t size; char *data; } buffer;

/* What is set by a test: how many adapters and of which kind, limits, the calls that fail. Submissions count down to the
   loss of the device, and to the end of its memory. */
static int adapters, kind, storage_buffers, refuse, shader, map, submits, full;
static long memory;
static device_descriptor device;

void standin_reset(void) {
  adapters = 1; kind = 1; storage_buffers = 10; refuse = shader = map = 0; submits = full = -1; memory = 1L << 40;
}
void standin_set(const char *what, long n) {
  if (!strcmp(what, "adapters")) adapters = n;
  if (!strcmp(what, "kind")) kind = n;
  if (!strcmp(what, "storage buffers")) storage_buffers = n;
  if (!strcmp(what, "refuse")) refuse = n;
  if (!strcmp(what, "shader")) shader = n;
  if (!strcmp(what, "map")) map = n;
  if (!strcmp(what, "submits")) submits = n;
  if (!strcmp(what, "full")) full = n;
  if (!strcmp(what, "memory")) memory = n;
}

static view text(const char *s) { view v = {s, strlen(s)}; return v; }
static void fail(uint32_t type, const char *message) {
  void *self = &device;
  ((void (*)(void *, uint32_t, view, void *, void *))device.failed.callback)(&self, type, text(message), device.failed.user1, device.failed.user2);
}
static void lose(void) {
  void *self = &device;
  ((void (*)(void *, uint32_t, view, void *, void *))device.lost.callback)(&self, 1, text("the driver was restarted"), device.lost.user1, device.lost.user2);
}
static void *some(void) { static int one; return &one; }

void *wgpuCreateInstance(void *d) { return some(); }
size_t wgpuInstanceEnumerateAdapters(void *i, void *o, void **to) {
  for (int k = 0; to && k < adapters; k++) to[k] = some();
  return adapters;
}
int wgpuAdapterGetInfo(void *a, adapter_info *i) {
  i->device = text("Stand-in"); i->description = text("driver 1.0"); i->backend = 6; i->kind = kind;
  return 1;
}
void wgpuAdapterInfoFreeMembers(adapter_info i) {}
int wgpuAdapterGetLimits(void *a, limits *l) {
  l->storage_buffers = storage_buffers; l->storage = 1 << 28; l->buffer = 1 << 28; l->shared = 32768; l->lanes = 256;
  return 1;
}
void wgpuAdapterRequestDevice(void *a, device_descriptor *d, callback_info c) {
  device = *d;
  ((void (*)(uint32_t, void *, view, void *, void *))c.callback)(refuse ? 3 : 1, refuse ? 0 : some(), text(refuse ? "in use by another" : ""), c.user1, c.user2);
}
void wgpuAdapterRelease(void *a) {}
void *wgpuDeviceGetQueue(void *d) { return some(); }
buffer *wgpuDeviceCreateBuffer(void *d, buffer_descriptor *b) {
  if ((memory -= b->size) < 0) { fail(3, "not enough memory left"); return some(); }
  buffer *x = malloc(sizeof *x);
  x->size = b->size;
  x->data = calloc(1, b->size);
  return x;
}
void *wgpuDeviceCreateShaderModule(void *d, void *s) {
  if (shader && --shader == 0) fail(2, "expected ';', found 'end'");
  return some();
}
void *wgpuDeviceCreateComputePipeline(void *d, void *p) { return some(); }
void *wgpuDeviceCreateBindGroupLayout(void *d, void *p) { return some(); }
void *wgpuDeviceCreatePipelineLayout(void *d, void *p) { return some(); }
void *wgpuDeviceCreateBindGroup(void *d, void *p) { return some(); }
void *wgpuDeviceCreateCommandEncoder(void *d, void *p) { return some(); }
uint32_t wgpuDevicePoll(void *d, uint32_t wait, void *i) { return 1; }
void wgpuQueueSubmit(void *q, size_t n, void **list) {
  if (submits > 0 && --submits == 0) lose();
  if (full > 0 && --full == 0) fail(3, "not enough memory left");
}
void wgpuQueueWriteBuffer(void *q, buffer *b, uint64_t at, const void *from, size_t n) {
  if (at + n > b->size) { fail(2, "a write beyond the buffer"); return; }
  memcpy(b->data + at, from, n);
}
void wgpuBufferMapAsync(buffer *b, uint64_t mode, size_t at, size_t n, callback_info c) {
  ((void (*)(uint32_t, view, void *, void *))c.callback)(map ? 3 : 1, text(map ? "cannot be mapped" : ""), c.user1, c.user2);
}
const void *wgpuBufferGetConstMappedRange(buffer *b, size_t at, size_t n) { return b->data + at; }
void wgpuBufferUnmap(buffer *b) {}
void wgpuBufferDestroy(buffer *b) { free(b->data); b->data = 0; }
void wgpuBufferRelease(buffer *b) { free(b); }
void *wgpuCommandEncoderBeginComputePass(void *e, void *d) { return some(); }
void wgpuCommandEncoderCopyBufferToBuffer(void *e, buffer *from, uint64_t at, buffer *to, uint64_t where, uint64_t n) {
  memcpy(to->data + where, from->data + at, n);
}
void *wgpuCommandEncoderFinish(void *e, void *d) { return some(); }
void wgpuCommandEncoderRelease(void *e) {}
void wgpuCommandBufferRelease(void *b) {}
void wgpuComputePassEncoderSetPipeline(void *p, void *k) {}
void wgpuComputePassEncoderSetBindGroup(void *p, uint32_t i, void *g, size_t n, const uint32_t *o) {}
void wgpuComputePassEncoderDispatchWorkgroups(void *p, uint32_t x, uint32_t y, uint32_t z) {}
void wgpuComputePassEncoderEnd(void *p) {}
void wgpuComputePassEncoderRelease(void *p) {}
void wgpuShaderModuleRelease(void *m) {}
void wgpuComputePipelineRelease(void *p) {}
void wgpuBindGroupRelease(void *g) {}
void wgpuDeviceDestroy(void *d) { lose(); }
