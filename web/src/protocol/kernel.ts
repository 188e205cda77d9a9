// The kernel of one notebook: its session on the server, the connection, and messages given to whoever owns the cell.

import { fields } from '../model/json';
import { type Kernel, KernelAPI, KernelMessage, type Session, SessionAPI } from '@jupyterlab/services';
import { KernelConnection } from '@jupyterlab/services/lib/kernel/default';
import { Signal } from '../dom';
import { settings } from '../config';
import type { Json, MimeBundle } from '../model/nbformat';
import { Deliveries } from './deliveries';

/** Unneeded is before anything asked for a kernel, none after it was shut down. */
export type KernelState =
  | 'unneeded'
  | 'starting'
  | 'idle'
  | 'busy'
  | 'reconnecting'
  | 'disconnected'
  | 'restarting'
  | 'dead'
  | 'none';
/** How long an answer about what is being written may take, in milliseconds. */
const patience = 20_000;

export type Message = KernelMessage.IMessage;
/** Text to be inserted at a code point. */
export interface Edit {
  at: number;
  text: string;
}
export interface CompletionItem {
  text: string;
  type?: string;
  signature?: string;
  insert?: string;
  import?: Edit | null;
}
/** The call at the cursor: its parameters as ranges of code points of the label. */
export interface Signature {
  label: string;
  parameters: [number, number][];
  active: number;
  doc: string;
}
/** An error that a cell would have, at a place as Go's compiler counts. */
export interface Problem {
  line: number;
  column: number;
  message: string;
  import?: Edit;
}
/** A cell as gofmt writes it, or as it was, with what keeps gofmt from it. */
export interface Formatted {
  code: string;
  line?: number;
  column?: number;
  message?: string;
}
/** Where a name is defined: in one of the cells, or, where cell is −1, as the data describe. */
export interface Definition {
  cell: number;
  line: number;
  column: number;
  uses: number;
  data?: MimeBundle;
}
/** What a new name changes: code points of each cell, and what the user should know. */
export interface Renaming {
  name: string;
  edits: { from: number; to: number; text: string }[][];
  notes: string[];
}
/** How a cell stands to what ran: whether it ran, was edited since, and which of the names it read have changed, by controls of its
 *  own only or not, or are to change when the cells called after run. */
export interface Staleness {
  ran: boolean;
  edited: boolean;
  because: string[];
  own: boolean;
  after: string[];
}
/** A name of what cells can import. */
export interface Entry {
  path: string;
  package: string;
  name: string;
  kind: string;
  signature: string;
  doc: string;
  snippet: string;
  import?: Edit | null;
}

/** A message's fields that this server adds to Jupyter's. */
interface Marks {
  cell_id?: string;
  seq?: number;
}

/** The content of a reply: what a request that went well gives. */
type Reply<R> = R & { status: string };

interface Completions {
  matches: string[];
  cursor_start: number;
  cursor_end: number;
  metadata?: { _jupyter_types_experimental?: CompletionItem[] };
}

/** Makes a message that may be of a kind of this kernel's own, which Jupyter's types do not list. */
const ownMessage = KernelMessage.createMessage as unknown as <M extends KernelMessage.IMessage>(options: {
  msgType: string;
  channel: M['channel'];
  username: string;
  session: string;
  content: object;
}) => M;

/** Whether the server says that it has no such kernel. */
const isMissing = (e: unknown) => fields(fields(e).response).status === 404;

export class KernelLink {
  readonly stateChanged = new Signal<KernelState>();
  /** Every iopub and stdin message, and execute replies, with the cell it belongs to where known. */
  readonly message = new Signal<{ message: Message; cell: string | null; seq: number }>();
  /** The connection was there, was lost, and is back: messages may have been missed. */
  readonly reconnected = new Signal();
  /** The server was started again, and the kernel ended with it. */
  readonly lost = new Signal();
  /** A new process: nothing of the old state is left. Says why where the old one ended unasked. */
  readonly restarted = new Signal<string>();
  state: KernelState = 'unneeded';
  /** Why the kernel ended, where the server said so. */
  deathNote = '';
  displayName = 'Go';
  /** What runs the cells, and why that is not what would run them best; empty until the kernel has said so. */
  engine = '';
  engineNote = '';
  private session: Session.IModel | null = null;
  private connection: Kernel.IKernelConnection | null = null;
  private readonly cellOf = new Map<string, string>();
  /**
   * Cells sent of which nothing has come back, and answers to a question, by the request they belong to: a connection may
   * have broken off before it took them along, so they are sent once more when it is back. The server takes each once.
   */
  private readonly unconfirmed = new Map<string, KernelMessage.IShellMessage>();
  private readonly answers = new Map<string, { value: string; question: KernelMessage.IInputRequestMsg }>();
  private wasConnected = false;
  private deliveries = new Deliveries();
  /**
   * The first message has come, so that the server sends all that follow. What it sent before is in the document, if
   * that is fetched now and no earlier.
   */
  private heard: Promise<void> = Promise.resolve();
  private hear: () => void = () => undefined;

  constructor(
    private path: string,
    private readonly kernelName: string,
  ) {}

  get id(): string {
    return this.session?.kernel?.id ?? '';
  }

  /** Starts the notebook's kernel, or joins the one that is running. */
  async start(): Promise<void> {
    this.setState('starting');
    this.session = await SessionAPI.startSession(
      { path: this.path, name: this.path.split('/').pop()!, type: 'notebook', kernel: { name: this.kernelName } },
      settings,
    );
    this.connect(this.session.kernel!);
    // A kernel that ended before this page came says so to nobody any more.
    if ((this.session.kernel!.execution_state as string) === 'dead') this.setState('dead');
    else await this.heard;
  }

  /** Tells the server that the notebook has another name. */
  async renamed(path: string): Promise<void> {
    this.path = path;
    if (this.session)
      await SessionAPI.updateSession({ id: this.session.id, path, name: path.split('/').pop()! }, settings);
  }

  async interrupt(): Promise<void> {
    if (this.id) await KernelAPI.interruptKernel(this.id, settings);
  }

  /** Restarts the kernel; a dead one, or one the server no longer knows, is replaced. */
  async restart(): Promise<void> {
    this.setState('restarting');
    this.drop();
    try {
      await KernelAPI.restartKernel(this.id, settings);
      this.connect(this.session!.kernel!);
    } catch (e) {
      if (!isMissing(e)) {
        this.setState('dead');
        throw e;
      }
      await this.start();
    }
    this.restarted.emit('');
  }

  async shutdown(): Promise<void> {
    const id = this.session?.id;
    this.drop();
    this.session = null;
    this.setState('none');
    if (id) await SessionAPI.shutdownSession(id, settings);
  }

  /** Tries at once to connect again. */
  async reconnect(): Promise<void> {
    if (this.connection && !this.connection.isDisposed) await this.connection.reconnect();
    else await this.start();
  }

  /**
   * Asks the kernel to run a cell, which had such controls. Outputs and the reply come as messages. If the cell fails,
   * those that wait do not run, nor do those of the same run that are sent later, unless it may fail.
   */
  execute(cell: string, code: string, how: { controls: Record<string, Json>; mayFail: boolean; run: string }): void {
    const { username, clientId: session } = this.live();
    const message = KernelMessage.createMessage({
      msgType: 'execute_request',
      channel: 'shell',
      username,
      session,
      metadata: { cellId: cell, controls: how.controls, run: how.run },
      content: {
        code,
        silent: false,
        store_history: true,
        user_expressions: {},
        stop_on_error: !how.mayFail,
        allow_stdin: true,
      },
    });
    this.cellOf.set(message.header.msg_id, cell);
    this.unconfirmed.set(message.header.msg_id, message);
    this.send(message);
  }

  answer(question: KernelMessage.IInputRequestMsg, value: string): void {
    this.answers.set(fields(question.parent_header).msg_id as string, { value, question });
    this.reply(value, question);
  }

  /** Whether a cell was sent and nothing has come back yet. */
  sending(cell: string): boolean {
    return [...this.unconfirmed.keys()].some((id) => this.cellOf.get(id) === cell);
  }

  /** Sends a cell; while there is no connection it waits with the others for the next. */
  private send(message: KernelMessage.IShellMessage): void {
    const live = this.live();
    // The connection gives up on its futures when the kernel restarts or dies; the page learns that from the state.
    if (live.connectionStatus === 'connected') live.sendShellMessage(message, true, true).done.catch(() => undefined);
  }

  private reply(value: string, question: KernelMessage.IInputRequestMsg): void {
    const live = this.live();
    if (live.connectionStatus === 'connected') live.sendInputReply({ status: 'ok', value }, question.header as never);
  }

  /** Completes a cell; above are those over it that did not run as they are, here and below. */
  async complete(
    code: string,
    cursor: number,
    above: string[],
  ): Promise<{ start: number; end: number; items: CompletionItem[] }> {
    const content = await this.shell<Completions>('complete_request', { code, cursor_pos: cursor, above });
    if (content?.status !== 'ok') return { start: cursor, end: cursor, items: [] };
    const typed = content.metadata?._jupyter_types_experimental;
    const items: CompletionItem[] =
      Array.isArray(typed) && typed.length ? typed : content.matches.map((text) => ({ text }));
    return { start: content.cursor_start, end: content.cursor_end, items };
  }

  async inspect(code: string, cursor: number, detail: 0 | 1, above: string[]): Promise<MimeBundle | null> {
    const content = await this.shell<{ found: boolean; data: MimeBundle }>('inspect_request', {
      code,
      cursor_pos: cursor,
      detail_level: detail,
      above,
    });
    return content?.status === 'ok' && content.found ? content.data : null;
  }

  async signature(code: string, cursor: number, above: string[]): Promise<Signature | null> {
    const content = await this.shell<Signature>('signature_request', { code, cursor_pos: cursor, above });
    return content?.status === 'ok' && content.label ? content : null;
  }

  /** The problems of each cell; null where the kernel does not tell. */
  async problems(cells: { code: string; ran: boolean }[]): Promise<Problem[][] | null> {
    const content = await this.shell<{ cells: Problem[][] }>('problems_request', { cells });
    return content?.status === 'ok' ? content.cells : null;
  }

  /** Cells as gofmt writes them; null where the kernel does not format. */
  async format(cells: string[]): Promise<Formatted[] | null> {
    const content = await this.shell<{ cells: Formatted[] }>('format_request', { cells });
    return content?.status === 'ok' ? content.cells : null;
  }

  /** Where the name at a cursor of a cell is defined; null where the kernel does not tell. */
  async definition(cells: string[], cell: number, cursor: number): Promise<Definition | null> {
    const content = await this.shell<Definition>('definition_request', { cells, cell, cursor_pos: cursor });
    return content?.status === 'ok' ? content : null;
  }

  /** What a new name for the one at a cursor changes; '' keeps the name. Throws why the name cannot be changed so. */
  async rename(cells: string[], cell: number, cursor: number, name: string): Promise<Renaming> {
    const content = await this.shell<Renaming & { evalue?: string }>('rename_request', {
      cells,
      cell,
      cursor_pos: cursor,
      name,
    });
    if (content?.status !== 'ok') throw new Error(content?.evalue ?? 'the kernel does not rename.');
    return content;
  }

  /** How cells stand to what ran; null where the kernel does not tell. It starts no kernel. */
  async stale(cells: { id: string; code: string }[]): Promise<Staleness[] | null> {
    const content = await this.shell<{ cells: Staleness[] }>('stale_request', { cells });
    return content?.status === 'ok' ? content.cells : null;
  }

  /** Moves a control, when no cell runs. Says what is wrong, '' for nothing; null where no kernel has it. */
  async move(id: string, value: unknown): Promise<string | null> {
    const there = () => this.state === 'idle' || this.state === 'busy';
    let off: () => void = () => undefined;
    const lost = new Promise<null>((done) => {
      off = this.stateChanged.on(() => {
        if (!there()) done(null);
      });
    });
    const content = there()
      ? await Promise.race([
          this.shell<{ ename?: string; evalue?: string }>('control_request', { id, value }, 0).catch(() => null),
          lost,
        ])
      : null;
    off();
    if (content)
      return content.status === 'ok'
        ? ''
        : content.ename === 'NoControl'
          ? null
          : String(content.evalue).replace(/^display: /, '');
    return this.state === 'reconnecting' || this.state === 'disconnected'
      ? 'The connection to the kernel is lost: move it again when it is back.'
      : null;
  }

  /** Looks for names in what cells can import, and tells what a cell below others has to import to use them. */
  async search(words: string, code: string, above: string[]): Promise<Entry[]> {
    const content = await this.shell<{ entries: Entry[] }>('search_request', { words, code, above });
    return content?.status === 'ok' ? content.entries : [];
  }

  private starting: Promise<void> | null = null;

  /** Whether cells can be sent at once, as far as starting goes. */
  get ready(): boolean {
    return this.starting === null && this.state !== 'unneeded';
  }

  /** Starts the kernel if nothing needed it before; one that was ended stays so. */
  async needed(): Promise<void> {
    if (this.state === 'unneeded')
      this.starting = this.begin().finally(() => {
        this.starting = null;
      });
    await this.starting;
  }

  private async begin(): Promise<void> {
    this.setState('starting');
    try {
      const joins = await this.exists();
      await this.start();
      if (joins) this.reconnected.emit(); // another page has started it since this one was opened
    } catch (e) {
      this.setState('unneeded');
      throw e;
    }
  }

  /** Whether the server runs this notebook's kernel already. */
  async exists(): Promise<boolean> {
    return (await SessionAPI.listRunning(settings)).some((s) => s.path === this.path);
  }

  /** Sends a request on the shell channel, beside running cells, and waits for the reply's content, so many milliseconds; 0 is as long as it takes. */
  private async shell<R>(type: string, content: object, within = patience): Promise<Reply<R> | undefined> {
    await this.needed();
    const live = this.live();
    const message = ownMessage<KernelMessage.IShellMessage>({
      msgType: type,
      channel: 'shell',
      username: live.username,
      session: live.clientId,
      content,
    });
    const { done } = live.sendShellMessage(message, true, true);
    if (!within) return (await done)?.content as Reply<R> | undefined;
    // A reply that a broken connection lost never comes.
    const late = new Promise<never>((_, fail) =>
      setTimeout(() => fail(new Error('The kernel did not answer.')), within),
    );
    return (await Promise.race([done, late]))?.content as Reply<R> | undefined;
  }

  /** Sends a request on the control channel, where a busy kernel answers too. */
  async control<R>(type: string, content: object): Promise<Reply<R> | undefined> {
    if (this.state === 'unneeded') throw new Error('No kernel runs yet: the first cell that runs starts it.');
    const live = this.live();
    const message = ownMessage<KernelMessage.IControlMessage>({
      msgType: type,
      channel: 'control',
      username: live.username,
      session: live.clientId,
      content,
    });
    const reply = await live.sendControlMessage(message, true, true).done;
    return reply?.content as Reply<R> | undefined;
  }

  private live(): Kernel.IKernelConnection {
    if (!this.connection || this.connection.isDisposed) throw new Error('No kernel is running. Restart it to go on.');
    return this.connection;
  }

  private drop(): void {
    this.connection?.dispose();
    this.connection = null;
    this.wasConnected = false;
    this.cellOf.clear();
    this.unconfirmed.clear();
    this.answers.clear();
  }

  private connect(model: Kernel.IModel): void {
    this.drop();
    this.deathNote = '';
    // Whoever comes back says which message was the last, so that the server sends what follows it.
    const deliveries = (this.deliveries = new Deliveries());
    class Socket extends settings.WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        deliveries.connecting();
        super(deliveries.after ? `${url}&after=${deliveries.after}` : url, protocols);
      }
    }
    const connection = new KernelConnection({
      model,
      serverSettings: { ...settings, WebSocket: Socket },
      handleComms: false,
    });
    this.connection = connection;
    this.heard = new Promise((done) => {
      this.hear = done;
      setTimeout(done, 5000);
    });
    connection.anyMessage.connect((_, { msg, direction }) => {
      if (direction === 'recv') this.receive(msg);
    });
    connection.statusChanged.connect((_, status) => this.status(status));
    connection.connectionStatusChanged.connect((_, status) => this.connectionStatus(status));
    connection.info.then(
      (info) => {
        const { engine, engine_note: note } = info as unknown as { engine?: string; engine_note?: string };
        if (this.connection !== connection) return;
        this.engine = engine ?? '';
        this.engineNote = note ?? '';
        this.stateChanged.emit(this.state);
      },
      () => undefined,
    ); // a connection that ends before it answers
  }

  /** A cell of this notebook was running already when the page came. */
  noteRunning(): void {
    if (this.state === 'idle' || this.state === 'starting') this.setState('busy');
  }

  private status(status: Kernel.Status): void {
    if (status === 'dead') this.setState('dead');
    else if (this.state === 'dead') return;
    else if (status === 'restarting' || status === 'autorestarting') {
      this.setState('restarting');
      if (status === 'autorestarting') this.restarted.emit(this.deathNote || 'it stopped');
    }
  }

  /** Busy means that a cell runs: completions and the like keep the kernel busy for a moment too. */
  private activity(state: string, parentType: string | undefined): void {
    if (this.state === 'dead') return;
    if (parentType === 'execute_request' && (state === 'busy' || state === 'idle')) this.setState(state);
    else if (state === 'idle' && this.state !== 'busy') this.setState('idle');
    else if (state === 'starting') this.setState('starting');
  }

  private connectionStatus(status: Kernel.ConnectionStatus): void {
    if (this.state === 'dead') return;
    if (status === 'connected') {
      this.unconfirmed.forEach((message) => this.send(message));
      this.answers.forEach(({ value, question }) => this.reply(value, question));
      if (this.wasConnected) this.reconnected.emit();
      this.wasConnected = true;
      if (this.state === 'reconnecting' || this.state === 'disconnected') this.setState('idle');
    } else if (status === 'connecting' && this.state !== 'restarting') {
      // Never said of the first attempt: this one follows a failure.
      this.setState('reconnecting');
    } else if (status === 'disconnected') this.setState('disconnected');
  }

  /** The server answers again: joins the kernel, if it is still there. The library would try again for minutes. */
  async recover(): Promise<void> {
    const { connection } = this;
    if (!this.session || !connection) return;
    const model = await KernelAPI.getKernelModel(this.id, settings);
    if (!model || (model.execution_state as string) === 'dead') this.setState('dead');
    else if (connection.connectionStatus !== 'connected' && connection === this.connection)
      await connection.reconnect();
  }

  /** The server was started again: whatever kernel there was is no more. The next cell starts one. */
  forget(): void {
    if (!this.session) return;
    this.drop();
    this.session = null;
    this.lost.emit();
    this.setState('unneeded');
  }

  /** Says up to where messages came, so that the server sends what follows once more. */
  private askAgain(): void {
    if (!this.deliveries.ask() || !this.connection || this.connection.isDisposed) return;
    const { username, clientId: session } = this.connection;
    const message = ownMessage<KernelMessage.IControlMessage>({
      msgType: 'nacre_again',
      channel: 'control',
      username,
      session,
      content: { after: this.deliveries.after },
    });
    this.connection.sendControlMessage(message, false, true).dispose();
  }

  private receive(message: Message): void {
    this.hear();
    const parent = fields(message.parent_header).msg_id as string | undefined;
    const marks = (message.metadata ?? {}) as Marks;
    if (parent) this.confirm(parent, message);
    const place = this.deliveries.take(marks.seq ?? 0);
    if (place === 'gap') this.askAgain();
    if (place !== 'next') return;
    if ((message.header.msg_type as string) === 'nacre_resync')
      this.deliveries.skip(fields(message.content).seq as number);
    if (message.header.msg_type === 'status') {
      const { execution_state: state, reason } = fields(message.content) as {
        execution_state: string;
        reason?: string;
      };
      if (state === 'dead' || state === 'restarting') this.deathNote = reason ?? '';
      this.activity(state, fields(message.parent_header).msg_type as string);
    }
    const cell = marks.cell_id ?? (parent ? this.cellOf.get(parent) : undefined) ?? null;
    if (cell && parent) this.cellOf.set(parent, cell);
    if (message.channel === 'iopub' || message.channel === 'stdin' || message.header.msg_type === 'execute_reply') {
      this.message.emit({ message, cell, seq: marks.seq ?? 0 });
    }
  }

  /** A message that a request led to: it has arrived, and another question or its end says the same of an answer. */
  private confirm(request: string, message: Message): void {
    this.unconfirmed.delete(request);
    const over = message.header.msg_type === 'status' && fields(message.content).execution_state === 'idle';
    const asked =
      message.header.msg_type === 'input_request' &&
      message.header.msg_id !== this.answers.get(request)?.question.header.msg_id;
    if (over || asked) this.answers.delete(request);
  }

  private setState(state: KernelState): void {
    if (state === this.state) return;
    this.state = state;
    this.stateChanged.emit(state);
  }
}
