// Where pages and files are, and which page this is.

import { base, within } from './base';
import { fileKey } from './protocol/proof';
import { isSite } from './site/about';

export { base };

/** Percent escapes as what they stand for; a text with a malformed one is taken as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export type Place = { page: 'tree' | 'notebook' | 'file' | 'read' | 'runs' | 'embeddings'; path: string };

/** What the address asks for. */
export function place(address = isSite ? '/' + location.search.slice(1) : within(location.pathname)): Place {
  const [, first = '', ...rest] = address.split('/').map(decoded);
  const path = rest.filter(Boolean).join('/');
  if (first === 'notebooks') return { page: 'notebook', path };
  if (first === 'read') return { page: 'read', path };
  if (first === 'edit') return { page: 'file', path };
  if (first === 'runs') return { page: 'runs', path };
  if (first === 'embeddings') return { page: 'embeddings', path };
  return { page: 'tree', path };
}

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/');
// A static host has one page for all of them.
const page = base + (isSite ? '?' : '');
export const treeUrl = (path: string) => page + 'tree' + (path ? '/' + encode(path) : '');
export const runsUrl = page + 'runs';
export const notebookUrl = (path: string) => page + 'notebooks/' + encode(path);
export const editUrl = (path: string) => page + 'edit/' + encode(path);
/** The page that lays out the embeddings of a file. */
export const tsneUrl = (path: string) =>
  `${base}${isSite ? 'tsne.html' : 'tsne/'}?open=${encodeURIComponent(base + 'files/' + encode(path))}`;
/** The page that lists the browser's GPUs, of a static site. */
export const devicesUrl = base + 'devices.html';
/** The page that plays the episodes of a file. */
export const rolloutUrl = (path: string) =>
  `${base}${isSite ? 'rollout.html' : 'rollout/'}?open=${encodeURIComponent(base + 'files/' + encode(path))}`;
/** The page that shows finished layouts, side by side: run folders or files. */
export const embeddingsUrl = (paths: string[]) =>
  `${page}embeddings?${paths.map((p) => `open=${encodeURIComponent(p)}`).join('&')}`;
/** A text to read, on a static site. */
export const readUrl = (path: string) => page + 'read/' + encode(path);
export const fileUrl = (path: string) => base + 'files/' + encode(path) + (isSite ? '' : fileKey());
export const folderOf = (path: string) => path.split('/').slice(0, -1).join('/');
export const nameOf = (path: string) => path.split('/').pop() ?? '';
