// The proof of this page's login. A browser sends the cookie of 127.0.0.1 to every port of it; the proof is known to this
// page's origin alone, port included, and the server asks for it with everything that is not the same for everybody.

import { base } from '../base';

// Servers at several paths of one proxy have one storage.
const stored = 'nacre.proof' + (base === '/' ? '' : base);

/** Takes the proof out of the address, where the server puts it after a login: what follows # is sent to nobody. */
export function takeProof(): void {
  const found = /^#proof=([0-9a-f]+)\.([0-9a-f]+)$/i.exec(location.hash);
  if (!found) return;
  keepProof({ proof: found[1]!, files: found[2]! });
  history.replaceState(history.state, '', location.pathname + location.search);
}

/** Keeps the proof of a login, for all tabs. */
export function keepProof({ proof, files }: { proof: string; files: string }): void {
  localStorage.setItem(stored, `${proof}.${files}`);
}

// Another tab may have logged in since: what is stored counts.
const part = (i: number): string => (localStorage.getItem(stored) ?? '').split('.')[i] ?? '';

export const hasProof = (): boolean => part(0) !== '';

/** A request with the proof, where there is one. */
export function provenFetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  if (hasProof()) request.headers.set('X-XSRFToken', part(0));
  return fetch(request);
}

/** The address of a WebSocket, which has no headers, with the proof. */
export const provenSocket = (url: string | URL): string =>
  `${url}${String(url).includes('?') ? '&' : '?'}proof=${part(0)}`;

/** What the address of a file ends with: a value that is good for files only, since a file that is a page can read it. */
export const fileKey = (): string => `?key=${part(1)}`;
