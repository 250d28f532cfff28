import { type Signal, signal } from '@preact/signals';
import { RpcError } from '@svc/client';
import type { Server } from '../../frame/index.ts';
import { errorText } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { addressForAgents, fontSize } from './settings.ts';
import { randomUuid } from './uuid.ts';
import type { Screen } from './xterm.ts';

/** Where one terminal stands. */
export type ShellState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'open' }
  /** `never`: the machine did not come, so the address that it was given may be wrong. */
  | { readonly kind: 'ended'; readonly why: string; readonly never: boolean; readonly at: number };

/** A credential for addresses: it ends with the page, and can be ended before. */
export type Pass = () => Promise<string>;

interface Options {
  readonly server: Server;
  readonly uuid: string;
  readonly pass: Pass;
}

/** Output that waits to be drawn; beyond it the oldest that has not been handed over is left out. */
const MOST_WAITING = 16 * 2 ** 20;

/** Keys that are kept until the shell is there. */
const MOST_AHEAD = 1_000;

/** A shell on a machine: the task that starts it, the socket to it, and the screen that shows it. */
export class Shell {
  readonly id = randomUuid();
  readonly uuid: string;
  readonly state: Signal<ShellState> = signal({ kind: 'starting' });
  /** What the shell or its program calls itself. */
  readonly title = signal('');
  /** The screen, once its chunk has come. */
  readonly screen = signal<Screen | undefined>();
  /** Where the screen is drawn; it moves into the page and out of it. */
  readonly element = document.createElement('div');
  readonly #options: Options;
  #socket: WebSocket | undefined;
  #waiting = 0;
  /** How a line begins before anything is typed. */
  #prompt: string | undefined;
  #hasBrackets = false;
  /** What was typed before the shell was there. */
  #ahead: Uint8Array<ArrayBuffer>[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.uuid = options.uuid;
    this.element.className = 'terminal-screen';
  }

  /** Starts a shell; the screen keeps what an earlier one has shown. Failures are in `state`. */
  async start(): Promise<void> {
    this.state.value = { kind: 'starting' };
    try {
      const screen = this.screen.value ?? (await this.#draw());
      this.screen.value = screen;
      const { server, uuid, pass } = this.#options;
      const terminal_id = randomUuid();
      const url = addressForAgents(server);
      const [credential] = await Promise.all([
        pass(),
        server.call('task_create_task', {
          target_uuid: uuid,
          task_type: { web_shell: { url, terminal_id } },
        }),
      ]);
      this.#connect(screen, { agent_uuid: uuid, terminal_id, token: credential });
    } catch (error) {
      this.#end(errorText(error), false);
    }
  }

  /** True where closing would end a program. Shells say where their prompt is; others are known by how their lines begin. */
  get isBusy(): boolean {
    const terminal = this.screen.value?.terminal;
    if (!terminal || this.state.value.kind !== 'open' || this.#prompt === undefined) return false;
    if (terminal.buffer.active.type === 'alternate') return true;
    if (this.#hasBrackets) return !terminal.modes.bracketedPasteMode;
    return this.#line() !== this.#prompt;
  }

  type(text: string): void {
    this.screen.value?.terminal.input(text);
  }

  /** Ends the shell, and with it what runs there. */
  close(): void {
    this.#socket?.close(1000);
    this.#socket = undefined;
    this.screen.value?.terminal.dispose();
    this.element.remove();
  }

  async #draw(): Promise<Screen> {
    const { createScreen } = await import('./xterm.ts');
    const screen = createScreen(fontSize.value);
    const { terminal } = screen;
    terminal.onData((text) => this.#send(new TextEncoder().encode(text)));
    terminal.onBinary((text) => this.#send(Uint8Array.from(text, (one) => one.charCodeAt(0))));
    terminal.onResize(({ cols, rows }) => this.#resize(cols, rows));
    terminal.onTitleChange((title) => {
      this.title.value = title;
    });
    return screen;
  }

  #connect({ terminal }: Screen, query: Record<string, string>): void {
    const { server } = this.#options;
    const address = `${server.origin.replace(/^http/, 'ws')}/terminal`;
    const socket = new WebSocket(`${address}?${new URLSearchParams(query)}`);
    this.#socket = socket;
    this.#prompt = undefined;
    this.#hasBrackets = false;
    socket.binaryType = 'arraybuffer';
    let refusal: string | undefined;
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (socket !== this.#socket) return;
      if (typeof data === 'string') refusal = refusalOf(data) ?? refusal;
      else this.#show(data);
    };
    socket.onopen = () => this.#resize(terminal.cols, terminal.rows);
    socket.onclose = ({ code }) => {
      if (socket !== this.#socket) return;
      const never = this.state.value.kind === 'starting';
      this.#end(refusal ?? t.terminal.closed(code), never && refusal !== undefined);
    };
  }

  #show(data: ArrayBuffer): void {
    const terminal = this.screen.value?.terminal;
    if (!terminal) return;
    if (this.state.value.kind === 'starting') {
      this.state.value = { kind: 'open' };
      // Before the machine was there nobody kept the size.
      this.#resize(terminal.cols, terminal.rows);
    }
    if (this.#waiting > MOST_WAITING) return;
    this.#waiting += data.byteLength;
    terminal.write(new Uint8Array(data), () => {
      this.#waiting -= data.byteLength;
      this.#hasBrackets ||= terminal.modes.bracketedPasteMode;
      for (const bytes of this.#ahead.splice(0)) this.#deliver(bytes);
    });
  }

  #send(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.state.value.kind === 'open' && this.#ahead.length === 0) this.#deliver(bytes);
    else if (this.state.value.kind !== 'ended' && this.#ahead.length < MOST_AHEAD)
      this.#ahead.push(bytes);
  }

  #deliver(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#prompt ??= this.#line();
    // Binary: a text that looks like a change of size would be taken for one.
    this.#socket.send(bytes);
  }

  #resize(cols: number, rows: number): void {
    if (this.#socket?.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ type: 'resize', cols, rows }));
  }

  /** The line of the cursor, up to it. */
  #line(): string {
    const buffer = this.screen.value?.terminal.buffer.active;
    const line = buffer?.getLine(buffer.baseY + buffer.cursorY);
    return line?.translateToString(false, 0, buffer?.cursorX) ?? '';
  }

  #end(why: string, never: boolean): void {
    this.#socket = undefined;
    this.#ahead = [];
    this.state.value = { kind: 'ended', why, never, at: Date.now() };
  }
}

/** The server's words where it refuses (terminal.md §4). */
function refusalOf(text: string): string | undefined {
  try {
    const { error_message } = JSON.parse(text) as { error_message?: unknown };
    return typeof error_message === 'string' ? error_message : undefined;
  } catch {
    // No message of the server: a machine does not send text.
    return undefined;
  }
}

/** One session for the terminals of a page: what stands in an address is no password and ends with them. */
export function passes(server: Server): { readonly pass: Pass; readonly end: () => void } {
  let made: Promise<{ readonly key: string; readonly secret: string } | undefined> | undefined;
  return {
    async pass() {
      made ??= server
        .call('session_create', { name: t.terminal.session, hours: 24 })
        .catch((error) => {
          made = undefined;
          // A server without sessions knows no other way.
          if (error instanceof RpcError && error.code === -32601) return undefined;
          throw error;
        });
      const session = await made;
      return session ? `${session.key}:${session.secret}` : server.credential();
    },
    end() {
      const ending = made;
      made = undefined;
      void ending
        ?.then((session) => session && server.call('session_revoke', { key: session.key }))
        // It ends by itself.
        .catch((error: unknown) => console.info('session of the terminals', error));
    },
  };
}
