// Files on the server.

import { request } from './request';

export { isLocked, request, ServerError, Unreachable } from './request';

export interface FileModel {
  name: string;
  path: string;
  type: 'notebook' | 'file' | 'directory';
  format: 'json' | 'text' | 'base64' | null;
  content: unknown;
  size: number | null;
  last_modified: string;
  hash?: string | null;
  writable: boolean;
  mimetype: string | null;
  /** What of a notebook breaks the rules of its format, and what a save has mended. */
  problems?: string[];
  repaired?: string[];
  /** The format of a notebook before 4. */
  converted_from?: number;
  /** Of a notebook with a running kernel: what content already holds of its output. */
  live?: LiveState;
}

export interface LiveState {
  kernel_id: string;
  seq: number;
  cells: Record<string, 'busy' | 'queued'>;
  /** When cells last ran, by Jupyter's names for the messages. */
  times?: Record<string, Record<string, string>>;
}
export interface Checkpoint {
  id: string;
  last_modified: string;
}

const url = (path: string, rest = '') => 'api/contents/' + path.split('/').map(encodeURIComponent).join('/') + rest;

export const contents = {
  get: (path: string, type?: FileModel['type']) =>
    request<FileModel>('GET', url(path, `?content=1&hash=1${type ? `&type=${type}` : ''}`)),
  /** The file's time and size, without reading it. */
  peek: (path: string) => request<FileModel>('GET', url(path, '?content=0&hash=0')),
  stat: (path: string) => request<FileModel>('GET', url(path, '?content=0&hash=1')),
  bytes: (path: string) => request<FileModel>('GET', url(path, '?content=1&hash=1&type=file&format=base64')),
  text: (path: string) => request<FileModel>('GET', url(path, '?content=1&hash=1&type=file&format=text')),
  save: (path: string, model: Partial<FileModel> & { seq?: number; repair?: boolean }) =>
    request<FileModel>('PUT', url(path), model),
  create: (folder: string, type: FileModel['type'], ext?: string) =>
    request<FileModel>('POST', url(folder), { type, ...(ext ? { ext } : {}) }),
  copy: (path: string, folder: string) => request<FileModel>('POST', url(folder), { copy_from: path }),
  rename: (path: string, to: string) => request<FileModel>('PATCH', url(path), { path: to }),
  remove: (path: string) => request<null>('DELETE', url(path)),
  checkpoints: (path: string) => request<Checkpoint[]>('GET', url(path, '/checkpoints')),
  checkpoint: (path: string) => request<Checkpoint>('POST', url(path, '/checkpoints')),
  restore: (path: string, id: string) => request<null>('POST', url(path, `/checkpoints/${encodeURIComponent(id)}`)),
};
