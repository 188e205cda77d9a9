// What every kernel knows: the buffers, its arguments, and elementary functions.
//
// Implementations of WGSL may take numbers that are none, and infinity, for impossible, may fuse products and sums, and may
// move terms about. What must not be touched goes through keep, and the bits of what is no number are made of a zero that
// no compiler knows. Functions choose without branches: compilers of shaders take minutes where thousands of them meet.
const BLOCK = 128;

struct Arguments { v: array<vec4<i32>, 64> }
@group(0) @binding(2) var<uniform> arguments: Arguments;

fn arg(i: i32) -> i32 { return arguments.v[i / 4][i % 4]; }
fn zero() -> u32 { return bitcast<u32>(arguments.v[63].w); }
fn keep(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ zero()); }
fn infinity() -> f32 { return bitcast<f32>(zero() ^ 0x7f800000u); }
fn nan() -> f32 { return bitcast<f32>(zero() ^ 0x7fc00000u); }
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn k_min(a: f32, b: f32) -> f32 { return select(b, a, (a < b) | is_nan(a)); }
fn k_max(a: f32, b: f32) -> f32 { return select(b, a, (a > b) | is_nan(a)); }
fn k_abs(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu); }
fn k_sign(x: f32) -> f32 { return select(select(x, -1.0, x < 0.0), 1.0, x > 0.0); }
fn k_less(a: f32, b: f32) -> f32 { return select(select(0.0, 0.5, a == b), 1.0, a < b); }
fn k_sqrt(x: f32) -> f32 { return sqrt(x); }
fn k_square(x: f32) -> f32 { return x * x; }
fn k_recip(x: f32) -> f32 { return 1.0 / x; }
fn k_neg(x: f32) -> f32 { return -x; }
fn k_div(a: f32, b: f32) -> f32 { return a / b; }
fn k_mul(a: f32, b: f32) -> f32 { return a * b; }
fn k_add(a: f32, b: f32) -> f32 { return a + b; }
fn k_sub(a: f32, b: f32) -> f32 { return a - b; }

// e^x = 2^n e^r, |r| <= ln 2 / 2; the polynomial is the Taylor series to degree 7. Errors are a few units in the last
// place, here and below.
fn k_exp(x: f32) -> f32 {
  let y = clamp(x, -104.0, 88.8);
  let n = round(y * 1.44269504);
  let r = fma(n, -1.42860677e-6, fma(n, -0.693145752, y));
  var p = 1.98412698e-4;
  p = fma(p, r, 1.38888889e-3);
  p = fma(p, r, 8.33333333e-3);
  p = fma(p, r, 4.16666667e-2);
  p = fma(p, r, 1.66666667e-1);
  p = fma(p, r, 0.5);
  p = fma(p, r * r, r) + 1.0;
  let whole = i32(n);
  let half = whole / 2;
  let e = p * bitcast<f32>((half + 127) << 23u) * bitcast<f32>((whole - half + 127) << 23u);
  return select(select(select(e, 0.0, x < -104.0), infinity(), x > 88.8), x, is_nan(x));
}

// e^x - 1, x <= 0.
fn k_expm1(x: f32) -> f32 {
  var p = 1.98412698e-4;
  p = fma(p, x, 1.38888889e-3);
  p = fma(p, x, 8.33333333e-3);
  p = fma(p, x, 4.16666667e-2);
  p = fma(p, x, 1.66666667e-1);
  p = fma(p, x, 0.5);
  return select(fma(p, x * x, x), k_exp(x) - 1.0, x < -0.35);
}

// log x = n ln 2 + 2 artanh(f / (2 + f)), 1 + f = x / 2^n in [1/sqrt 2, sqrt 2).
fn k_log(a: f32) -> f32 {
  let small = a < 1.17549435e-38;
  let bits = bitcast<i32>(select(a, a * 8388608.0, small));
  let e = (bits - 0x3f3504f3) >> 23u;
  let f = bitcast<f32>(bits - (e << 23u)) - 1.0;
  let n = f32(e) - select(0.0, 23.0, small);
  let s = f / (2.0 + f);
  let z = s * s;
  var p = 2.22222222e-1;
  p = fma(p, z, 2.85714286e-1);
  p = fma(p, z, 4.0e-1);
  p = fma(p, z, 6.66666667e-1);
  let h = 0.5 * f * f; // 2 artanh s = f - (h - s (h + z p))
  let l = fma(n, 0.693145752, f - (h - fma(s, fma(z, p, h), n * 1.42860677e-6)));
  let known = select(select(l, -infinity(), a == 0.0), a, bitcast<u32>(a) == 0x7f800000u);
  return select(known, nan(), is_nan(a) | (a < 0.0));
}

// e^(a-b), also where both are the same infinity.
fn k_scale(a: f32, b: f32) -> f32 {
  return select(k_exp(a - b), 1.0, bitcast<u32>(a) == bitcast<u32>(b));
}

fn k_log1p(x: f32) -> f32 {
  let u = keep(1.0 + x);
  let l = k_log(u);
  let known = select(l * (x / (u - 1.0)), l, (bitcast<u32>(u) == 0x7f800000u) | !(u > 0.0)); // the quotient undoes the rounding of u
  return select(known, x, u == 1.0);
}

fn k_tanh(x: f32) -> f32 {
  let a = k_abs(x);
  let z = x * x;
  var p = -5.70498872e-3; // the Cephes library's coefficients
  p = fma(p, z, 2.06390887e-2);
  p = fma(p, z, -5.37397155e-2);
  p = fma(p, z, 1.33314422e-1);
  p = fma(p, z, -3.33332819e-1);
  let t = select(1.0 - 2.0 / (k_exp(2.0 * a) + 1.0), 1.0, a > 44.0);
  return select(select(t, -t, x < 0.0), fma(p * z, x, x), a < 0.625);
}

fn k_sigmoid(x: f32) -> f32 {
  let e = k_exp(-k_abs(x));
  return select(1.0, e, x < 0.0) / (1.0 + e);
}

fn k_softplus(x: f32) -> f32 { return k_max(x, 0.0) + k_log1p(k_exp(-k_abs(x))); }

// Activations and their slopes, by the numbers of op.Act: linear, rectified, tanh.
fn k_act0(x: f32) -> f32 { return x; }
fn k_act1(x: f32) -> f32 { return k_max(x, 0.0); }
fn k_act2(x: f32) -> f32 { return k_tanh(x); }
fn k_slope0(y: f32) -> f32 { return 1.0; }
fn k_slope1(y: f32) -> f32 { return select(0.0, 1.0, y > 0.0); }
fn k_slope2(y: f32) -> f32 { return 1.0 - y * y; }

// A launch has more workgroups than one dimension takes where there are many: the number of this one.
fn k_block(id: vec3<u32>, groups: vec3<u32>) -> i32 { return i32(id.y * groups.x + id.x); }
