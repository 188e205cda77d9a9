// Where the server is.

import { ServerConnection } from '@jupyterlab/services';
import { base } from './address';
import { provenFetch, provenSocket } from './protocol/proof';
import { isSite } from './site/about';
import { SiteSocket } from './site/kernels';

export * from './address';

// Most pages have a server.
const siteFetch: typeof fetch = async (input, init) => (await import('./site/api')).siteFetch(input, init);

class ProvenSocket extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(provenSocket(url), protocols);
  }
}

/**
 * The server's settings: same origin, cookie, and the proof that goes with it. This is the one place that knows who
 * answers: on a static site the page itself does, and its kernels are workers.
 */
export const settings = ServerConnection.makeSettings({
  baseUrl: location.origin + base,
  wsUrl: location.origin.replace(/^http/, 'ws') + base,
  appendToken: false,
  ...(isSite
    ? { fetch: siteFetch, WebSocket: SiteSocket as unknown as typeof WebSocket }
    : { fetch: provenFetch, WebSocket: ProvenSocket }),
});
