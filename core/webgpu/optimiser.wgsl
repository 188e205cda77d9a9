// Adam's steps of any number of parameters, and the moving averages that follow them, in one launch. Parameters are cut
// into pieces, one per block; the table T says where each piece lies. Step counts live on the GPU too: tick counts them
// up first.
@group(0) @binding(0) var<storage, read_write> P: array<f32>;
@group(0) @binding(1) var<storage, read_write> W: array<f32>;
@group(0) @binding(3) var<storage, read> T: array<i32>;

fn number(at: i32) -> f32 { return bitcast<f32>(T[at]); }

// 1/(1-beta^t), from t and the logarithm of beta: 1-beta^t itself would lose its digits where it is small.
fn correction(t: f32, log_beta: f32) -> f32 { return -1.0 / k_expm1(max(t * log_beta, -200.0)); }

// A step count is two floats, t = high·2^20 + low: one would end at 2^24.
@compute @workgroup_size(128)
fn tick(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) index: u32) {
  let i = k_block(id, groups) * BLOCK + i32(index);
  if (i >= arg(1)) { return; }
  let c = arg(0) + 4 * i;
  let at = T[c];
  var low = P[at] + 1.0;
  var high = P[at + 1];
  if (low >= 1048576.0) { low -= 1048576.0; high += 1.0; }
  P[at] = low;
  P[at + 1] = high;
  let t = fma(high, 1048576.0, low);
  W[T[c + 1]] = correction(t, number(c + 2));
  W[T[c + 1] + 1] = correction(t, number(c + 3));
}

// A piece is 16 numbers: kind (bit 0: Adam, else an average; bit 1: the source is a parameter; bit 2: an average follows),
// places of w, m, v, source, average and corrections, how many, then rate, beta1, 1-beta1, beta2, 1-beta2, epsilon, tau.
@compute @workgroup_size(128)
fn step_all(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) index: u32) {
  let block = k_block(id, groups);
  if (block >= arg(1)) { return; }
  let p = arg(0) + 16 * block;
  let kind = T[p];
  for (var i = i32(index); i < T[p + 7]; i += BLOCK) {
    var w = P[T[p + 1] + i];
    var g = 0.0;
    if ((kind & 2) != 0) { g = P[T[p + 4] + i]; } else { g = W[T[p + 4] + i]; }
    if ((kind & 1) != 0) {
      let m = fma(number(p + 9), P[T[p + 2] + i], number(p + 10) * g);
      let v = fma(number(p + 11), P[T[p + 3] + i], number(p + 12) * g * g);
      P[T[p + 2] + i] = m;
      P[T[p + 3] + i] = v;
      w -= number(p + 8) * (m * W[T[p + 6]]) / (sqrt(v * W[T[p + 6] + 1]) + number(p + 13));
    } else {
      w = fma(number(p + 14), g - w, w);
    }
    P[T[p + 1] + i] = w;
    if ((kind & 4) != 0) {
      let old = P[T[p + 5] + i];
      P[T[p + 5] + i] = fma(number(p + 14), w - old, old);
    }
  }
}
