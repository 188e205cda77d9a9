// B-splines of order 6: the weights of the nodes −2 … 3 around a place t ∈ [0, 1) between nodes 0 and 1, and their slopes.
fn weights(t: f32) -> array<f32, 6> {
  let u = 1.0 - t;
  let t2 = t * t;
  let t3 = t2 * t;
  return array<f32, 6>(
    u * u * u * u * u / 120.0,
    (26.0 - 50.0 * t + 20.0 * t2 + 20.0 * t3 - 20.0 * t2 * t2 + 5.0 * t2 * t3) / 120.0,
    (66.0 - 60.0 * t2 + 30.0 * t2 * t2 - 10.0 * t2 * t3) / 120.0,
    (26.0 + 50.0 * t + 20.0 * t2 - 20.0 * t3 - 20.0 * t2 * t2 + 10.0 * t2 * t3) / 120.0,
    (1.0 + 5.0 * t + 10.0 * t2 + 10.0 * t3 + 5.0 * t2 * t2 - 5.0 * t2 * t3) / 120.0,
    t2 * t3 / 120.0);
}

fn slopes(t: f32) -> array<f32, 6> {
  let u = 1.0 - t;
  let t2 = t * t;
  let t3 = t2 * t;
  return array<f32, 6>(
    -u * u * u * u / 24.0,
    (-10.0 + 8.0 * t + 12.0 * t2 - 16.0 * t3 + 5.0 * t2 * t2) / 24.0,
    (-24.0 * t + 24.0 * t3 - 10.0 * t2 * t2) / 24.0,
    (10.0 + 8.0 * t - 12.0 * t2 - 16.0 * t3 + 10.0 * t2 * t2) / 24.0,
    (1.0 + 4.0 * t + 6.0 * t2 + 4.0 * t3 - 5.0 * t2 * t2) / 24.0,
    t2 * t2 / 24.0);
}
