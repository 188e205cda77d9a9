// Reads field and slope at every point: the repulsion is −½ of the slope, and Z the sum of the field. What a point's own
// charge leaves there depends on its place in the cell alone: a table of it is taken off.
@group(0) @binding(0) var<storage, read_write> state: array<f32>;
@group(0) @binding(1) var<storage, read_write> grid: array<f32>;

const STEPS = 16u; // of the table along a cell
const SIDE = STEPS + 1u;

var<workgroup> part: array<f32, LANES>;

fn own(x: u32, y: u32) -> vec3<f32> {
  let at = s.own + 4u * (y * SIDE + x);
  return vec3(grid[at], grid[at + 1u], grid[at + 2u]);
}

@compute @workgroup_size(LANES)
fn gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let block = number_of(group);
  let i = block * LANES + lane;
  var found = vec3(0.0); // field, slope in x, in y
  if (i < s.points) {
    let x = (state[2u * i] - s.origin_x) / s.h;
    let y = (state[2u * i + 1u] - s.origin_y) / s.h;
    let ix = u32(x);
    let iy = u32(y);
    let tx = x - f32(ix);
    let ty = y - f32(iy);
    var wx = weights(tx);
    var wy = weights(ty);
    var dx = slopes(tx);
    var dy = slopes(ty);
    for (var r = 0u; r < 6u; r++) {
      let at = s.values + (iy + r - 2u) * s.stride + ix - 2u;
      var v = 0.0;
      var d = 0.0;
      for (var c = 0u; c < 6u; c++) {
        let f = grid[at + c];
        v += wx[c] * f;
        d += dx[c] * f;
      }
      found += vec3(wy[r] * v, wy[r] * d, dy[r] * v);
    }
    let ux = tx * f32(STEPS);
    let uy = ty * f32(STEPS);
    let jx = min(u32(ux), STEPS - 1u);
    let jy = min(u32(uy), STEPS - 1u);
    let low = mix(own(jx, jy), own(jx + 1u, jy), ux - f32(jx));
    let high = mix(own(jx, jy + 1u), own(jx + 1u, jy + 1u), ux - f32(jx));
    found -= mix(low, high, uy - f32(jy));
    state[at_repulsion() + 2u * i] = -0.5 / s.h * found.y;
    state[at_repulsion() + 2u * i + 1u] = -0.5 / s.h * found.z;
  }
  part[lane] = found.x;
  for (var half = LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) { part[lane] += part[lane + half]; }
  }
  if (lane == 0u && block < parts()) { state[at_parts() + PART * block] = part[0]; }
}

// Tabulates what gather finds of a single charge, from the values around it.
@compute @workgroup_size(LANES)
fn tabulate(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let t = number_of(group) * LANES + lane;
  if (t >= SIDE * SIDE) { return; }
  let tx = f32(t % SIDE) / f32(STEPS);
  let ty = f32(t / SIDE) / f32(STEPS);
  var wx = weights(tx);
  var wy = weights(ty);
  var dx = slopes(tx);
  var dy = slopes(ty);
  var found = vec3(0.0);
  // The charge lies at the node in the middle. Node a of those that are read and node b of those spread to differ by a − b.
  for (var m = 0u; m < 11u; m++) {
    var vy = 0.0;
    var sy = 0.0;
    for (var b = 0u; b < 6u; b++) {
      let a = m + b;
      if (a >= 5u && a < 11u) {
        vy += wy[a - 5u] * wy[b];
        sy += dy[a - 5u] * wy[b];
      }
    }
    for (var n = 0u; n < 11u; n++) {
      var vx = 0.0;
      var sx = 0.0;
      for (var b = 0u; b < 6u; b++) {
        let a = n + b;
        if (a >= 5u && a < 11u) {
          vx += wx[a - 5u] * wx[b];
          sx += dx[a - 5u] * wx[b];
        }
      }
      let g = grid[s.values + (s.ny / 2u + m - 5u) * s.stride + s.nx / 2u + n - 5u];
      found += g * vec3(vy * vx, vy * sx, sy * vx);
    }
  }
  let at = s.own + 4u * t;
  grid[at] = found.x;
  grid[at + 1u] = found.y;
  grid[at + 2u] = found.z;
}
