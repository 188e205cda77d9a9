// Spreads every point's charge over the grid: in whole numbers, whose sums have no order.
@group(0) @binding(0) var<storage, read_write> state: array<f32>;
@group(0) @binding(1) var<storage, read_write> charges: array<atomic<u32>>;

@compute @workgroup_size(LANES)
fn spread(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = number_of(group) * LANES + lane;
  if (i >= s.points || state[at_status() + OUT] > 0.0) { return; }
  let x = (state[2u * i] - s.origin_x) / s.h;
  let y = (state[2u * i + 1u] - s.origin_y) / s.h;
  let ix = u32(x);
  let iy = u32(y);
  var wx = weights(x - f32(ix));
  var wy = weights(y - f32(iy));
  for (var r = 0u; r < 6u; r++) {
    let at = (iy + r - 2u) * s.stride + ix - 2u;
    let v = wy[r] * s.charge;
    for (var c = 0u; c < 6u; c++) {
      atomicAdd(&charges[at + c], u32(v * wx[c] + 0.5));
    }
  }
}
