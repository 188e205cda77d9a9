// Drawing rollouts with three.js: loaded only where there is one. All views of a page share one WebGL context, because
// browsers allow few; each view has a canvas of its own, into which its pictures are copied.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CircleGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  Mesh as Body,
  MeshBasicMaterial,
  MeshLambertMaterial,
  NoToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Quaternion,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  SphereGeometry,
  SRGBColorSpace,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import type { Eye } from './camera';
import type { Episode, Mesh, Solid } from './decode';
import { creased } from './normals';

/** The page's colour behind everything, and whether it is dark. */
export interface Look {
  paper: string;
  dark: boolean;
}

/** The sun stands this many degrees to the left of the first camera, and so high. */
const sunAzimuth = 55,
  sunElevation = 52;

const skyColour = new Color().setRGB(0.93, 0.97, 1),
  sunColour = new Color().setRGB(1, 0.97, 0.92);

function shape(s: Solid, meshes: Mesh[]): BufferGeometry {
  const [a, b, c] = s.size;
  switch (s.kind) {
    case 'sphere':
      return new SphereGeometry(a, 32, 20);
    case 'capsule':
      return new CapsuleGeometry(a, 2 * b, 10, 24).rotateX(Math.PI / 2);
    case 'ellipsoid':
      return new SphereGeometry(1, 32, 20).scale(a, b, c);
    case 'cylinder':
      return new CylinderGeometry(a, a, 2 * b, 40).rotateX(Math.PI / 2);
    case 'box':
      return new BoxGeometry(2 * a, 2 * b, 2 * c);
    case 'plane':
      throw new Error('A plane is drawn as a floor.');
    case 'mesh': {
      const { positions, normals } = creased(meshes[s.mesh]!);
      const g = new BufferGeometry();
      g.setAttribute('position', new BufferAttribute(positions, 3));
      g.setAttribute('normal', new BufferAttribute(normals, 3));
      return g;
    }
  }
}

// A floor: squares, averaged over the pixel where they are small, and with distance the page's own colour.
const floorVertex = `
varying vec2 at;
varying vec3 world;
void main() {
  vec4 w = modelMatrix * vec4(position, 1.0);
  at = (inverse(frame) * w).xy;
  world = w.xyz;
  gl_Position = projectionMatrix * viewMatrix * w;
}`;
const floorFragment = `
uniform vec3 colour, paper, target;
uniform vec2 edge;
uniform float grid, contrast, reach;
varying vec2 at;
varying vec3 world;
vec2 integral(vec2 x) { x -= 2.0 * floor(x / 2.0); return min(x, 2.0 - x); }
void main() {
  if (any(greaterThan(abs(at), edge))) discard;
  float tone = 1.0;
  if (grid > 0.0) {
    vec2 x = at / grid, wide = max(fwidth(x), 1e-4);
    vec2 stripe = (integral(x + wide / 2.0) - integral(x - wide / 2.0)) / wide;
    tone = 1.0 - contrast * (0.5 - 0.5 * stripe.x * stripe.y);
  }
  float fade = 1.0 - smoothstep(0.3 * reach, reach, distance(world, target));
  gl_FragColor = vec4(mix(paper, colour * tone, fade), 1.0);
  #include <colorspace_fragment>
}`;

/** The three-dimensional scene of one episode. */
export class EpisodeScene {
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera();
  private readonly sun = new DirectionalLight(sunColour, 0.78 * Math.PI);
  private readonly objects: Group[] = [];
  private readonly floors: { disc: Body; shade: Body; material: ShaderMaterial; solid: Solid }[] = [];
  private readonly toSun: Vector3;

  constructor(private readonly episode: Episode) {
    this.camera.up.set(0, 0, 1);
    const sky = new HemisphereLight(skyColour, skyColour.clone().multiplyScalar(0.26 / 0.6), 0.6 * Math.PI);
    sky.position.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3;
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = (0.01 * episode.view.distance) / 4;
    const a = ((episode.view.azimuth - sunAzimuth) * Math.PI) / 180,
      h = (sunElevation * Math.PI) / 180;
    this.toSun = new Vector3(Math.cos(a) * Math.cos(h), Math.sin(a) * Math.cos(h), Math.sin(h));
    this.scene.add(sky, this.sun, this.sun.target);
    const meshes = new Map<number, BufferGeometry>();
    for (const s of episode.solids) {
      const holder = new Group();
      this.objects.push(holder);
      this.scene.add(holder);
      if (s.kind === 'plane') this.addFloor(s);
      else if (s.color[3] > 0) holder.add(this.object(s, meshes));
    }
    this.pose(0, false);
  }

  private object(s: Solid, meshes: Map<number, BufferGeometry>): Body {
    const geometry = (s.kind === 'mesh' && meshes.get(s.mesh)) || shape(s, this.episode.meshes);
    if (s.kind === 'mesh') meshes.set(s.mesh, geometry);
    const colour = new Color().setRGB(s.color[0], s.color[1], s.color[2], SRGBColorSpace);
    const common = { color: colour, transparent: s.color[3] < 1, opacity: s.color[3], depthWrite: s.color[3] > 0.5 };
    const material = s.sign ? new MeshBasicMaterial({ ...common, side: DoubleSide }) : new MeshLambertMaterial(common);
    const object = new Body(geometry, material);
    object.castShadow = !s.sign && s.color[3] >= 0.5;
    object.receiveShadow = !s.sign;
    return object;
  }

  private addFloor(solid: Solid): void {
    const frame = `const mat4 frame = ${matrix(solid.pose)};\n`;
    const edge = new Vector2(...solid.size.slice(0, 2).map((v) => v || 1e9));
    const material = new ShaderMaterial({
      vertexShader: frame + floorVertex,
      fragmentShader: floorFragment,
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 8,
      uniforms: {
        colour: { value: new Color() },
        paper: { value: new Color() },
        target: { value: new Vector3() },
        grid: { value: this.episode.grid },
        contrast: { value: 0 },
        reach: { value: 1 },
        edge: { value: edge },
      },
    });
    const disc = new Body(new CircleGeometry(1, 64), material);
    const shade = new Body(
      new CircleGeometry(1, 64),
      new ShadowMaterial({
        transparent: true,
        opacity: 0.24,
        depthWrite: false,
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 4,
      }),
    );
    shade.receiveShadow = true;
    this.scene.add(disc, shade);
    this.floors.push({ disc, shade, material, solid });
  }

  /** Puts every solid where it is at a time in frames; between two frames, if smooth, in between. */
  pose(frame: number, smooth: boolean): void {
    const { solids, moving, poses, frames } = this.episode;
    const at = Math.min(frames - 1, Math.max(0, frame));
    const f = smooth ? at - Math.floor(at) : 0,
      first = smooth ? Math.floor(at) : Math.round(at);
    const put = (o: Group, p: Float32Array, i: number) => {
      o.position.set(p[i]!, p[i + 1]!, p[i + 2]!);
      o.quaternion.set(p[i + 4]!, p[i + 5]!, p[i + 6]!, p[i + 3]!);
    };
    if (!this.placed) {
      solids.forEach((s, i) => put(this.objects[i]!, s.pose, 0));
      this.placed = true;
    }
    const next = Math.min(frames - 1, first + 1);
    moving.forEach((solid, k) => {
      const o = this.objects[solid]!;
      put(o, poses, 7 * (first * moving.length + k));
      if (f > 0) {
        const i = 7 * (next * moving.length + k);
        o.position.lerp(this.p.set(poses[i]!, poses[i + 1]!, poses[i + 2]!), f);
        o.quaternion.slerp(this.q.set(poses[i + 4]!, poses[i + 5]!, poses[i + 6]!, poses[i + 3]!), f);
      }
    });
  }
  private placed = false;
  private readonly p = new Vector3();
  private readonly q = new Quaternion();

  /** Where a solid is drawn: x, y, z and the quaternion w, x, y, z. */
  drawn(solid: number): number[] {
    const o = this.objects[solid]!;
    return [...o.position.toArray(), o.quaternion.w, o.quaternion.x, o.quaternion.y, o.quaternion.z];
  }

  /** Draws into the part of a canvas at (x, y), all in its pixels. */
  draw(
    into: CanvasRenderingContext2D,
    x: number,
    y: number,
    width: number,
    height: number,
    eye: Eye,
    look: Look,
  ): void {
    const { camera } = this;
    const target = this.p.fromArray(eye.target);
    camera.aspect = width / height;
    // A narrow picture shows as much of the width as one of 4 to 3.
    camera.fov =
      (2 * Math.atan(Math.tan((eye.angle * Math.PI) / 360) * Math.max(1, 4 / 3 / camera.aspect)) * 180) / Math.PI;
    camera.near = eye.distance / 40;
    camera.far = eye.distance * 12;
    camera.position.fromArray(eye.eye);
    camera.lookAt(target);
    camera.updateProjectionMatrix();
    const half =
      eye.distance * Math.tan((eye.angle * Math.PI) / 360) * Math.max(1.5, 1.1 * camera.aspect, 1.5 / camera.aspect);
    const { shadow } = this.sun;
    Object.assign(shadow.camera, {
      left: -half,
      right: half,
      top: half,
      bottom: -half,
      near: 0.1 * half,
      far: 8 * half,
    });
    shadow.camera.updateProjectionMatrix();
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(this.toSun, 4 * half);
    this.light(look, target, 4.5 * eye.distance);
    paint(this.scene, camera, into, x, y, width, height);
  }

  private light(look: Look, target: Vector3, reach: number): void {
    this.scene.background = new Color(look.paper);
    for (const { disc, shade, material, solid } of this.floors) {
      const u = material.uniforms;
      if (look.dark) u.colour!.value.set('#272c32');
      else u.colour!.value.setRGB(solid.color[0], solid.color[1], solid.color[2], SRGBColorSpace);
      u.contrast!.value = look.dark ? 0.14 : 0.055;
      u.paper!.value.set(look.paper);
      u.target!.value.copy(target);
      u.reach!.value = reach;
      (shade.material as ShadowMaterial).opacity = look.dark ? 0.5 : 0.24;
      for (const o of [disc, shade]) {
        o.quaternion.set(solid.pose[4]!, solid.pose[5]!, solid.pose[6]!, solid.pose[3]!);
        // The disc goes with the target, in the floor's own plane.
        const origin = new Vector3(solid.pose[0], solid.pose[1], solid.pose[2]);
        const normal = new Vector3(0, 0, 1).applyQuaternion(o.quaternion);
        o.position.copy(target).addScaledVector(normal, -normal.dot(target.clone().sub(origin)));
        o.scale.setScalar(reach * 1.1);
      }
    }
  }

  dispose(): void {
    this.scene.traverse((o) => {
      if (!(o instanceof Body)) return;
      o.geometry.dispose();
      o.material.dispose();
    });
    this.sun.shadow.map?.dispose();
  }
}

/** A pose as a matrix of GLSL. */
function matrix(p: Float32Array): string {
  const q = new Quaternion(p[4], p[5], p[6], p[3]);
  const columns = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map((v) => [...new Vector3(...(v as [number, number, number])).applyQuaternion(q).toArray(), 0]);
  return `mat4(${[...columns, [p[0], p[1], p[2], 1]]
    .flat()
    .map((v) => v!.toFixed(6))
    .join(', ')})`;
}

let renderer: WebGLRenderer | null = null;

/** Draws at the lower left of the shared canvas, which grows to the largest size asked for, and copies. */
function paint(
  scene: Scene,
  camera: PerspectiveCamera,
  into: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  if (!renderer) {
    renderer = new WebGLRenderer({ antialias: true, powerPreference: 'low-power' });
    renderer.toneMapping = NoToneMapping;
    renderer.outputColorSpace = SRGBColorSpace;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
    renderer.setSize(1, 1, false);
    renderer.domElement.addEventListener('webglcontextrestored', () => drawAgain.forEach((f) => f()));
  }
  const canvas = renderer.domElement;
  if (width > canvas.width || height > canvas.height)
    renderer.setSize(Math.max(width, canvas.width), Math.max(height, canvas.height), false);
  renderer.setViewport(0, 0, width, height);
  renderer.setScissor(0, 0, width, height);
  renderer.setScissorTest(true);
  renderer.render(scene, camera);
  into.drawImage(canvas, 0, canvas.height - height, width, height, x, y, width, height);
}

const drawAgain = new Set<() => void>();

/** Calls f when the browser gives a lost graphics context back; the result ends that. */
export function onRestored(f: () => void): () => void {
  drawAgain.add(f);
  return () => drawAgain.delete(f);
}
