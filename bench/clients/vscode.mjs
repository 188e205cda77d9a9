// What VS Code's Jupyter extension (2026.6) does to connect to an existing server, step by step, as its source has it.
// node vscode.mjs URL TOKEN
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const S = require('@jupyterlab/services');
const WebSocket = require('ws');

const [, , base, token] = process.argv;

// It first finds out whether this is a JupyterHub and whether a password is needed.
const hub = await fetch(base + 'hub/api');
assert.notEqual(hub.status, 200);
const home = await fetch(base, { redirect: 'follow' });
assert.match(home.url, /\/login\?/);

// With a password: the login page gives the _xsrf cookie, the form the session's, and that first.
const page = await fetch(base + 'login?');
assert.equal(page.status, 200);
const xsrf = page.headers.getSetCookie().map((c) => /^_xsrf=([^;]+)/.exec(c)?.[1]).find(Boolean);
assert.ok(xsrf);
const login = await fetch(base + 'login?', {
  method: 'POST', redirect: 'manual', body: new URLSearchParams({ _xsrf: xsrf, password: token }), headers: { Cookie: `_xsrf=${xsrf}` },
});
assert.equal(login.status, 302);
const [cookie] = login.headers.getSetCookie()[0].split(';');
const kernels = await fetch(base + 'api/kernels', { headers: { Cookie: `${cookie}; _xsrf=${xsrf}`, 'X-XSRFToken': xsrf } });
assert.equal(kernels.status, 200);

// With a token, as an Authorization header on every request and on the WebSocket.
const headers = { Authorization: `token ${token}` };
class TokenRequest extends Request {
  constructor(input, init) {
    super(input, init);
    for (const k in headers) this.headers.append(k, headers[k]);
    this.headers.set('Content-Type', 'application/json');
    const append = this.headers.append.bind(this.headers);
    this.headers.append = (k, v) => { if (k.toLowerCase() !== 'authorization') append(k, v); };
  }
}
class TokenSocket extends WebSocket {
  constructor(url, protocols) { super(url, protocols, { headers }); }
}
const settings = S.ServerConnection.makeSettings({
  baseUrl: base, wsUrl: base.replace('http', 'ws'), appUrl: '', token, init: { cache: 'no-store', credentials: 'same-origin' },
  fetch, Request: TokenRequest, Headers, WebSocket: TokenSocket, appendToken: true,
});
const specs = new S.KernelSpecManager({ serverSettings: settings });
const kernelManager = new S.KernelManager({ serverSettings: settings });
const sessions = new S.SessionManager({ serverSettings: settings, kernelManager });
await S.KernelAPI.listRunning(settings);
await sessions.ready;
await specs.refreshSpecs();
const name = specs.specs.default;
const session = await sessions.startNew({ path: 'mine-jvsc-8f7d.ipynb', name: 'mine', type: 'notebook', kernel: { name } });
await session.kernel.info;
const future = session.kernel.requestExecute(
  { code: 'import "fmt"\nfmt.Println("from VS Code")', silent: false, stop_on_error: false, allow_stdin: true, store_history: true }, true);
let text = '';
future.onIOPub = (m) => { if (m.header.msg_type === 'stream') text += m.content.text; };
await future.done;
assert.equal(text, 'from VS Code\n');
await session.shutdown();
console.log('VS Code connection sequence: passed');
process.exit(0);
