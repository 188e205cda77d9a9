// What the notebook server answers, answered in the page: contents from the site and this browser, kernels in workers.

import type { Fields } from '../model/json';
import { fromBase64 } from '../dom';
import { withNumbersOf } from '../model/exact';
import { inLines, type Json } from '../model/nbformat';
import { about } from './about';
import { SiteFiles } from './files';
import { answerRuns } from './runs';
import { endKernel, kernel, kernelName, type KernelModel, startKernel } from './kernels';

interface Session {
  id: string;
  path: string;
  name: string;
  type: string;
  kernel: KernelModel;
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const sessions = new Map<string, Session>();
let opened: Promise<SiteFiles> | undefined;

/** The site's files; opened once. */
export function files(): Promise<SiteFiles> {
  return (opened ??= about().then((a) => SiteFiles.open(new URL('.', location.href).href, a.files)));
}

/** Answers a request for the server's REST interface; others go to the network. */
export async function siteFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const url = new URL(request.url);
  const root = new URL('.', location.href).pathname + 'api/';
  if (url.origin !== location.origin || !url.pathname.startsWith(root)) return fetch(request);
  const [resource = '', ...rest] = url.pathname.slice(root.length).split('/').map(decodeURIComponent);
  const text = await request.text();
  try {
    const [status, value] = await answer(
      request.method,
      resource,
      rest.filter(Boolean),
      url.searchParams,
      text ? JSON.parse(text) : {},
    );
    return new Response(status === 204 ? null : JSON.stringify(value), {
      status,
      headers: { 'Content-Type': 'application/json' },
    });
  } catch (e) {
    const status = e instanceof Refusal ? e.status : 500;
    return new Response(JSON.stringify({ message: (e as Error).message, reason: null }), {
      status,
      headers: { 'Content-Type': 'application/json' },
    });
  }
}

type Answer = [number, unknown];

async function answer(
  method: string,
  resource: string,
  path: string[],
  query: URLSearchParams,
  body: Fields,
): Promise<Answer> {
  switch (resource) {
    case 'kernelspecs':
      return [
        200,
        {
          default: kernelName,
          kernelspecs: {
            [kernelName]: {
              name: kernelName,
              resources: {},
              spec: {
                argv: [],
                env: {},
                display_name: 'Go (Nacre)',
                language: 'go',
                interrupt_mode: 'message',
                metadata: {},
              },
            },
          },
        },
      ];
    case 'kernels':
      return kernels(method, path);
    case 'sessions':
      return sessionsOf(method, path, body);
    case 'runs':
      return [200, await answerRuns(path[0] ?? '', query)];
    case 'contents':
      return contents(method, path, query, body);
  }
  throw new Refusal(404, `There is no api/${resource} without a server.`);
}

async function kernels(method: string, [id = '', action]: string[]): Promise<Answer> {
  const k = kernel(id);
  if (!k) throw new Refusal(404, 'This kernel has ended.');
  if (method === 'GET') return [200, k.model()];
  if (method === 'DELETE') {
    endKernel(id);
    return [204, null];
  }
  if (action === 'interrupt') {
    k.interrupt();
    return [204, null];
  }
  if (action === 'restart') {
    await k.restart();
    return [200, k.model()];
  }
  throw new Refusal(405, `${method} of a kernel is not known.`);
}

function sessionsOf(method: string, [id]: string[], body: Fields): Answer {
  if (method === 'POST') {
    const folder = String(body.path).split('/').slice(0, -1).join('/');
    const session: Session = {
      id: crypto.randomUUID(),
      path: body.path as string,
      name: body.name as string,
      type: body.type as string,
      kernel: startKernel(folder),
    };
    sessions.set(session.id, session);
    return [201, session];
  }
  if (!id) return [200, [...sessions.values()]];
  const session = sessions.get(id);
  if (!session) throw new Refusal(404, 'There is no such session.');
  if (method === 'PATCH') Object.assign(session, { path: body.path ?? session.path, name: body.name ?? session.name });
  if (method === 'DELETE') {
    endKernel(session.kernel.id);
    sessions.delete(id);
    return [204, null];
  }
  return [200, session];
}

// — contents —

/** A folder is what lies below it, or this file, which lists leave out. */
const folderMark = '.folder';
const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

async function contents(method: string, parts: string[], query: URLSearchParams, body: Fields): Promise<Answer> {
  const store = await files();
  const at = parts.lastIndexOf('checkpoints');
  if (at > 0 && parts[at - 1]?.includes('.'))
    return checkpoints(method, parts.slice(0, at).join('/'), at < parts.length - 1, store);
  const path = parts.join('/');
  switch (method) {
    case 'GET':
      await store.refresh();
      return [200, await model(store, path, query.get('content') !== '0', query.get('type'), query.get('format'))];
    case 'PUT': {
      const old = store.get(path);
      const bytes = bytesOf(body, old ? new TextDecoder().decode(await store.read(path)) : '');
      if (body.hash && old && body.hash !== (await hash(store, path)))
        throw new Refusal(409, `${path} was changed in another tab since it was opened here.`);
      await store.write(path, bytes);
      return [old ? 200 : 201, await model(store, path, false, body.type as string, null)];
    }
    case 'POST': {
      const from = body.copy_from as string | undefined;
      const made = from
        ? free(store, path, from.split('/').pop()!)
        : free(
            store,
            path,
            body.type === 'directory'
              ? 'Folder'
              : body.type === 'notebook'
                ? 'Untitled.ipynb'
                : 'untitled' + (body.ext ?? '.txt'),
          );
      if (body.type === 'directory') await store.write(made + '/' + folderMark, new Uint8Array());
      else
        await store.write(
          made,
          from ? await store.read(from) : body.type === 'notebook' ? encoder.encode(emptyNotebook) : new Uint8Array(),
        );
      return [201, await model(store, made, false, null, null)];
    }
    case 'PATCH': {
      const to = String(body.path).replace(/^\/+/, '');
      for (const e of below(store, path)) {
        const target = to + e.path.slice(path.length);
        if (store.get(target)) throw new Refusal(409, `${target} is here already.`);
        await store.write(target, await store.read(e.path));
        await store.remove(e.path);
      }
      return [200, await model(store, to, false, null, null)];
    }
    case 'DELETE':
      for (const e of below(store, path)) await store.remove(e.path);
      return [204, null];
  }
  throw new Refusal(405, `${method} of contents is not known.`);
}

/** The file at path, or every file of the folder. */
function below(store: SiteFiles, path: string) {
  const list = store.list().filter((e) => e.path === path || e.path.startsWith(path + '/'));
  if (!list.length) throw new Refusal(404, `There is no ${path}.`);
  return list;
}

async function model(
  store: SiteFiles,
  path: string,
  content: boolean,
  type: string | null,
  format: string | null,
): Promise<object> {
  const name = path.split('/').pop() ?? '';
  const entry = path ? store.get(path) : null;
  // A folder changed when the newest file below it did.
  const time =
    entry?.time ??
    Math.max(
      0,
      ...store
        .list()
        .filter((e) => e.path.startsWith(path && path + '/'))
        .map((e) => e.time),
    );
  const changed = new Date(time).toISOString();
  const base = {
    name,
    path,
    writable: true,
    created: changed,
    last_modified: changed,
    mimetype: null,
    size: entry?.size ?? null,
    hash: null,
    hash_algorithm: null,
  };
  if (!entry) {
    if (type === 'notebook' || type === 'file' || (path && !store.list().some((e) => e.path.startsWith(path + '/'))))
      throw new Refusal(404, `There is no file ${path} on this site or in this browser.`);
    return {
      ...base,
      type: 'directory',
      format: content ? 'json' : null,
      content: content ? await folder(store, path) : null,
    };
  }
  const kind = type === 'notebook' || (type !== 'file' && name.endsWith('.ipynb')) ? 'notebook' : 'file';
  const full = { ...base, type: kind, hash: await hash(store, path), hash_algorithm: 'sha256' };
  if (!content) return { ...full, format: null, content: null };
  const bytes = await store.read(path);
  if (kind === 'notebook') {
    try {
      return { ...full, format: 'json', content: JSON.parse(decoder.decode(bytes)) };
    } catch (e) {
      throw new Refusal(400, `${path} is no notebook: ${(e as Error).message}`);
    }
  }
  if (format !== 'base64') {
    try {
      return { ...full, format: 'text', content: decoder.decode(bytes) };
    } catch {
      if (format === 'text') throw new Refusal(400, `${path} is not text.`);
    }
  }
  return { ...full, format: 'base64', content: await toBase64(bytes) };
}

async function folder(store: SiteFiles, path: string): Promise<object[]> {
  const prefix = path ? path + '/' : '';
  const names = new Map<string, number>();
  for (const e of store.list()) {
    if (!e.path.startsWith(prefix)) continue;
    const [name = '', ...deeper] = e.path.slice(prefix.length).split('/');
    if (!name.startsWith('.')) names.set(name, Math.max(names.get(name) ?? 0, deeper.length ? 0 : e.time));
  }
  return Promise.all([...names.keys()].sort().map((name) => model(store, prefix + name, false, null, null)));
}

function free(store: SiteFiles, folderPath: string, name: string): string {
  const dot = name.lastIndexOf('.') > 0 ? name.lastIndexOf('.') : name.length;
  for (let i = 0; ; i++) {
    const path = [folderPath, i ? `${name.slice(0, dot)}-${i}${name.slice(dot)}` : name].filter(Boolean).join('/');
    if (!store.get(path) && !store.list().some((e) => e.path.startsWith(path + '/'))) return path;
  }
}

/** The bytes that a save is about; was is the text of the file before. */
function bytesOf(body: Fields, was: string): Uint8Array<ArrayBuffer> {
  if (body.type === 'notebook') return encoder.encode(withNumbersOf(was, inLines(body.content as Json)));
  if (body.format === 'json') return encoder.encode(withNumbersOf(was, body.content));
  if (body.format === 'base64') return fromBase64(body.content as string);
  return encoder.encode(String(body.content ?? ''));
}

/** Of a kept file its SHA-256; of a shipped one what changes with it. */
async function hash(store: SiteFiles, path: string): Promise<string> {
  const entry = store.get(path)!;
  if (!entry.kept) return `shipped-${entry.size}-${entry.time}`;
  const bytes = await store.read(path);
  if (!globalThis.crypto.subtle) return `kept-${bytes.length}-${entry.time}`;
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
    .map((b) => b.toString(16).padStart(2, '0'))
    .join('');
}

// A checkpoint is a hidden copy; without one of the user's own it is the file as the site was built with it.
async function checkpoints(method: string, path: string, restore: boolean, store: SiteFiles): Promise<Answer> {
  const copy = '.checkpoints/' + path;
  const point = (time: number) => ({ id: 'checkpoint', last_modified: new Date(time).toISOString() });
  const shipped = store.shippedTime(path);
  if (method === 'GET')
    return [200, store.get(copy) ? [point(store.get(copy)!.time)] : shipped !== null ? [point(shipped)] : []];
  if (!restore) {
    await store.write(copy, await store.read(path));
    return [201, point(Date.now())];
  }
  if (store.get(copy)) await store.write(path, await store.read(copy));
  else if (shipped !== null) await store.revert(path);
  else throw new Refusal(404, `There is no checkpoint of ${path}.`);
  return [204, null];
}

const emptyNotebook =
  JSON.stringify(
    {
      cells: [],
      metadata: {
        kernelspec: { display_name: 'Go (Nacre)', language: 'go', name: kernelName },
        language_info: { file_extension: '.go', mimetype: 'text/x-go', name: 'go' },
      },
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  ) + '\n';

function toBase64(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(new Blob([bytes]));
  });
}
