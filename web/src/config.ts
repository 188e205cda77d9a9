// Where the server is and which page this is.

import { ServerConnection } from '@jupyterlab/services';

/** The path under which the server lives; every page, API and asset is below it. */
export const base = '/';

/** The server's settings: same origin, cookie, XSRF header taken from its cookie by the library. */
export const settings = ServerConnection.makeSettings({
  baseUrl: location.origin + base,
  wsUrl: location.origin.replace(/^http/, 'ws') + base,
  appendToken: false,
});

export type Place = { page: 'tree' | 'notebook' | 'file'; path: string };

/** What the address asks for. */
export function place(pathname = location.pathname): Place {
  const [, first = '', ...rest] = pathname.split('/').map(decodeURIComponent);
  const path = rest.filter(Boolean).join('/');
  if (first === 'notebooks') return { page: 'notebook', path };
  if (first === 'edit') return { page: 'file', path };
  return { page: 'tree', path };
}

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/');
export const treeUrl = (path: string) => base + 'tree' + (path ? '/' + encode(path) : '');
export const notebookUrl = (path: string) => base + 'notebooks/' + encode(path);
export const editUrl = (path: string) => base + 'edit/' + encode(path);
export const fileUrl = (path: string) => base + 'files/' + encode(path);
export const folderOf = (path: string) => path.split('/').slice(0, -1).join('/');
export const nameOf = (path: string) => path.split('/').pop() ?? '';
