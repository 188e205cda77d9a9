// Requests to the server, or on a static site to the page itself.

import { base } from '../address';
import { isSite } from '../site/about';
import { provenFetch } from './proof';

/** A request the server refused; message is the server's sentence. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** One word of the server's for what clients act on, such as conflict. */
    readonly reason = '',
  ) {
    super(message);
  }
}

/** Whether the server does not know this page's login, or not any more. */
export const isLocked = (e: unknown) => e instanceof ServerError && e.status === 403 && e.reason === 'login';

/** The server did not answer at all. */
export class Unreachable extends Error {
  constructor() {
    super('The server does not answer. Is it still running?');
  }
}

/** The answer to a request, whatever it is, for a path below the server's. */
export async function answer(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  // What answers on a static site is more than most pages need.
  const send = isSite ? (await import('../site/api')).siteFetch : provenFetch;
  let response: Response;
  try {
    response = await send(location.origin + base + path, {
      method,
      cache: 'no-store',
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new Unreachable();
  }
  if (response.ok) return response;
  let value: { message?: string; reason?: string } | null = null;
  try {
    value = (await response.json()) as { message?: string; reason?: string };
  } catch {
    /* an error page of a proxy, say */
  }
  throw new ServerError(
    response.status,
    value?.message || `The server answered ${response.status} ${response.statusText}.`,
    value?.reason,
  );
}

export async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const text = await (await answer(method, path, body)).text();
  let value: unknown = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    /* no JSON */
  }
  return value as T;
}
