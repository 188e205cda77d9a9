// C = A·B with an epilogue, one block per 64×64 of C, 8×4 of it per lane. C is complete when the kernel ends: no partial
// sums, so the order of additions is that of k. Matrices are read and written four numbers at a time: their rows are
// padded to that, and what lies in the padding never counts. Half of the lanes bring 16 terms of A to where all see them,
// the other half those of B, 4×4 numbers each, so that neighbours in a column of A, and in a row of B, lie together.
//
// Names in capitals are written in by the printer: the buffers that A, B, bias and mask lie in, whether A and B are
// transposed, the epilogue. Arguments: a, b, bias, mask, c, then m, n, k, then the pitches of a, b, c and mask; places and
// pitches in fours.
const TILE = 64;
const DEPTH = 16;
const PITCH = 17;
@group(0) @binding(0) var<storage, read_write> P: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> W: array<vec4<f32>>;
var<workgroup> sa: array<vec4<f32>, 272>;
var<workgroup> sb: array<vec4<f32>, 272>;

// The numbers of x that belong to terms below left.
fn upto(x: vec4<f32>, left: i32) -> vec4<f32> { return select(vec4<f32>(), x, vec4<i32>(0, 1, 2, 3) < vec4<i32>(left)); }

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) index: u32) {
  let lane = i32(index);
  let m = arg(5);
  let n = arg(6);
  let k = arg(7);
  let across = (n + TILE - 1) / TILE;
  let block = k_block(id, groups);
  let top = block / across * TILE;
  let left = block % across * TILE;
  let r = lane / 16 * 8;
  let c = lane % 16 * 4;
  let item = lane % 64;
  var s0 = vec4<f32>();
  var s1 = vec4<f32>();
  var s2 = vec4<f32>();
  var s3 = vec4<f32>();
  var s4 = vec4<f32>();
  var s5 = vec4<f32>();
  var s6 = vec4<f32>();
  var s7 = vec4<f32>();
  for (var start = 0; start < k; start += DEPTH) {
    var x0 = vec4<f32>();
    var x1 = vec4<f32>();
    var x2 = vec4<f32>();
    var x3 = vec4<f32>();
    if (lane < 64) {
      LOAD_A
    } else {
      LOAD_B
    }
    workgroupBarrier();
    for (var d = 0; d < DEPTH * PITCH; d += PITCH) {
      let a = sa[d + r / 4];
      let e = sa[d + r / 4 + 1];
      let b = sb[d + c / 4];
      s0 = fma(vec4<f32>(a.x), b, s0);
      s1 = fma(vec4<f32>(a.y), b, s1);
      s2 = fma(vec4<f32>(a.z), b, s2);
      s3 = fma(vec4<f32>(a.w), b, s3);
      s4 = fma(vec4<f32>(e.x), b, s4);
      s5 = fma(vec4<f32>(e.y), b, s5);
      s6 = fma(vec4<f32>(e.z), b, s6);
      s7 = fma(vec4<f32>(e.w), b, s7);
    }
    workgroupBarrier();
  }
  if (left + c >= n) { return; }
  finish(top + r, left + c, s0);
  finish(top + r + 1, left + c, s1);
  finish(top + r + 2, left + c, s2);
  finish(top + r + 3, left + c, s3);
  finish(top + r + 4, left + c, s4);
  finish(top + r + 5, left + c, s5);
  finish(top + r + 6, left + c, s6);
  finish(top + r + 7, left + c, s7);
}

fn finish(row: i32, col: i32, sum: vec4<f32>) {
  if (row < arg(5)) {
    var x = sum;
    EPILOGUE
    W[arg(4) + row * arg(10) + col / 4] = x;
  }
}
