// The adapters that WebGPU gives in this browser.

/** What training needs of an adapter, as core/webgpu has it. */
export const wanted: Record<string, number> = {
  maxStorageBuffersPerShaderStage: 6,
  maxComputeWorkgroupStorageSize: 16 << 10,
  maxComputeInvocationsPerWorkgroup: 128,
  maxStorageBufferBindingSize: 128 << 20,
};

export interface Adapter {
  name: string;
  /** It computes on the processor. */
  software: boolean;
  limits: Record<string, number>;
  features: string[];
}

/** The part of WebGPU's interface that is asked here, which TypeScript does not have. */
interface Gpu {
  requestAdapter(way: object): Promise<{
    info?: Partial<Record<'vendor' | 'architecture' | 'device' | 'description', string>> & {
      isFallbackAdapter?: boolean;
    };
    isFallbackAdapter?: boolean;
    limits: Record<string, number>;
    features: Iterable<string>;
  } | null>;
}

const more = ['maxBufferSize', 'maxComputeWorkgroupsPerDimension', 'maxComputeWorkgroupSizeX'];
const ways = [
  { powerPreference: 'high-performance' },
  { powerPreference: 'low-power' },
  { forceFallbackAdapter: true },
];

/** All that it gives, each once; training takes the first. Null where the browser has no WebGPU here. */
export async function adapters(): Promise<Adapter[] | null> {
  const gpu = (navigator as { gpu?: Gpu }).gpu;
  if (!gpu) return null;
  const list: Adapter[] = [];
  for (const way of ways) {
    const given = await gpu.requestAdapter(way).catch(() => null);
    if (!given) continue;
    const { vendor, architecture, device, description, isFallbackAdapter } = given.info ?? {};
    const adapter = {
      name: [vendor, architecture, device, description].filter(Boolean).join(' ') || 'a GPU without a name',
      software: Boolean(isFallbackAdapter || given.isFallbackAdapter || architecture === 'swiftshader'),
      limits: Object.fromEntries([...Object.keys(wanted), ...more].map((name) => [name, Number(given.limits[name])])),
      features: [...(given.features as Iterable<string>)].sort(),
    };
    if (!list.some((a) => JSON.stringify(a) === JSON.stringify(adapter))) list.push(adapter);
  }
  return list;
}

/** The limits that are too small for training. */
export const lacking = (a: Adapter) => Object.keys(wanted).filter((name) => !(a.limits[name]! >= wanted[name]!));
