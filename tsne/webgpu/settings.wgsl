// What every kernel knows. The state of the layout lies in one buffer of numbers: positions, steps, gains, both forces,
// two a point each, then partial sums of workgroups, then the status.
const LANES = 128u;

struct Settings {
  points: u32,
  // Nodes of the grid in use, the length of its rows, and the lengths of the transforms.
  nx: u32, ny: u32, stride: u32, lx: u32, ly: u32,
  // The rows are filled with the kernel instead of charges, the columns end as its spectrum.
  make: u32,
  // Where in the grid's buffer values, spectrum and the table of a charge's own field begin.
  values: u32, spectrum: u32, own: u32,
  // Where in the table's buffer the factors of columns, places, and both sharpenings begin.
  factors_y: u32, places: u32, sharpen_x: u32, sharpen_y: u32,
  h: f32, origin_x: f32, origin_y: f32, charge: f32,
  exaggeration: f32, rate: f32, momentum: f32, clip: f32,
  // Layouts beyond are left alone: lowest and highest coordinates, and a width.
  low_x: f32, low_y: f32, high_x: f32, high_y: f32, widest: f32,
}
@group(0) @binding(2) var<uniform> s: Settings;

fn number_of(group: vec3<u32>) -> u32 { return group.x + 32768u * group.y; }

// The status, in numbers of the state: iterations made, 1 if the layout has left its bounds, lowest and highest
// coordinates, Z, the mean that is to be taken off, and the moments of a small layout.
const MADE = 0u;
const OUT = 1u;
const BOX = 2u;
const Z = 6u;
const MEAN = 7u;
const MOMENTS = 9u;

// Partial sums, of each workgroup so many numbers.
const PART = 8u;

fn at_steps() -> u32 { return 2u * s.points; }
fn at_gains() -> u32 { return 4u * s.points; }
fn at_repulsion() -> u32 { return 6u * s.points; }
fn at_attraction() -> u32 { return 8u * s.points; }
fn at_parts() -> u32 { return 10u * s.points; }
fn parts() -> u32 { return (s.points + LANES - 1u) / LANES; }
fn at_status() -> u32 { return at_parts() + PART * parts(); }
