// A file system in memory for a Go program: the part of Node's fs module that Go's system calls use. Files of the site
// appear in it as they are opened.

export type Callback = (error: NodeJS.ErrnoException | null, value?: unknown) => void;

/** Where files that are not in memory come from. */
export interface Source {
  /** Whether path is a file, and of how many bytes, or a folder with these names; null where there is nothing. */
  look(path: string): { size: number; time: number } | { names: string[] } | null;
  read(path: string): Promise<Uint8Array>;
}

interface FileNode {
  kind: 'file';
  data: Uint8Array;
  size: number;
  time: number;
  ino: number;
}
interface FolderNode {
  kind: 'folder';
  names: Map<string, FileNode | FolderNode | null>;
  time: number;
  ino: number;
}
type AnyNode = FileNode | FolderNode;
interface Open {
  path: string;
  node: AnyNode;
  at: number;
  append: boolean;
  device?: (bytes: Uint8Array) => void;
}

const flag = {
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 64,
  O_EXCL: 128,
  O_TRUNC: 512,
  O_APPEND: 1024,
  O_DIRECTORY: 65536,
};

function failure(code: string, path = ''): NodeJS.ErrnoException {
  const error = new Error(`${code} ${path}`) as NodeJS.ErrnoException;
  error.code = code;
  return error;
}

export class MemFS {
  readonly constants = flag;
  private readonly root: FolderNode = { kind: 'folder', names: new Map(), time: Date.now(), ino: 1 };
  private readonly open_ = new Map<number, Open>();
  private nextFd = 100;
  private nextIno = 2;

  constructor(
    private cwd: string,
    private readonly source: Source,
    private readonly print: (fd: number, bytes: Uint8Array) => void,
  ) {
    for (const folder of ['/tmp', '/dev', '/home', cwd]) this.makeFolders(folder);
    this.place('/dev/null', this.file());
    for (const fd of [0, 1, 2])
      this.open_.set(fd, { path: '', node: this.file(), at: 0, append: false, device: (b) => this.print(fd, b) });
  }

  readonly process = {
    getuid: () => -1,
    getgid: () => -1,
    geteuid: () => -1,
    getegid: () => -1,
    pid: 1,
    ppid: -1,
    getgroups: () => {
      throw failure('ENOSYS');
    },
    umask: () => {
      throw failure('ENOSYS');
    },
    cwd: () => this.cwd,
    chdir: (path: string) => {
      const node = this.find(path);
      if (!node) throw failure('ENOENT', path);
      if (node.kind !== 'folder') throw failure('ENOTDIR', path);
      this.cwd = this.resolve(path);
    },
  };
  readonly path = { resolve: (...parts: string[]) => this.resolve(parts.join('/')) };

  // — what Go calls —

  writeSync(fd: number, bytes: Uint8Array): number {
    this.print(fd, bytes);
    return bytes.length;
  }

  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null, done: Callback): void {
    const open = this.open_.get(fd);
    if (!open) return done(failure('EBADF'));
    const piece = bytes.subarray(offset, offset + length);
    if (open.device) {
      open.device(piece);
      return done(null, length);
    }
    const { node } = open;
    if (node.kind !== 'file') return done(failure('EISDIR', open.path));
    if (open.path === '/dev/null') return done(null, length);
    const at = open.append ? node.size : (position ?? open.at);
    try {
      this.grow(node, at + length);
    } catch {
      return done(failure('ENOSPC', open.path));
    }
    node.data.set(piece, at);
    node.time = Date.now();
    if (position === null) open.at = at + length;
    done(null, length);
  }

  read(fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null, done: Callback): void {
    const open = this.open_.get(fd);
    if (!open) return done(failure('EBADF'));
    if (open.node.kind !== 'file') return done(failure('EISDIR', open.path));
    const at = position ?? open.at;
    const piece = open.node.data.subarray(Math.min(at, open.node.size), Math.min(at + length, open.node.size));
    bytes.set(piece, offset);
    if (position === null) open.at = at + piece.length;
    done(null, piece.length);
  }

  open(path: string, flags: number, _mode: number, done: Callback): void {
    void this.reached(path, done, () => {
      let node = this.find(path);
      if (node && flags & flag.O_CREAT && flags & flag.O_EXCL) throw failure('EEXIST', path);
      if (!node) {
        if (!(flags & flag.O_CREAT)) throw failure('ENOENT', path);
        node = this.file();
        this.place(this.resolve(path), node);
      }
      if (flags & flag.O_DIRECTORY && node.kind !== 'folder') throw failure('ENOTDIR', path);
      if (node.kind === 'folder' && flags & 3) throw failure('EISDIR', path);
      if (node.kind === 'file' && flags & flag.O_TRUNC) {
        node.size = 0;
        node.time = Date.now();
      }
      const fd = this.nextFd++;
      this.open_.set(fd, { path: this.resolve(path), node, at: 0, append: (flags & flag.O_APPEND) !== 0 });
      return fd;
    });
  }

  close(fd: number, done: Callback): void {
    done(this.open_.delete(fd) ? null : failure('EBADF'));
  }
  fsync(_fd: number, done: Callback): void {
    done(null);
  }
  fstat(fd: number, done: Callback): void {
    const open = this.open_.get(fd);
    if (open) done(null, this.stats(open.node));
    else done(failure('EBADF'));
  }
  stat(path: string, done: Callback): void {
    void this.answer(done, () => {
      const node = this.find(path);
      if (node) return this.stats(node);
      const there = this.source.look(this.resolve(path));
      if (!there) throw failure('ENOENT', path);
      return 'names' in there
        ? this.stats({ kind: 'folder', names: new Map(), time: 0, ino: 0 })
        : this.stats({ kind: 'file', data: new Uint8Array(), size: there.size, time: there.time, ino: 0 });
    });
  }
  lstat(path: string, done: Callback): void {
    this.stat(path, done);
  }
  readdir(path: string, done: Callback): void {
    void this.answer(done, () => {
      const node = this.find(path);
      if (node && node.kind !== 'folder') throw failure('ENOTDIR', path);
      const there = this.source.look(this.resolve(path));
      if (!node && !(there && 'names' in there)) throw failure('ENOENT', path);
      const names = new Set(there && 'names' in there ? there.names : []);
      node?.names.forEach((n, name) => {
        if (n) names.add(name);
        else names.delete(name);
      });
      return [...names].sort();
    });
  }
  mkdir(path: string, _mode: number, done: Callback): void {
    void this.answer(done, () => {
      if (this.find(path) || this.source.look(this.resolve(path))) throw failure('EEXIST', path);
      this.place(this.resolve(path), { kind: 'folder', names: new Map(), time: Date.now(), ino: this.nextIno++ });
    });
  }
  rename(from: string, to: string, done: Callback): void {
    void this.reached(from, done, () => {
      const node = this.find(from);
      if (!node) throw failure('ENOENT', from);
      const old = this.find(to);
      if (old?.kind === 'folder' && old.names.size) throw failure('ENOTEMPTY', to);
      this.place(this.resolve(to), node);
      this.remove(from);
    });
  }
  unlink(path: string, done: Callback): void {
    this.drop(path, 'file', done);
  }
  rmdir(path: string, done: Callback): void {
    this.drop(path, 'folder', done);
  }
  truncate(path: string, size: number, done: Callback): void {
    void this.reached(path, done, () => {
      const node = this.find(path);
      if (node?.kind !== 'file') throw failure(node ? 'EISDIR' : 'ENOENT', path);
      this.cut(node, size);
    });
  }
  ftruncate(fd: number, size: number, done: Callback): void {
    const node = this.open_.get(fd)?.node;
    if (node?.kind !== 'file') return done(failure('EBADF'));
    this.cut(node, size);
    done(null);
  }
  utimes(path: string, _access: number, changed: number, done: Callback): void {
    void this.answer(done, () => {
      const node = this.find(path);
      if (node) node.time = changed * 1000;
    });
  }
  // There is one user, who may do everything.
  chmod(_path: string, _mode: number, done: Callback): void {
    done(null);
  }
  fchmod(_fd: number, _mode: number, done: Callback): void {
    done(null);
  }
  chown(_path: string, _uid: number, _gid: number, done: Callback): void {
    done(null);
  }
  fchown(_fd: number, _uid: number, _gid: number, done: Callback): void {
    done(null);
  }
  lchown(_path: string, _uid: number, _gid: number, done: Callback): void {
    done(null);
  }
  link(_path: string, _link: string, done: Callback): void {
    done(failure('ENOSYS'));
  }
  symlink(_path: string, _link: string, done: Callback): void {
    done(failure('ENOSYS'));
  }
  readlink(path: string, done: Callback): void {
    done(failure('EINVAL', path));
  }

  // — nodes —

  private resolve(path: string): string {
    const parts: string[] = [];
    for (const part of (path.startsWith('/') ? path : `${this.cwd}/${path}`).split('/')) {
      if (part === '..') parts.pop();
      else if (part && part !== '.') parts.push(part);
    }
    return '/' + parts.join('/');
  }

  private find(path: string): AnyNode | null {
    let node: AnyNode | null | undefined = this.root;
    for (const name of this.resolve(path).split('/').filter(Boolean)) {
      if (node?.kind !== 'folder') return null;
      node = node.names.get(name);
    }
    return node ?? null;
  }

  /** Whether a file was here and has been deleted, which the site's file of the name must not undo. */
  private deleted(path: string): boolean {
    const full = this.resolve(path);
    const parent = this.find(full.slice(0, full.lastIndexOf('/')) || '/');
    return parent?.kind === 'folder' && parent.names.get(full.slice(full.lastIndexOf('/') + 1)) === null;
  }

  /** Puts a node at a full path; folders of the site on the way are made. */
  private place(path: string, node: AnyNode): void {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const parent = path.slice(0, path.lastIndexOf('/')) || '/';
    let folder = this.find(parent);
    if (!folder) {
      const there = this.source.look(parent);
      if (!there || !('names' in there)) throw failure('ENOENT', parent);
      folder = this.makeFolders(parent);
    }
    if (folder.kind !== 'folder') throw failure('ENOTDIR', parent);
    folder.names.set(name, node);
  }

  private makeFolders(path: string): FolderNode {
    let node = this.root;
    for (const name of path.split('/').filter(Boolean)) {
      let next = node.names.get(name);
      if (!next) {
        next = { kind: 'folder', names: new Map(), time: Date.now(), ino: this.nextIno++ };
        node.names.set(name, next);
      }
      if (next.kind !== 'folder') throw failure('ENOTDIR', path);
      node = next;
    }
    return node;
  }

  private remove(path: string): void {
    const full = this.resolve(path);
    const parent = this.find(full.slice(0, full.lastIndexOf('/')) || '/') as FolderNode;
    const name = full.slice(full.lastIndexOf('/') + 1);
    if (this.source.look(full)) parent.names.set(name, null);
    else parent.names.delete(name);
  }

  private drop(path: string, kind: AnyNode['kind'], done: Callback): void {
    void this.reached(path, done, () => {
      const node = this.find(path);
      if (!node) throw failure('ENOENT', path);
      if (node.kind !== kind) throw failure(kind === 'file' ? 'EISDIR' : 'ENOTDIR', path);
      if (node.kind === 'folder' && [...node.names.values()].some((n) => n)) throw failure('ENOTEMPTY', path);
      this.remove(path);
    });
  }

  private file(): FileNode {
    return { kind: 'file', data: new Uint8Array(0), size: 0, time: Date.now(), ino: this.nextIno++ };
  }

  private grow(node: FileNode, size: number): void {
    if (size > node.data.length) {
      const more = new Uint8Array(Math.max(size, node.data.length * 2, 256));
      more.set(node.data.subarray(0, node.size));
      node.data = more;
    }
    if (size > node.size) node.data.fill(0, node.size, size);
    node.size = Math.max(node.size, size);
  }

  private cut(node: FileNode, size: number): void {
    this.grow(node, size);
    node.size = size;
    node.time = Date.now();
  }

  private stats(node: AnyNode): object {
    const folder = node.kind === 'folder';
    const size = folder ? 0 : node.size;
    return {
      dev: 1,
      ino: node.ino,
      mode: folder ? 0o40755 : 0o100644,
      nlink: 1,
      uid: 0,
      gid: 0,
      rdev: 0,
      size,
      blksize: 4096,
      blocks: Math.ceil(size / 512),
      atimeMs: node.time,
      mtimeMs: node.time,
      ctimeMs: node.time,
      isDirectory: () => folder,
    };
  }

  /** Answers once the file or folder of the site at path is in memory, if there is one. */
  private async reached(path: string, done: Callback, f: () => unknown): Promise<void> {
    if (!this.find(path) && !this.deleted(path)) {
      const full = this.resolve(path);
      const there = this.source.look(full);
      try {
        if (there && 'names' in there) this.makeFolders(full);
        else if (there) {
          const data = await this.source.read(full);
          this.place(full, { ...this.file(), data, size: data.length, time: there.time });
        }
      } catch {
        return done(failure('EIO', path));
      }
    }
    this.answer(done, f);
  }

  private answer(done: Callback, f: () => unknown): void {
    let value: unknown;
    try {
      value = f();
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code) return done(e as NodeJS.ErrnoException);
      throw e;
    }
    done(null, value);
  }
}
