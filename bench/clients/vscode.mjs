// What VS Code's Jupyter extension (2026.6) does to connect to an existing server, step by step, as its source has it.
// node vscode.mjs URL TOKEN [NOTEBOOK]; it runs the cells of NOTEBOOK, if there is one, and keeps their outputs there.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const S = require('@jupyterlab/services');
const WebSocket = require('ws');

const [, , base, token, file] = process.argv;

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
const execute = async (code, onIOPub) => {
  const future = session.kernel.requestExecute(
    { code, silent: false, stop_on_error: false, allow_stdin: true, store_history: true }, true);
  future.onIOPub = onIOPub;
  await future.done;
};
let text = '';
await execute('import "fmt"\nfmt.Println("from VS Code")', (m) => { if (m.header.msg_type === 'stream') text += m.content.text; });
assert.equal(text, 'from VS Code\n');

// Outputs as the extension's CellExecutionMessageHandler keeps them: clear_output with wait clears at the next output, a
// stream joins the one of its name before it, and an update reaches the displays of earlier cells.
if (file) {
  await session.kernel.restart();
  const notebook = JSON.parse(readFileSync(file, 'utf8'));
  const displays = new Map();
  session.kernel.anyMessage.connect((_, { msg: { header, content } }) => {
    if (header.msg_type !== 'update_display_data') return;
    const { data, metadata, transient } = content;
    for (const output of displays.get(transient.display_id) ?? []) Object.assign(output, { data, metadata });
  });
  for (const cell of notebook.cells.filter((c) => c.cell_type === 'code')) {
    let clear = false;
    cell.outputs = [];
    const add = (output) => {
      if (clear) cell.outputs.length = 0;
      clear = false;
      const last = cell.outputs.at(-1);
      if (output.output_type === 'stream' && last?.output_type === 'stream' && last.name === output.name) last.text += output.text;
      else cell.outputs.push(output);
    };
    await execute([cell.source].flat().join(''), ({ header: { msg_type: output_type }, content }) => {
      const { data, metadata, name, text, ename, evalue, traceback } = content;
      const id = content.transient?.display_id;
      if (output_type === 'stream') add({ output_type, name, text });
      else if (output_type === 'error') add({ output_type, ename, evalue, traceback });
      else if (output_type === 'display_data' || output_type === 'execute_result') {
        const output = { output_type, data, metadata };
        if (id) displays.set(id, [...(displays.get(id) ?? []), output]);
        add(output);
      } else if (output_type === 'clear_output') {
        if (content.wait) clear = true;
        else cell.outputs.length = 0;
      }
    });
  }
  writeFileSync(file, JSON.stringify(notebook));
}
await session.shutdown();
console.log('VS Code connection sequence: passed');
process.exit(0);
