// The files of a site: those it was built with, and over them what this browser changed, which stays in it.

export interface SiteFile {
  path: string;
  size: number;
  time: number;
}

export interface Kept {
  path: string;
  time: number;
  bytes: Uint8Array<ArrayBuffer> | null;
} // null: deleted

export interface Entry {
  path: string;
  size: number;
  time: number;
  kept: boolean;
}

export class SiteFiles {
  private readonly shipped: Map<string, SiteFile>;
  private readonly kept = new Map<string, Kept>();
  private db: IDBDatabase | null = null;

  private constructor(
    private readonly base: string,
    files: SiteFile[],
  ) {
    this.shipped = new Map(files.map((f) => [f.path, f]));
  }

  /** Opens the files of the site at base, an absolute address that ends in a slash. */
  static async open(base: string, files: SiteFile[]): Promise<SiteFiles> {
    const s = new SiteFiles(base, files);
    try {
      s.db = await openDatabase('nacre:' + new URL(base).pathname);
      for (const k of await all<Kept>(s.db)) s.kept.set(k.path, k);
    } catch {
      /* a browser that keeps nothing, as in some private windows: changes last as long as the page */
    }
    return s;
  }

  /** Reads again what other tabs have changed. */
  async refresh(): Promise<void> {
    if (!this.db) return;
    const list = await all<Kept>(this.db);
    this.kept.clear();
    for (const k of list) this.kept.set(k.path, k);
  }

  get(path: string): Entry | null {
    const k = this.kept.get(path);
    if (k) return k.bytes ? { path, size: k.bytes.length, time: k.time, kept: true } : null;
    const s = this.shipped.get(path);
    return s ? { ...s, kept: false } : null;
  }

  /** Every file, the folder marks (see makeFolder) included. */
  list(): Entry[] {
    const paths = new Set([...this.shipped.keys(), ...this.kept.keys()]);
    return [...paths].map((p) => this.get(p)).filter((e) => e !== null);
  }

  async read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const k = this.kept.get(path);
    if (k?.bytes) return k.bytes;
    if (k || !this.shipped.has(path)) throw new Error(`There is no file ${path}.`);
    const response = await fetch(this.address(path));
    if (!response.ok) throw new Error(`The site does not deliver ${path}: ${response.status} ${response.statusText}.`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** The address of a file as it was shipped. */
  address(path: string): string {
    return this.base + 'files/' + path.split('/').map(encodeURIComponent).join('/');
  }

  async write(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.put({ path, time: Date.now(), bytes });
  }

  async remove(path: string): Promise<void> {
    if (this.shipped.has(path)) return this.put({ path, time: Date.now(), bytes: null });
    await this.revert(path);
  }

  /** When a file was shipped, in milliseconds; null for one that was not. */
  shippedTime(path: string): number | null {
    return this.shipped.get(path)?.time ?? null;
  }

  /** Forgets what this browser changed of a file, which is then as it was shipped, or gone. */
  async revert(path: string): Promise<void> {
    this.kept.delete(path);
    if (this.db) await done(this.db.transaction('files', 'readwrite').objectStore('files').delete(path));
  }

  private async put(k: Kept): Promise<void> {
    this.kept.set(k.path, k);
    if (this.db) await done(this.db.transaction('files', 'readwrite').objectStore('files').put(k));
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore('files', { keyPath: 'path' });
  return done(request);
}

const all = <T>(db: IDBDatabase) => done(db.transaction('files').objectStore('files').getAll() as IDBRequest<T[]>);

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((ok, fail) => {
    request.onsuccess = () => ok(request.result);
    request.onerror = () => fail(request.error);
  });
}
