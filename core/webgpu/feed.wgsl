// Drawing an update's inputs on the device, as package feed describes it: the same numbers from the same stream as package
// replay draws on the host.
//
// The stream is Go's PCG (128 bits of state, DXSM output), seeded as package rng does; bounded integers are Lemire's,
// normals Marsaglia and Tsang's ziggurat, as math/rand/v2 has them. Both may reject, so how many numbers of the stream a
// draw takes is only known once it is made: raw makes the stream and what a normal would be that starts at each of its
// numbers, draw finds out who gets which integer, walk who gets which normal, gather copies rows and noise to where the program
// reads them, note keeps the program's scalars.
//
// WGSL has no integers of 64 bits and no doubles: an integer of 64 bits is a pair of 32, the lower first, one of 128 bits
// is four, and where math/rand/v2 computes in doubles, integers take the place of fixed-point numbers.
//
// What does not change while a feed lives is among every launch's arguments: two of the launch's own, those below, then seven
// for each draw.
@group(0) @binding(0) var<storage, read_write> P: array<f32>;
@group(0) @binding(1) var<storage, read_write> W: array<f32>;
@group(0) @binding(3) var<storage, read> T: array<i32>;
@group(0) @binding(4) var<storage, read> R: array<f32>;
@group(0) @binding(5) var<storage, read_write> D: array<u32>;
@group(0) @binding(6) var<storage, read> S: array<u32>;

fn n_tasks() -> i32 { return arg(2); }
fn n_slots() -> i32 { return arg(3); }
fn choosing() -> i32 { return arg(4); }
fn per_slot() -> i32 { return arg(5); }
fn n_raws() -> i32 { return arg(6); }
fn n_noises() -> i32 { return arg(7); }
fn stride() -> i32 { return arg(8); }
fn capacity() -> i32 { return arg(9); }
fn n_draws() -> i32 { return arg(10); }
fn raw_place() -> i32 { return arg(11); }
fn chosen_place() -> i32 { return arg(12); }
fn picks_place() -> i32 { return arg(13); }
fn noise_place() -> i32 { return arg(14); }
fn notes_place() -> i32 { return arg(15); }
fn note_width() -> i32 { return arg(16); }
fn starts_place() -> i32 { return arg(17); }
fn walk_length() -> i32 { return arg(18); }
fn of_draw(q: i32, i: i32) -> i32 { return arg(20 + 7 * q + i); }
const CHUNK = 1024;
const RINGS = 512;
const NOTES_KEPT = 64u;

fn mul32(a: u32, b: u32) -> vec2<u32> {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let other = (a >> 16u) * (b & 0xffffu);
  let middle = (a & 0xffffu) * (b >> 16u) + (other & 0xffffu) + (low >> 16u);
  return vec2<u32>((middle << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (other >> 16u) + (middle >> 16u));
}
fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x)); }
fn less64(a: vec2<u32>, b: vec2<u32>) -> bool { return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x)); }
fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = mul32(a.x, b.x);
  return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}
fn high64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { // the upper half of a product
  let one = add64(mul32(a.x, b.y), vec2<u32>(mul32(a.x, b.x).y, 0u));
  let two = add64(mul32(a.y, b.x), vec2<u32>(one.x, 0u));
  return add64(add64(mul32(a.y, b.y), vec2<u32>(one.y, 0u)), vec2<u32>(two.y, 0u));
}
fn left64(x: vec2<u32>, n: u32) -> vec2<u32> { // n < 64
  let m = n & 31u;
  let over = select(x.x >> ((32u - m) & 31u), 0u, m == 0u);
  return select(vec2<u32>(x.x << m, (x.y << m) | over), vec2<u32>(0u, x.x << m), n >= 32u);
}
fn right64(x: vec2<u32>, n: u32) -> vec2<u32> {
  let m = n & 31u;
  let over = select(x.y << ((32u - m) & 31u), 0u, m == 0u);
  return select(vec2<u32>((x.x >> m) | over, x.y >> m), vec2<u32>(x.y >> m, 0u), n >= 32u);
}
fn length64(x: vec2<u32>) -> u32 { return select(32u - countLeadingZeros(x.x), 64u - countLeadingZeros(x.y), x.y != 0u); }

fn add128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  let low = add64(a.xy, b.xy);
  let carry = select(0u, 1u, less64(low, a.xy));
  return vec4<u32>(low, add64(add64(a.zw, b.zw), vec2<u32>(carry, 0u)));
}
fn mul128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  return vec4<u32>(mul64(a.xy, b.xy), add64(high64(a.xy, b.xy), add64(mul64(a.zw, b.xy), mul64(a.xy, b.zw))));
}
const MULTIPLIER = vec4<u32>(0x9fccf645u, 0x4385df64u, 0x1fc65da4u, 0x2360ed05u);
const INCREMENT = vec4<u32>(0xf767814fu, 0x14057b7eu, 0x4c957f2du, 0x5851f42du);

// n steps at once: x -> ax + c, squared as often as n has digits.
fn skip(from_state: vec4<u32>, steps: u32) -> vec4<u32> {
  var s = from_state;
  var a = MULTIPLIER;
  var c = INCREMENT;
  for (var n = steps; n != 0u; n >>= 1u) {
    if ((n & 1u) != 0u) { s = add128(mul128(s, a), c); }
    c = add128(mul128(c, a), c);
    a = mul128(a, a);
  }
  return s;
}
fn output(s: vec4<u32>) -> vec2<u32> {
  let x = mul64(vec2<u32>(s.z ^ s.w, s.w), vec2<u32>(0xe4dd58b5u, 0xda942042u));
  return mul64(vec2<u32>(x.x ^ (x.y >> 16u), x.y), vec2<u32>(s.x | 1u, s.y));
}
fn mix(of_what: vec2<u32>) -> vec2<u32> {
  var x = add64(of_what, vec2<u32>(0x7f4a7c15u, 0x9e3779b9u));
  x = mul64(x ^ right64(x, 30u), vec2<u32>(0x1ce4e5b9u, 0xbf58476du));
  x = mul64(x ^ right64(x, 27u), vec2<u32>(0x133111ebu, 0x94d049bbu));
  return x ^ right64(x, 31u);
}

// The state that drawing keeps: a, b and the number of the update, two words each, then where the next record goes.
fn seed() -> vec4<u32> {
  let n = vec2<u32>(D[4], D[5]);
  let high = mix(vec2<u32>(D[0], D[1]) ^ mix(n));
  let low = mix(add64(vec2<u32>(D[2], D[3]), mix(n ^ vec2<u32>(0x84caa73bu, 0xbb67ae85u))));
  return vec4<u32>(low, high);
}

fn advance(s: vec4<u32>) -> vec4<u32> { return add128(mul128(s, MULTIPLIER), INCREMENT); }

// Number i of the stream, also past what raw made.
fn raw_at(i: i32) -> vec2<u32> {
  if (i < n_raws()) { return vec2<u32>(D[raw_place() + 2 * i], D[raw_place() + 2 * i + 1]); }
  return output(skip(seed(), u32(i + 1)));
}

// An integer below n < 2^31 from one number of the stream, or -1 where that is to be rejected.
fn below(x: vec2<u32>, n: u32) -> i32 {
  if ((n & (n - 1u)) == 0u) { return i32(x.x & (n - 1u)); }
  let low = mul64(x, vec2<u32>(n, 0u));
  if (low.y == 0u && low.x < n) {
    var rest = 1u; // of 2^64, divided by n
    for (var i = 0; i < 64; i++) { rest = (rest << 1u) % n; }
    if (low.x < rest) { return -1; }
  }
  return i32(high64(x, vec2<u32>(n, 0u)).x);
}

var<workgroup> position: i32; // in the stream
fn next(n: i32) -> i32 {
  var x = -1;
  while (x < 0) {
    x = below(raw_at(position), u32(n));
    position++;
  }
  return x;
}

// Of a ring, five words: the first row, how many, how many trajectories, where those stand in S, and the ring's chunks.
struct Ring { first: i32, length: i32, spans: i32, spans_at: i32, chunks_at: i32 }
fn ring_of(store: i32, task: i32) -> Ring {
  let at = RINGS + 5 * (store * n_tasks() + task);
  return Ring(i32(S[at]), i32(S[at + 1]), i32(S[at + 2]), i32(S[at + 3]), i32(S[at + 4]));
}
fn row_at(r: Ring, at: i32) -> i32 { // where a row begins in R
  var p = r.first + at;
  if (p >= capacity()) { p -= capacity(); }
  return i32(S[r.chunks_at + p / CHUNK]) * CHUNK * stride() + p % CHUNK * stride();
}
fn step_at(r: Ring, at: i32) -> i32 { return i32(R[row_at(r, at) + stride() - 1]); }

// One window: of a trajectory, from which row and how long.
fn crop(r: Ring, span: i32, n: i32, exclusive: bool) -> vec2<i32> {
  let first = i32(S[r.spans_at + 2 * span]);
  let has = i32(S[r.spans_at + 2 * span + 1]);
  let m = min(n, has);
  var starts = has - m + 1;
  if (exclusive && starts > 1) { starts--; }
  return vec2<i32>(first + next(starts), m);
}

// After the tasks in D come the counts: pairs, rows in both windows, pairs with a short one, failures.
fn count(which: i32, n: i32) { D[chosen_place() + n_slots() + which] += u32(n); }
fn windows(r: Ring, slot: i32, kind: i32, n: i32, same_task: bool, exclusive: bool, at: i32) {
  let to = picks_place() + slot * per_slot() + at;
  let one = next(r.spans);
  let x = crop(r, one, n, exclusive);
  D[to] = u32(x.x);
  D[to + 1] = u32(x.y);
  if (kind == 1) { return; }
  var other = one;
  if (same_task) { other = next(r.spans); }
  let y = crop(r, other, n, exclusive);
  D[to + 2] = u32(y.x);
  D[to + 3] = u32(y.y);
  let overlap = min(x.x + x.y, y.x + y.y) - max(x.x, y.x);
  count(0, 1);
  if (one == other && overlap > 0) { count(1, overlap); }
  if (x.y < n || y.y < n) { count(2, 1); }
}

// n rows of every other of a trajectory's, then n of the others.
fn halves(r: Ring, slot: i32, n: i32, at: i32) {
  let to = picks_place() + slot * per_slot() + at;
  let span = next(r.spans);
  let first = i32(S[r.spans_at + 2 * span]);
  let kept = i32(S[r.spans_at + 2 * span + 1]);
  var parity = next(2);
  if (kept == 1) { parity = 0; }
  for (var half = 0; half < 2; half++) {
    for (var k = 0; k < n; k++) { D[to + half * n + k] = u32(first + parity + 2 * next((kept - parity + 1) / 2)); }
    if (kept > 1) { parity = 1 - parity; }
  }
  count(0, 1);
  if (kept == 1) { count(1, 1); count(2, 1); }
}

// x shifted right by 0 < n < 64, rounded to the nearest, to even between two.
fn rounded(x: vec2<u32>, n: u32) -> vec2<u32> {
  let r = right64(x, n);
  let rest = sub64(x, left64(r, n));
  let half = left64(vec2<u32>(1u, 0u), n - 1u);
  let up = less64(half, rest) | (all(rest == half) & ((r.x & 1u) == 1u));
  return add64(r, vec2<u32>(select(0u, 1u, up), 0u));
}

// x·2^e as a float, rounded to a double before.
fn to_float(of_what: vec2<u32>, scale: i32) -> f32 {
  var x = of_what;
  var e = scale;
  for (var i = 0; i < 2; i++) {
    let digits = select(24u, 53u, i == 0);
    let n = length64(x);
    if (n > digits) {
      x = rounded(x, n - digits);
      e += i32(n - digits);
    }
  }
  let n = length64(x);
  let fraction = select(x.x >> ((n - 24u) & 31u), x.x << ((24u - n) & 31u), n < 24u); // 25 digits after rounding up are a power of two
  return select(bitcast<f32>((u32(e + i32(n) + 126) << 23u) | (fraction & 0x7fffffu)), 0.0, x.x == 0u);
}

// What the ziggurat's tables hold: how many numbers of a layer need no further test, its width per number, its density.
fn layer_numbers(k: u32) -> u32 { return S[k]; }
fn layer_width(k: u32) -> u32 { return S[128u + k]; }
fn layer_density(k: u32) -> f32 { return bitcast<f32>(S[256u + k]); }

// log(1 + 2^-k) as a fraction of 2^64; that of 2 where k is 0.
fn log_table(k: u32) -> vec2<u32> { return vec2<u32>(S[384u + 2u * k], S[385u + 2u * k]); }

// -log(x / 2^53) with 56 binary places: x is multiplied by 1 + 2^-k until it has grown to a power of two.
fn minus_log(x: vec2<u32>) -> vec2<u32> {
  if (x.x == 0u && x.y == 0u) { return vec2<u32>(0u, 0x40000000u); } // infinity is out of reach too
  let n = length64(x);
  var f = left64(x, 64u - n);
  var y = vec2<u32>();
  for (var k = 1u; k < 60u; k++) {
    let more = add64(f, right64(f, k));
    if (!less64(more, f)) {
      f = more;
      y = add64(y, log_table(k));
    }
  }
  let twos = vec2<u32>(53u - n, 0u);
  let high = high64(twos, log_table(0u));
  return add64(add64(left64(high, 56u), right64(mul64(twos, log_table(0u)), 8u)), right64(y, 8u));
}

// e^-z as a float, z with 56 binary places: 1 grows by 1 + 2^-k.
fn exp_minus(z: vec2<u32>) -> f32 {
  var rest = z;
  var halvings = 0;
  let log2 = right64(log_table(0u), 8u);
  while (!less64(rest, log2)) {
    rest = sub64(rest, log2);
    halvings++;
  }
  rest = sub64(log_table(0u), left64(rest, 8u));
  var e = vec2<u32>(0u, 0x80000000u);
  for (var k = 1u; k < 60u; k++) {
    if (!less64(rest, log_table(k))) {
      rest = sub64(rest, log_table(k));
      e = add64(e, right64(e, k));
    }
  }
  return to_float(e, -64 - halvings);
}
fn unit(x: vec2<u32>) -> vec2<u32> { return vec2<u32>(x.x, x.y & 0x1fffffu); } // in 2^53rds

// What starts at a number of the stream, of the given state: twice how many numbers it takes, and one more where it ends in a
// normal, x.
struct Normal { step: i32, x: f32 }
fn normal(state: vec4<u32>) -> Normal {
  var s = state;
  let u = output(s);
  let k = u.y & 0x7fu;
  let negative = (u.x & 0x80000000u) != 0u;
  let j = select(u.x, 0u - u.x, negative);
  let width = layer_width(k);
  let e = i32(width >> 23u) - 150;
  let y = mul32(j, (width & 0x7fffffu) | 0x800000u); // times 2^e
  let value = to_float(y, e);
  if (j < layer_numbers(k)) { return Normal(3, select(value, -value, negative)); }
  s = advance(s);
  if (k == 0u) {
    var n = 1;
    var t = vec2<u32>();
    loop {
      let x = minus_log(unit(output(s)));
      s = advance(s);
      n++;
      if ((n & 1) == 0) {
        t = high64(x, vec2<u32>(0xf185d47du, 0x4a5caa2bu));
      } else if (!less64(right64(x, 7u), high64(t, t))) {
        break;
      }
    }
    let tail = to_float(add64(t, vec2<u32>(0xeda57cf1u, 0x03714f88u)), -56);
    return Normal(2 * n + 1, select(tail, -tail, negative));
  }
  let place = 56 + e;
  let fixed = select(right64(y, u32(max(-place, 0))), left64(y, u32(max(place, 0))), place >= 0);
  let part = keep(to_float(unit(output(s)), -53) * keep(layer_density(k - 1u) - layer_density(k)));
  let made = layer_density(k) + part < exp_minus(left64(high64(fixed, fixed), 7u));
  return Normal(select(4, 5, made), select(value, -value, negative));
}

// It is kept as two words, of the numbers that raw makes, then of those of the normals' parts past them.
fn keep_start(at: i32, x: Normal) {
  D[starts_place() + 2 * at] = u32(x.step);
  D[starts_place() + 2 * at + 1] = bitcast<u32>(x.x);
}

const RAWS_PER_LANE = 4;
@compute @workgroup_size(128)
fn raw(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) index: u32) {
  let first = (k_block(id, groups) * BLOCK + i32(index)) * RAWS_PER_LANE;
  if (first >= n_raws()) { return; }
  var s = skip(seed(), u32(first));
  for (var i = first; i < min(first + RAWS_PER_LANE, n_raws()); i++) {
    s = advance(s);
    let x = output(s);
    D[raw_place() + 2 * i] = x.x;
    D[raw_place() + 2 * i + 1] = x.y;
    keep_start(i, normal(s));
  }
}

// Draws the integers of one update: tasks, rows and windows.
const ENTRIES = 16;
var<workgroup> got: i32;
var<workgroup> end: i32;
var<workgroup> some: i32;
var<workgroup> value: array<i32, 128>;
var<workgroup> rank: array<i32, 256>;
var<workgroup> walks: array<u32, 2048>; // of an entry and a lane: where the part is left, and the normals it makes, 16 bits each
var<workgroup> entered: array<i32, 128>;
var<workgroup> base: array<i32, 128>;

fn choose(lane: i32) {
  if (lane == 0) {
    position = 0;
    some = 0;
    for (var i = 0; i < 4; i++) { D[chosen_place() + n_slots() + i] = 0u; }
    for (var i = 0; choosing() == 0 && i < n_slots(); i++) { D[chosen_place() + i] = u32(i); }
    for (var i = 0; choosing() == 1 && i < n_slots(); i++) { D[chosen_place() + i] = u32(next(n_tasks())); }
  }
  if (choosing() != 2) { return; }
  let order = chosen_place() + n_slots() + 4; // after the counts there is room for it
  for (var i = lane; i < n_tasks(); i += BLOCK) { D[order + i] = u32(i); }
  storageBarrier();
  if (lane == 0) {
    for (var i = n_tasks() - 1; i > 0; i--) {
      let j = next(i + 1);
      let t = D[order + i];
      D[order + i] = D[order + j];
      D[order + j] = t;
    }
  }
  storageBarrier();
  for (var i = lane; i < n_slots(); i += BLOCK) { D[chosen_place() + i] = D[order + i % n_tasks()]; }
}

fn transitions(lane: i32, slot: i32, store: i32, n: i32, left_out: i32, at: i32) {
  let r = ring_of(store, i32(D[chosen_place() + slot]));
  let to = picks_place() + slot * per_slot() + at;
  if (lane == 0) { got = 0; }
  while (workgroupUniformLoad(&got) < n) {
    let x = below(raw_at(position + lane), u32(r.length));
    var ok = x >= 0;
    if (ok && left_out > 0) { ok = step_at(r, x) >= left_out; }
    value[lane] = x;
    rank[lane] = select(0, 1, ok);
    if (lane == 0) { end = BLOCK; }
    workgroupBarrier();
    var side = 0;
    for (var by = 1; by < BLOCK; by *= 2) { // how many up to each were taken
      var sum = rank[side + lane];
      if (lane >= by) { sum += rank[side + lane - by]; }
      rank[BLOCK - side + lane] = sum;
      side = BLOCK - side;
      workgroupBarrier();
    }
    let now = rank[side + lane];
    let place = got + now;
    if (ok && place <= n) { D[to + place - 1] = u32(value[lane]); }
    if (ok && place == n) { end = lane + 1; }
    workgroupBarrier();
    if (lane == 0) {
      position += end;
      got = min(n, got + rank[side + BLOCK - 1]);
    }
  }
}

fn window(lane: i32, slot: i32, q: i32) {
  if (lane == 0) {
    let r = ring_of(of_draw(q, 1), i32(D[chosen_place() + slot]));
    if (of_draw(q, 0) == 3) {
      halves(r, slot, of_draw(q, 2), of_draw(q, 6));
    } else {
      windows(r, slot, of_draw(q, 0), of_draw(q, 2), of_draw(q, 3) == 1, of_draw(q, 4) == 1, of_draw(q, 6));
    }
  }
  workgroupBarrier();
}

@compute @workgroup_size(128)
fn draw(@builtin(local_invocation_index) index: u32) {
  let lane = i32(index);
  choose(lane);
  storageBarrier();
  workgroupBarrier();
  for (var slot = 0; slot < n_slots(); slot++) {
    for (var q = 0; q < n_draws(); q++) {
      if (of_draw(q, 0) == 0) { transitions(lane, slot, of_draw(q, 1), of_draw(q, 2), of_draw(q, 5), of_draw(q, 6)); }
      if (of_draw(q, 0) != 0) { window(lane, slot, q); }
    }
  }
  workgroupBarrier();
  if (lane == 0) { D[7] = u32(position); }
}

// Draws the noise. The stream from where the integers end is cut into a part per lane. Where a part is entered only the part
// before it tells, so each lane finds out of its part where it is left and how many normals it makes from every near entry,
// from its end to its beginning, as what starts at a number goes on as what starts further on does; one lane follows the entries.
fn start_at(begin: i32, p: i32) -> i32 { return starts_place() + 2 * select(n_raws() + p, begin + p, begin + p < n_raws()); }

// A walk from entry w.x into n numbers, from p on, to the entry behind them; w.y counts the normals.
fn through(begin: i32, p: i32, n: i32, from_where: vec2<i32>) -> vec2<i32> {
  var w = from_where;
  while (w.x < n) {
    let step = i32(D[start_at(begin, p + w.x)]);
    w += vec2<i32>(step >> 1u, step & 1);
  }
  return w - vec2<i32>(n, 0);
}

@compute @workgroup_size(128)
fn walk(@builtin(local_invocation_index) index: u32) {
  let lane = i32(index);
  let length = walk_length();
  let begin = i32(D[7]);
  for (var p = lane; p < BLOCK * length; p += BLOCK) { // what raw has not made
    if (begin + p >= n_raws()) { keep_start(n_raws() + p, normal(skip(seed(), u32(begin + p + 1)))); }
  }
  storageBarrier();
  let at = lane * length;
  for (var p = length; p < length + ENTRIES; p++) { walks[p % ENTRIES * BLOCK + lane] = u32(p - length); }
  for (var p = length - 1; p >= 0; p--) {
    let step = i32(D[start_at(begin, at + p)]);
    var w = vec2<i32>(p + (step >> 1u), step & 1);
    if (w.x <= p + ENTRIES) { // of these places it is known
      let then = walks[w.x % ENTRIES * BLOCK + lane];
      w = vec2<i32>(i32(then & 0xffffu), w.y + i32(then >> 16u));
    } else {
      w = through(begin, at, length, w);
    }
    walks[p % ENTRIES * BLOCK + lane] = u32(w.x) | (u32(w.y) << 16u);
  }
  workgroupBarrier();
  if (lane == 0) {
    var w = vec2<i32>();
    for (var s = 0; s < BLOCK; s++) {
      entered[s] = w.x;
      base[s] = w.y;
      if (w.x < ENTRIES) {
        let then = walks[w.x * BLOCK + s];
        w = vec2<i32>(i32(then & 0xffffu), w.y + i32(then >> 16u));
      } else {
        w = through(begin, s * length, length, w);
      }
    }
    D[chosen_place() + n_slots() + 3] = select(0u, 1u, w.y < n_noises());
  }
  workgroupBarrier();
  var out = base[lane];
  var p = entered[lane];
  while (p < length && out < n_noises()) {
    let from_here = start_at(begin, at + p);
    let step = i32(D[from_here]);
    if ((step & 1) == 1) {
      D[noise_place() + out] = D[from_here + 1];
      out++;
    }
    p += step >> 1u;
  }
}

// An input to fill is 16 numbers: kind, place, rows, columns, pitch; of the pick its store, where its rows stand among the
// slot's, rows per slot; column and split: columns up to split are the row's from column on, the others the next
// observation; windows, and which of them, or -1 for transitions; the first of noise; what is masked; the table of tasks.
const PART = 512;
fn fill(j: i32, row: i32, col: i32) -> f32 {
  let kind = T[j];
  let cols = T[j + 3];
  if (kind == 2) { return bitcast<f32>(T[T[j + 14] + i32(D[chosen_place() + row]) * cols + col]); }
  if (kind == 3) { return select(0.0, bitcast<f32>(T[j + 13]), row != col && D[chosen_place() + row] == D[chosen_place() + col]); }
  if (kind == 4) { return bitcast<f32>(D[noise_place() + T[j + 12] + row * cols + col]); }
  let slot = row / T[j + 7];
  let k = row % T[j + 7];
  let picks = picks_place() + slot * per_slot() + T[j + 6];
  let r = ring_of(T[j + 5], i32(D[chosen_place() + slot]));
  let which = T[j + 11];
  var at = 0;
  if (which < 0) {
    at = i32(D[picks + k]);
  } else {
    if (k >= i32(D[picks + 2 * which + 1])) { return 0.0; }
    at = i32(D[picks + 2 * which]) + k;
  }
  if (kind == 1) { return 1.0; }
  let split = T[j + 9];
  if (kind == 5) { // which counts back from the row: windows of them, oldest first, the last one back by split
    let width = cols / T[j + 10];
    let back = T[j + 10] - 1 + split - col / width;
    if (back > step_at(r, at) || back > at) { return 0.0; }
    return R[row_at(r, at - back) + col % width];
  }
  return R[row_at(r, at) + select(stride() - 1 - (cols - col), T[j + 8] + col, col < split)];
}

@compute @workgroup_size(128)
fn gather(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) index: u32) {
  let block = k_block(id, groups);
  if (block >= arg(1)) { return; }
  let j = T[arg(0) + 2 * block];
  let first = T[arg(0) + 2 * block + 1];
  let cols = T[j + 3];
  for (var e = first + i32(index); e < min(first + PART, T[j + 2] * cols); e += BLOCK) {
    W[T[j + 1] + e / cols * T[j + 4] + e % cols] = fill(j, e / cols, e % cols);
  }
}

// Keeps the scalars of an update, its tasks and its counts as a row of a ring, and goes on to the next update.
@compute @workgroup_size(128)
fn note(@builtin(local_invocation_index) index: u32) {
  let lane = i32(index);
  let to = notes_place() + i32(D[6]) * note_width();
  for (var i = lane; i < arg(1); i += BLOCK) {
    let at = T[arg(0) + 2 * i + 1];
    var x = 0.0;
    if (T[arg(0) + 2 * i] == 1) { x = P[at]; } else { x = W[at]; }
    D[to + i] = bitcast<u32>(x);
  }
  for (var i = lane; i < n_slots() + 4; i += BLOCK) { D[to + arg(1) + i] = D[chosen_place() + i]; }
  storageBarrier();
  if (lane == 0) {
    D[6] = (D[6] + 1u) % NOTES_KEPT;
    let n = add64(vec2<u32>(D[4], D[5]), vec2<u32>(1u, 0u));
    D[4] = n.x;
    D[5] = n.y;
  }
}
