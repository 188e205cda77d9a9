/* The language kernels are written in: one text for CUDA (NVRTC, clang) and for plain C.

   A kernel's body is a list of phases; lanes of a block meet at the end of every phase and nowhere else. On a GPU a
   phase is a scope and its end a barrier; in C it is a loop over the lanes, in an order that k_order chooses, so that
   a result that depends on the order gives a missing barrier away. What lives in a lane from phase to phase is
   declared with PRIVATE and used through OWN; what a block shares is declared with SHARED.

   A kernel is KERNEL(name, parameters), or WIDE_KERNEL: one that keeps much in registers, 128 a lane, so that a compiler does
   not spill them to make room for more blocks. What it writes through one pointer marked RESTRICT it reads through no other, so
   that loads need not wait for stores. Nothing here depends on how a compiler contracts a*b+c: FMA is
   written where it is meant, and contraction is off. */
#define BLOCK 128

#if defined(__CUDACC_RTC__) || defined(__CUDACC__) || defined(__CUDA__)
  #if defined(__CUDACC_RTC__) || defined(__NVCC__)
    #define DEV static __device__ __forceinline__
    #define GLOBAL_KERNEL(...) extern "C" __global__ __launch_bounds__(__VA_ARGS__)
    #define SHARED_MEMORY __shared__
    #define LANE ((int)threadIdx.x)
    #define BLOCK_ID ((int)blockIdx.x)
    #define MEMORY blockIdx.y
    #define SQRT(x) sqrtf(x)
    #define FMA(a,b,c) fmaf(a,b,c)
    #define FENCE __threadfence()
    #define NEXT(counter) atomicAdd(counter, 1)
    DEV float k_float(int i) { return __int_as_float(i); }
    DEV int k_bits(float f) { return __float_as_int(f); }
  #else /* clang without NVIDIA's headers */
    #define __global__ __attribute__((global))
    #define __device__ __attribute__((device))
    #define __shared__ __attribute__((shared))
    #define DEV static inline __device__
    #define GLOBAL_KERNEL(...) extern "C" __global__ __attribute__((launch_bounds(__VA_ARGS__)))
    #define SHARED_MEMORY __shared__
    struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
    #define LANE ((int)__nvvm_read_ptx_sreg_tid_x())
    #define BLOCK_ID ((int)__nvvm_read_ptx_sreg_ctaid_x())
    #define MEMORY ((unsigned)__nvvm_read_ptx_sreg_ctaid_y())
    #define SQRT(x) __nvvm_sqrt_rn_f(x)
    #define FMA(a,b,c) __builtin_fmaf(a,b,c)
    #define FENCE __nvvm_membar_gl()
    #define NEXT(counter) __nvvm_atom_add_gen_i(counter, 1)
    DEV float k_float(int i) { union { int i; float f; } u; u.i = i; return u.f; }
    DEV int k_bits(float f) { union { int i; float f; } u; u.f = f; return u.i; }
  #endif
  DEV float4 k_load(const float *p) { return *(const float4 *)p; }
  DEV void k_store(float *p, float4 v) { *(float4 *)p = v; }
  /* What a block leaves for another of this launch is read past the first-level cache. */
  DEV void k_leave(float *p, float x) { *p = x; }
  DEV float k_fresh(const float *p) { return *(const volatile float *)p; }
  #define KERNEL(name, ...) GLOBAL_KERNEL(BLOCK) void name(__VA_ARGS__)
  #define WIDE_KERNEL(name, ...) GLOBAL_KERNEL(BLOCK, 4) void name(__VA_ARGS__)
  #define RESTRICT __restrict__
  #define TYPE_OF(p) decltype(p)
  #define SHARED(type, name, n) SHARED_MEMORY type name[n]
  #define PRIVATE(type, name, n) type name[n]
  #define OWN(name) name
  #define PHASE { const int lane = LANE;
  #define END_PHASE } __syncthreads();
  #define UNROLL _Pragma("unroll")
  #define AT_ONCE _Pragma("unroll 4") /* loads of four turns before the first is used */
  #define ONE_BY_ONE _Pragma("unroll 1")
#else /* plain C: lanes run one after the other, phase by phase */
  #include <math.h>
  #include <string.h>
  #define DEV static inline
  #define SQRT(x) sqrtf(x)
  #define FMA(a,b,c) fmaf(a,b,c)
  #define FENCE (k_fenced = k_block + 1)
  #define NEXT(counter) k_count(k_block, counter)
  #define BLOCK_ID k_block
  #define MEMORY ((unsigned)k_memory)
  #define KERNEL(name, ...) const char name##_parameters[] = #__VA_ARGS__; void name(int k_block, int k_memory, __VA_ARGS__)
  #define WIDE_KERNEL(name, ...) KERNEL(name, __VA_ARGS__)
  #define RESTRICT restrict
  #define TYPE_OF(p) __typeof__(p)
  #define SHARED(type, name, n) type name[n]; memset(name, 0xff, sizeof name) /* not a number, until written */
  #define PRIVATE(type, name, n) type name[BLOCK][n]; memset(name, 0xff, sizeof name)
  #define OWN(name) name[lane]
  #define PHASE for (int k_lane = 0; k_lane < BLOCK; k_lane++) { const int lane = k_ordered(k_lane);
  #define END_PHASE }
  #define UNROLL
  #define AT_ONCE
  #define ONE_BY_ONE
  int k_order = 0; /* of lanes: 0 as numbered, 1 backwards, 2 shuffled */
  DEV int k_ordered(int i) { return k_order == 0 ? i : k_order == 1 ? BLOCK - 1 - i : (i * 37 + 11) % BLOCK; }
  DEV float k_float(int i) { float f; memcpy(&f, &i, 4); return f; }
  DEV int k_bits(float f) { int i; memcpy(&i, &f, 4); return i; }
  typedef struct { _Alignas(16) float x; float y, z, w; } float4;
  /* What a GPU only shows now and then is always wrong here: four numbers from elsewhere than a multiple of four on are not
     numbers, a block that has not fenced is not counted, and what one block leaves for another lies inverted. */
  DEV float4 k_at(const float *p, float4 v) { return (unsigned long long)p % 16 ? (float4){k_float(-1), k_float(-1), k_float(-1), k_float(-1)} : v; }
  DEV float4 k_load(const float *p) { float4 v; memcpy(&v, p, sizeof v); return k_at(p, v); }
  DEV void k_store(float *p, float4 v) { v = k_at(p, v); memcpy(p, &v, sizeof v); }
  DEV void k_leave(float *p, float x) { *p = k_float(~k_bits(x)); }
  DEV float k_fresh(const float *p) { return k_float(~k_bits(*p)); }
  int k_fenced = 0;
  DEV int k_count(int block, int *counter) { return k_fenced == block + 1 ? (*counter)++ : -1; }
#endif

/* One launch may do the same in several memories: a pointer into the first becomes one into this block's, n words of 4 bytes
   each further on. */
#define OF_MEMORY(p, n) p = (TYPE_OF(p))((const char *)(p) + (unsigned long long)MEMORY * 4 * (n))

/* Four numbers at once, from a multiple of four on. */
DEV float4 k_four(float x, float y, float z, float w) { float4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
#define LOAD4(p, i) k_load((p) + (i))
#define PUT4(p, i, v) k_store((p) + (i), v)
#define STORE4(p, i, x, y, z, w) PUT4(p, i, k_four(x, y, z, w))

#define INFINITY_ k_float(0x7f800000)
#define NAN_ k_float(0x7fc00000)

DEV float k_min(float a, float b) { return a < b || a != a ? a : b; }
DEV float k_max(float a, float b) { return a > b || a != a ? a : b; }
DEV float k_abs(float x) { return k_float(k_bits(x) & 0x7fffffff); }
DEV float k_sign(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x; }
DEV float k_less(float a, float b) { return a < b ? 1.0f : a == b ? 0.5f : 0.0f; }
DEV float k_sqrt(float x) { return SQRT(x); }
DEV float k_square(float x) { return x * x; }
DEV float k_recip(float x) { return 1.0f / x; }
DEV float k_neg(float x) { return -x; }

/* e^x = 2^n e^r, |r| <= ln 2 / 2; the polynomial is the Taylor series to degree 7. Errors are a few units in the last
   place, here and below. */
DEV float k_exp(float x) {
  if (x > 88.8f) return INFINITY_;
  if (x < -104.0f) return 0.0f;
  if (x != x) return x;
  float n = FMA(x, 1.44269504f, 12582912.0f) - 12582912.0f;
  float r = FMA(n, -1.42860677e-6f, FMA(n, -0.693145752f, x));
  float p = 1.98412698e-4f;
  p = FMA(p, r, 1.38888889e-3f);
  p = FMA(p, r, 8.33333333e-3f);
  p = FMA(p, r, 4.16666667e-2f);
  p = FMA(p, r, 1.66666667e-1f);
  p = FMA(p, r, 0.5f);
  p = FMA(p, r * r, r) + 1.0f;
  int whole = (int)n, half = whole / 2;
  return p * k_float((half + 127) << 23) * k_float((whole - half + 127) << 23);
}

/* log x = n ln 2 + 2 artanh(f / (2 + f)), 1 + f = x / 2^n in [1/sqrt 2, sqrt 2). */
DEV float k_log(float x) {
  if (!(x > 0.0f)) return x == 0.0f ? -INFINITY_ : NAN_;
  if (x == INFINITY_) return x;
  float n = 0.0f;
  if (x < 1.17549435e-38f) { x *= 8388608.0f; n = -23.0f; }
  int bits = k_bits(x), e = (bits - 0x3f3504f3) >> 23;
  float f = k_float(bits - (e << 23)) - 1.0f;
  n += (float)e;
  float s = f / (2.0f + f), z = s * s;
  float p = 2.22222222e-1f;
  p = FMA(p, z, 2.85714286e-1f);
  p = FMA(p, z, 4.0e-1f);
  p = FMA(p, z, 6.66666667e-1f);
  float h = 0.5f * f * f; /* 2 artanh s = f - (h - s (h + z p)) */
  return FMA(n, 0.693145752f, f - (h - FMA(s, FMA(z, p, h), n * 1.42860677e-6f)));
}

/* e^(a-b), also where both are the same infinity. */
DEV float k_scale(float a, float b) { return a == b ? 1.0f : k_exp(a - b); }

DEV float k_log1p(float x) {
  float u = 1.0f + x;
  if (u == 1.0f) return x;
  if (u == INFINITY_ || !(u > 0.0f)) return k_log(u);
  return k_log(u) * (x / (u - 1.0f)); /* the quotient undoes the rounding of u */
}

DEV float k_tanh(float x) {
  float a = k_abs(x);
  if (a < 0.625f) {
    float z = x * x, p = -5.70498872e-3f; /* the Cephes library's coefficients */
    p = FMA(p, z, 2.06390887e-2f);
    p = FMA(p, z, -5.37397155e-2f);
    p = FMA(p, z, 1.33314422e-1f);
    p = FMA(p, z, -3.33332819e-1f);
    return FMA(p * z, x, x);
  }
  float t = 1.0f - 2.0f / (k_exp(2.0f * a) + 1.0f);
  return x < 0.0f ? -t : t;
}

DEV float k_sigmoid(float x) {
  float e = k_exp(-k_abs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

DEV float k_softplus(float x) { return k_max(x, 0.0f) + k_log1p(k_exp(-k_abs(x))); }

/* Activations by number, as op.Act. */
DEV float k_act(int act, float x) { return act == 1 ? k_max(x, 0.0f) : act == 2 ? k_tanh(x) : x; }
DEV float k_slope(int act, float y) { return act == 1 ? (y > 0.0f ? 1.0f : 0.0f) : act == 2 ? 1.0f - y * y : 1.0f; }
