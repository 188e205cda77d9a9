// What is done for every point: attraction, the step, and sums over all.
@group(0) @binding(0) var<storage, read_write> state: array<f32>;
@group(0) @binding(3) var<storage, read> ends: array<u32>;
@group(0) @binding(4) var<storage, read> neighbours: array<u32>;
@group(0) @binding(6) var<storage, read> affinities: array<f32>;

const TOGETHER = 16u; // lanes that share a point's neighbours, which come in as many

var<workgroup> force: array<vec2<f32>, LANES>;
var<workgroup> sums: array<vec4<f32>, LANES>;
var<workgroup> box: array<vec4<f32>, LANES>; // lowest, then highest coordinates

fn position(i: u32) -> vec2<f32> { return vec2(state[2u * i], state[2u * i + 1u]); }
fn out() -> bool { return state[at_status() + OUT] > 0.0; }

// The attraction Σ p·w·d.
@compute @workgroup_size(LANES)
fn attract(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = number_of(group) * (LANES / TOGETHER) + lane / TOGETHER;
  var f = vec2(0.0);
  if (i < s.points) {
    let here = position(i);
    for (var g = ends[i]; g < ends[i + 1u]; g++) {
      let e = TOGETHER * g + lane % TOGETHER;
      let d = here - position(neighbours[e]);
      f += affinities[e] / (1.0 + dot(d, d)) * d;
    }
  }
  force[lane] = f;
  for (var half = TOGETHER / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane % TOGETHER < half) { force[lane] += force[lane + half]; }
  }
  if (lane % TOGETHER == 0u && i < s.points) {
    state[at_attraction() + 2u * i] = force[lane].x;
    state[at_attraction() + 2u * i + 1u] = force[lane].y;
  }
}

fn reduce(lane: u32) {
  for (var half = LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) {
      sums[lane] += sums[lane + half];
      box[lane] = vec4(min(box[lane].xy, box[lane + half].xy), max(box[lane].zw, box[lane + half].zw));
    }
  }
}

const NOWHERE = vec4(3e38, 3e38, -3e38, -3e38);

// Z of the field.
@compute @workgroup_size(LANES)
fn total(@builtin(local_invocation_index) lane: u32) {
  var v = 0.0;
  for (var p = lane; p < parts(); p += LANES) { v += state[at_parts() + PART * p]; }
  sums[lane] = vec4(v, 0.0, 0.0, 0.0);
  box[lane] = NOWHERE;
  reduce(lane);
  if (lane == 0u && !out()) { state[at_status() + Z] = sums[0].x; }
}

// The moments of a small layout around 0: Σ x², Σ xy, Σ y², and Σ |u|²u.
@compute @workgroup_size(LANES)
fn moments(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let block = number_of(group);
  let i = block * LANES + lane;
  var u = vec2(0.0);
  if (i < s.points) { u = position(i); }
  let q = dot(u, u);
  sums[lane] = vec4(u.x * u.x, u.x * u.y, u.y * u.y, q * u.x);
  box[lane] = NOWHERE;
  force[lane] = vec2(q * u.y, 0.0);
  for (var half = LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) {
      sums[lane] += sums[lane + half];
      force[lane] += force[lane + half];
    }
  }
  if (lane == 0u && block < parts()) {
    let at = at_parts() + PART * block;
    for (var c = 0u; c < 4u; c++) { state[at + c] = sums[0][c]; }
    state[at + 4u] = force[0].x;
  }
}

@compute @workgroup_size(LANES)
fn all_moments(@builtin(local_invocation_index) lane: u32) {
  var v = vec4(0.0);
  var y = vec2(0.0);
  for (var p = lane; p < parts(); p += LANES) {
    let at = at_parts() + PART * p;
    v += vec4(state[at], state[at + 1u], state[at + 2u], state[at + 3u]);
    y.x += state[at + 4u];
  }
  sums[lane] = v;
  force[lane] = y;
  for (var half = LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) {
      sums[lane] += sums[lane + half];
      force[lane] += force[lane + half];
    }
  }
  if (lane == 0u && !out()) {
    for (var c = 0u; c < 4u; c++) { state[at_status() + MOMENTS + c] = sums[0][c]; }
    state[at_status() + MOMENTS + 4u] = force[0].x;
    let n = f32(s.points);
    state[at_status() + Z] = n * (n - 1.0) - 2.0 * n * (sums[0].x + sums[0].z);
  }
}

// Repulsion within a small layout, from w² = 1 − 2|d|² and the moments.
@compute @workgroup_size(LANES)
fn expand(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = number_of(group) * LANES + lane;
  if (i >= s.points) { return; }
  let u = position(i);
  let at = at_status() + MOMENTS;
  let xx = state[at];
  let xy = state[at + 1u];
  let yy = state[at + 2u];
  let n = f32(s.points);
  let q = n * dot(u, u) + xx + yy;
  let f = q * u + 2.0 * vec2(xx * u.x + xy * u.y, xy * u.x + yy * u.y) - vec2(state[at + 3u], state[at + 4u]);
  let r = n * u - 2.0 * f;
  state[at_repulsion() + 2u * i] = r.x;
  state[at_repulsion() + 2u * i + 1u] = r.y;
}

fn endless(x: f32) -> bool { return (bitcast<u32>(x) & 0x7f800000u) == 0x7f800000u; }

// One step downhill, and each workgroup's part of the sum of positions and of their bounds.
@compute @workgroup_size(LANES)
fn descend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let block = number_of(group);
  let i = block * LANES + lane;
  var y = vec2(0.0);
  var around = NOWHERE;
  if (i < s.points && !out()) {
    let a = vec2(state[at_attraction() + 2u * i], state[at_attraction() + 2u * i + 1u]);
    let r = vec2(state[at_repulsion() + 2u * i], state[at_repulsion() + 2u * i + 1u]);
    let g = s.exaggeration * a - r / state[at_status() + Z];
    var step = vec2(state[at_steps() + 2u * i], state[at_steps() + 2u * i + 1u]);
    var gain = vec2(state[at_gains() + 2u * i], state[at_gains() + 2u * i + 1u]);
    gain = select(max(gain * 0.8, vec2(0.01)), gain + 0.2, g * step < vec2(0.0));
    step = s.momentum * step - s.rate * gain * g;
    let length = dot(step, step);
    if (length > s.clip * s.clip) { step *= s.clip / sqrt(length); }
    y = position(i) + step;
    around = vec4(y, y);
    if (endless(y.x) || endless(y.y)) { around = vec4(-3e38, -3e38, 3e38, 3e38); }
    state[at_steps() + 2u * i] = step.x;
    state[at_steps() + 2u * i + 1u] = step.y;
    state[at_gains() + 2u * i] = gain.x;
    state[at_gains() + 2u * i + 1u] = gain.y;
    state[2u * i] = y.x;
    state[2u * i + 1u] = y.y;
  }
  sums[lane] = vec4(y, 0.0, 0.0);
  box[lane] = around;
  reduce(lane);
  if (lane == 0u && block < parts()) {
    let at = at_parts() + PART * block;
    state[at] = sums[0].x;
    state[at + 1u] = sums[0].y;
    for (var c = 0u; c < 4u; c++) { state[at + 2u + c] = box[0][c]; }
  }
}

// Mean and bounds of the layout, and whether it is out of those that the grid is for.
@compute @workgroup_size(LANES)
fn finish(@builtin(local_invocation_index) lane: u32) {
  var sum = vec2(0.0);
  var around = NOWHERE;
  for (var p = lane; p < parts(); p += LANES) {
    let at = at_parts() + PART * p;
    sum += vec2(state[at], state[at + 1u]);
    around = vec4(min(around.xy, vec2(state[at + 2u], state[at + 3u])), max(around.zw, vec2(state[at + 4u], state[at + 5u])));
  }
  sums[lane] = vec4(sum, 0.0, 0.0);
  box[lane] = around;
  reduce(lane);
  if (lane > 0u) { return; }
  let at = at_status();
  if (out()) {
    state[at + MEAN] = 0.0;
    state[at + MEAN + 1u] = 0.0;
    return;
  }
  let mean = sums[0].xy / f32(s.points);
  around = box[0] - mean.xyxy;
  state[at + MEAN] = mean.x;
  state[at + MEAN + 1u] = mean.y;
  for (var c = 0u; c < 4u; c++) { state[at + BOX + c] = around[c]; }
  state[at + MADE] += 1.0;
  let inside = around.x >= s.low_x && around.y >= s.low_y && around.z <= s.high_x && around.w <= s.high_y;
  let wide = max(around.z - around.x, around.w - around.y);
  if (!inside || !(wide <= s.widest)) { state[at + OUT] = 1.0; }
}

// Moves the mean to 0.
@compute @workgroup_size(LANES)
fn centre(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = number_of(group) * LANES + lane;
  if (i >= s.points) { return; }
  state[2u * i] -= state[at_status() + MEAN];
  state[2u * i + 1u] -= state[at_status() + MEAN + 1u];
}
