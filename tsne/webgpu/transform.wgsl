// Convolution with the kernel 1/(1+d²) by Fourier transforms of rows and columns, each in a workgroup's memory. A transform
// of length 2^a·3^b leaves frequencies in the order of its stages, and its inverse takes them so. Two rows of real numbers
// are one of complex ones.
@group(0) @binding(1) var<storage, read_write> grid: array<u32>;
@group(0) @binding(3) var<storage, read> table: array<f32>;
@group(0) @binding(5) var<storage, read_write> waves: array<vec4<f32>>;

var<workgroup> w: array<vec2<f32>, LONGEST>;

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
fn conjugate(a: vec2<f32>) -> vec2<f32> { return vec2(a.x, -a.y); }
// i·a
fn turned(a: vec2<f32>) -> vec2<f32> { return vec2(-a.y, a.x); }

// e^(−2πi·k/n) of the table at a place.
fn factor(base: u32, k: u32) -> vec2<f32> { return vec2(table[base + 2u * k], table[base + 2u * k + 1u]); }

const SIN60 = 0.8660254;

fn forward(n: u32, factors: u32, lane: u32) {
  var length = n;
  loop {
    workgroupBarrier();
    if (length == 1u) { break; }
    let every = n / length;
    if (length % 3u == 0u) {
      let q = length / 3u;
      for (var b = lane; b < n / 3u; b += TOGETHER) {
        let k = b % q;
        let i = b / q * length + k;
        let a = w[i];
        let sum = w[i + q] + w[i + 2u * q];
        let d = turned(SIN60 * (w[i + q] - w[i + 2u * q]));
        let c = a - 0.5 * sum;
        w[i] = a + sum;
        w[i + q] = times(c - d, factor(factors, k * every));
        w[i + 2u * q] = times(c + d, factor(factors, 2u * k * every));
      }
      length = q;
    } else if (length % 4u == 0u) {
      let q = length / 4u;
      for (var b = lane; b < n / 4u; b += TOGETHER) {
        let k = b % q;
        let i = b / q * length + k;
        let a = w[i] + w[i + 2u * q];
        let c = w[i] - w[i + 2u * q];
        let e = w[i + q] + w[i + 3u * q];
        let d = turned(w[i + q] - w[i + 3u * q]);
        let f = factor(factors, k * every);
        let f2 = times(f, f);
        w[i] = a + e;
        w[i + q] = times(c - d, f);
        w[i + 2u * q] = times(a - e, f2);
        w[i + 3u * q] = times(c + d, times(f, f2));
      }
      length = q;
    } else {
      let q = length / 2u;
      for (var b = lane; b < n / 2u; b += TOGETHER) {
        let k = b % q;
        let i = b / q * length + k;
        let a = w[i];
        let c = w[i + q];
        w[i] = a + c;
        w[i + q] = times(a - c, factor(factors, k * every));
      }
      length = q;
    }
  }
}

// Undoes forward, times n.
fn backward(n: u32, factors: u32, lane: u32) {
  let power = n & (0u - n); // of two
  var length = 1u;
  loop {
    workgroupBarrier();
    if (length == n) { break; }
    let q = length;
    if (length == 1u && (countTrailingZeros(n) & 1u) == 1u) {
      length = 2u;
      for (var i = 2u * lane; i < n; i += 2u * TOGETHER) {
        let a = w[i];
        let c = w[i + 1u];
        w[i] = a + c;
        w[i + 1u] = a - c;
      }
    } else if (length < power) {
      length = 4u * q;
      let every = n / length;
      for (var b = lane; b < n / 4u; b += TOGETHER) {
        let k = b % q;
        let i = b / q * length + k;
        let f = conjugate(factor(factors, k * every));
        let f2 = times(f, f);
        let u = times(w[i + q], f);
        let v = times(w[i + 2u * q], f2);
        let x = times(w[i + 3u * q], times(f, f2));
        let a = w[i] + v;
        let c = w[i] - v;
        let e = u + x;
        let d = turned(u - x);
        w[i] = a + e;
        w[i + q] = c + d;
        w[i + 2u * q] = a - e;
        w[i + 3u * q] = c - d;
      }
    } else {
      length = 3u * q;
      let every = n / length;
      for (var b = lane; b < n / 3u; b += TOGETHER) {
        let k = b % q;
        let i = b / q * length + k;
        let u = times(w[i + q], conjugate(factor(factors, k * every)));
        let v = times(w[i + 2u * q], conjugate(factor(factors, 2u * k * every)));
        let sum = u + v;
        let d = turned(SIN60 * (u - v));
        let c = w[i] - 0.5 * sum;
        w[i] = w[i] + sum;
        w[i + q] = c + d;
        w[i + 2u * q] = c - d;
      }
    }
  }
}

fn place(k: u32) -> u32 { return u32(table[s.places + k]); }

// The kernel at a node, which its images at the grid's other end share.
fn kernel(x: u32, y: u32) -> f32 {
  let dx = s.h * f32(min(x, s.lx - x));
  let dy = s.h * f32(min(y, s.ly - y));
  return 1.0 / (1.0 + dx * dx + dy * dy);
}

// Transforms two rows of charges, which it clears, or of the kernel.
@compute @workgroup_size(TOGETHER)
fn rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let pair = number_of(group);
  for (var x = lane; x < s.lx; x += TOGETHER) {
    var v = vec2(0.0);
    if (s.make == 1u) {
      v = vec2(kernel(x, 2u * pair), kernel(x, 2u * pair + 1u));
    } else if (x < s.nx) {
      let at = 2u * pair * s.stride + x;
      v = vec2(f32(grid[at]), f32(grid[at + s.stride])) / s.charge;
      grid[at] = 0u;
      grid[at + s.stride] = 0u;
    }
    w[x] = v;
  }
  forward(s.lx, 0u, lane);
  for (var k = lane; k <= s.lx / 2u; k += TOGETHER) {
    let a = 0.5 * w[place(k)];
    let b = 0.5 * conjugate(w[place((s.lx - k) % s.lx)]);
    let d = b - a; // the second row is −i·(a − b)
    waves[k * (s.ly / 2u) + pair] = vec4(a + b, turned(d));
  }
}

// Convolves a column with the kernel, or makes its spectrum.
@compute @workgroup_size(TOGETHER)
fn columns(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let k = number_of(group);
  let first = k * (s.ly / 2u);
  for (var t = lane; t < s.ly / 2u; t += TOGETHER) {
    var v = vec4(0.0);
    if (2u * t < s.ny) { v = waves[first + t]; }
    w[2u * t] = v.xy;
    w[2u * t + 1u] = v.zw;
  }
  forward(s.ly, s.factors_y, lane);
  for (var p = lane; p < s.ly; p += TOGETHER) {
    let at = s.spectrum + k * s.ly + p;
    if (s.make == 1u) {
      grid[at] = bitcast<u32>(w[p].x * table[s.sharpen_x + k] * table[s.sharpen_y + p]);
    } else {
      w[p] *= bitcast<f32>(grid[at]);
    }
  }
  if (s.make == 1u) { return; }
  backward(s.ly, s.factors_y, lane);
  for (var t = lane; 2u * t < s.ny; t += TOGETHER) {
    waves[first + t] = vec4(w[2u * t], w[2u * t + 1u]);
  }
}

// Transforms two rows back into the grid's values.
@compute @workgroup_size(TOGETHER)
fn rows_back(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let pair = number_of(group);
  for (var k = lane; k <= s.lx / 2u; k += TOGETHER) {
    let v = waves[k * (s.ly / 2u) + pair];
    w[place(k)] = v.xy + turned(v.zw);
    if (k > 0u && 2u * k < s.lx) { w[place(s.lx - k)] = conjugate(v.xy) + turned(conjugate(v.zw)); }
  }
  backward(s.lx, 0u, lane);
  for (var x = lane; x < s.nx; x += TOGETHER) {
    let at = s.values + 2u * pair * s.stride + x;
    grid[at] = bitcast<u32>(w[x].x);
    grid[at + s.stride] = bitcast<u32>(w[x].y);
  }
}
