// @jupyterlab/services, the protocol layer of JupyterLab and VS Code, against `nacre notebook`.
// node services.mjs URL TOKEN
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const S = require('@jupyterlab/services');
const WebSocket = require('ws');

const [, , base, token] = process.argv;
const settings = S.ServerConnection.makeSettings({
  baseUrl: base, wsUrl: base.replace('http', 'ws'), appUrl: '', token, fetch, Request, Headers, WebSocket, appendToken: true,
});
const kernels = new S.KernelManager({ serverSettings: settings });
const sessions = new S.SessionManager({ serverSettings: settings, kernelManager: kernels });
const specs = new S.KernelSpecManager({ serverSettings: settings });
const contents = new S.ContentsManager({ serverSettings: settings });
await Promise.all([specs.ready, sessions.ready, kernels.ready]);
assert.equal(specs.specs.default, 'nacre');

const passed = [], failed = [];
const check = async (name, f) => {
  try { await f(); passed.push(name); } catch (e) { failed.push(name); console.log(`  ${name}: ${e.message}`); }
};
const path = 'services-' + process.pid + '.ipynb';

await check('contents', async () => {
  const made = await contents.newUntitled({ type: 'notebook' });
  const renamed = await contents.rename(made.path, path);
  assert.equal(renamed.path, path);
  const model = await contents.get(path, { content: true, hash: true });
  model.content.cells.push({ cell_type: 'code', id: 'a', source: '1', metadata: {}, outputs: [], execution_count: null });
  const saved = await contents.save(path, { type: 'notebook', format: 'json', content: model.content });
  assert.notEqual(saved.hash, model.hash);
  const kept = await contents.createCheckpoint(path);
  assert.equal((await contents.listCheckpoints(path))[0].id, kept.id);
  await contents.restoreCheckpoint(path, kept.id);
  await contents.deleteCheckpoint(path, kept.id);
  const copied = await contents.copy(path, '');
  await contents.delete(copied.path);
  assert.ok((await contents.get('', { content: true })).content.some((m) => m.path === path));
});

const session = await sessions.startNew({ path, name: path, type: 'notebook', kernel: { name: 'nacre' } });
const kernel = session.kernel;
const run = async (code, options = {}) => {
  const future = kernel.requestExecute({ code, allow_stdin: true, ...options }, false, { cellId: 'a' });
  const messages = [];
  future.onIOPub = (m) => messages.push(m);
  future.onStdin = (m) => kernel.sendInputReply({ status: 'ok', value: 'ans' }, m.header);
  const reply = await future.done;
  return { reply: reply.content, messages, text: messages.filter((m) => m.header.msg_type === 'stream').map((m) => m.content.text).join('') };
};

await check('kernel info', async () => assert.equal((await kernel.info).language_info.name, 'go'));
await check('execute', async () => {
  const r = await run('import "fmt"\nfmt.Println("hi")\n6*7');
  assert.equal(r.text, 'hi\n');
  assert.equal(r.messages.find((m) => m.header.msg_type === 'execute_result').content.data['text/plain'], '42');
  assert.deepEqual(r.messages[0].content, { execution_state: 'busy' });
});
await check('error', async () => {
  const r = await run('panic("x")');
  assert.equal(r.reply.status, 'error');
  assert.ok(r.messages.some((m) => m.header.msg_type === 'error'));
});
await check('stop on error', async () => {
  const first = kernel.requestExecute({ code: 'import "time"\ntime.Sleep(300*time.Millisecond)\npanic("x")', stop_on_error: true });
  const second = kernel.requestExecute({ code: '1' });
  assert.equal((await first.done).content.status, 'error');
  assert.equal((await second.done).content.status, 'aborted');
});
await check('complete', async () => {
  const { content } = await kernel.requestComplete({ code: 'fmt.Printl', cursor_pos: 10 });
  assert.ok(content.matches.some((m) => m.endsWith('Println')), JSON.stringify(content));
});
await check('inspect', async () => {
  const { content } = await kernel.requestInspect({ code: 'fmt.Println', cursor_pos: 8, detail_level: 0 });
  assert.ok(content.found && /Println/.test(content.data['text/plain']), JSON.stringify(content));
});
await check('is complete', async () => {
  assert.equal((await kernel.requestIsComplete({ code: 'if true {' })).content.status, 'incomplete');
});
await check('history', async () => {
  const { content } = await kernel.requestHistory({ hist_access_type: 'tail', n: 1, output: false, raw: true });
  assert.equal(content.history.length, 1);
});
await check('variables while busy', async () => {
  const busy = kernel.requestExecute({ code: 'v := 5\nfor {}' });
  await new Promise((r) => setTimeout(r, 500));
  const message = S.KernelMessage.createMessage({ msgType: 'variables_request', channel: 'shell', session: kernel.clientId, username: '', content: {} });
  const reply = await kernel.sendShellMessage(message, true, true).done;
  assert.ok(Array.isArray(reply.content.variables));
  const began = Date.now();
  await kernel.interrupt();
  assert.equal((await busy.done).content.ename, 'Interrupted');
  console.log(`  interrupt of an endless loop: ${Date.now() - began} ms`);
});
await check('reconnect', async () => {
  const future = kernel.requestExecute({ code: 'import "time"\nfor i := range 10 { fmt.Println(i); time.Sleep(50*time.Millisecond) }' });
  let text = '';
  future.onIOPub = (m) => { if (m.header.msg_type === 'stream') text += m.content.text; };
  await new Promise((r) => setTimeout(r, 200));
  await kernel.reconnect();
  await future.done;
  assert.equal(text, [...Array(10).keys()].join('\n') + '\n');
});
await check('restart', async () => {
  await run('z := 1');
  await kernel.restart();
  assert.equal((await run('z')).reply.status, 'error');
});
await check('a kernel that ends by itself', async () => {
  const states = [];
  kernel.statusChanged.connect((_, s) => states.push(s));
  const pid = Number((await run('import ("fmt"; "os")\nfmt.Print(os.Getpid())')).text);
  const future = kernel.requestExecute({ code: 'for {}' });
  setTimeout(() => process.kill(pid, 'SIGKILL'), 300);
  let death = '';
  future.onIOPub = (m) => { if (m.header.msg_type === 'error') death = m.content.evalue; };
  await future.done.catch(() => {});
  for (let i = 0; i < 100 && !states.includes('autorestarting'); i++) await new Promise((r) => setTimeout(r, 50));
  assert.match(death, /killed/);
  assert.ok(states.includes('autorestarting'), states.join());
  assert.equal((await run('1')).reply.status, 'ok');
});
await check('sessions', async () => {
  await session.setPath('renamed-' + path);
  await sessions.refreshRunning();
  assert.ok([...sessions.running()].some((s) => s.path === 'renamed-' + path));
  await session.shutdown();
});
await contents.delete(path);
console.log(`@jupyterlab/services: ${passed.length} passed: ${passed.join(', ')}`);
if (failed.length) console.log(`${failed.length} failed: ${failed.join(', ')}`);
process.exit(failed.length ? 1 : 0);
