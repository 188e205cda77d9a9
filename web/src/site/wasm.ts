// Fetching a Go program as small as the browser can take it, once.

/** A program of the site: its file, named by its content, and the bytes of its forms; 0 for one that is not there. */
export interface Program {
  file: string;
  bytes: number;
  gz: number;
  br: number;
}

export interface Progress {
  loaded: number;
  total: number;
  cached: boolean;
}

const store = 'nacre-wasm';

/** Whether this browser unpacks brotli in scripts; all unpack gzip. */
function unpacksBrotli(): boolean {
  try {
    new DecompressionStream('brotli' as CompressionFormat);
    return true;
  } catch {
    return false;
  }
}

/**
 * Compiles a program. It is fetched in a packed form and unpacked here, since a plain file server does not do so, and
 * kept in the browser's cache under its name, which changes with its content.
 */
export async function loadProgram(
  folder: string,
  program: Program,
  progress: (p: Progress) => void,
): Promise<WebAssembly.Module> {
  const format = program.br && unpacksBrotli() ? 'brotli' : 'gzip';
  const url = new URL(folder + program.file + (format === 'brotli' ? '.br' : '.gz'), location.href).href;
  const total = format === 'brotli' ? program.br : program.gz;
  const cache = await openCache();
  let response = await cache?.match(url);
  const cached = response !== undefined;
  if (!response) {
    response = await fetch(url);
    if (!response.ok) throw new Error(`A program could not be fetched: ${url} answered ${response.status}.`);
    if (cache) void keep(cache, url, program.file, response.clone());
  }
  let loaded = 0;
  const counted = response.body!.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, out) {
        loaded += piece.length;
        progress({ loaded: Math.min(loaded, total), total, cached });
        out.enqueue(piece);
      },
    }),
  );
  const { stream, packed } = await peek(counted);
  const plain = packed ? stream.pipeThrough(new DecompressionStream(format as CompressionFormat)) : stream;
  return WebAssembly.compileStreaming(new Response(plain, { headers: { 'Content-Type': 'application/wasm' } }));
}

/** Some servers declare a packed file as an encoding of the plain one, and the browser has unpacked it already. */
async function peek(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<{ stream: ReadableStream<Uint8Array<ArrayBuffer>>; packed: boolean }> {
  const reader = body.getReader();
  const first = await reader.read();
  const magic = first.value?.subarray(0, 4);
  const packed = !(magic && magic[0] === 0 && magic[1] === 0x61 && magic[2] === 0x73 && magic[3] === 0x6d);
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(out) {
      if (first.value) out.enqueue(first.value);
      if (first.done) out.close();
    },
    async pull(out) {
      const { done, value } = await reader.read();
      if (done) out.close();
      else out.enqueue(value);
    },
    cancel: (why) => reader.cancel(why),
  });
  return { stream, packed };
}

async function openCache(): Promise<Cache | null> {
  // Only secure pages have one, and a browser may refuse it.
  try {
    return await caches.open(store);
  } catch {
    return null;
  }
}

/** Keeps a program and forgets its earlier versions. */
async function keep(cache: Cache, url: string, file: string, response: Response): Promise<void> {
  try {
    const name = file.replace(/-[0-9a-f]+\.wasm$/, '');
    for (const request of await cache.keys()) {
      if (
        request.url !== url &&
        new URL(request.url).pathname
          .split('/')
          .pop()!
          .startsWith(name + '-')
      )
        await cache.delete(request);
    }
    await cache.put(url, response);
  } catch {
    /* no room: it is fetched again next time */
  }
}
