import { type Signal, signal } from '@preact/signals';
import type { Server } from '../../frame/index.ts';
import { mayOpen } from '../../parts/task-rights.ts';
import { t } from '../../strings/index.ts';
import { type Ending, endingOf, neverOpened, passFor } from './opening.ts';
import { addressForAgents, fontSize } from './settings.ts';
import { randomUuid } from './uuid.ts';
import type { Screen } from './xterm.ts';

/** State of one terminal. */
export type ShellState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'open' }
  | ({ readonly kind: 'ended'; readonly at: number } & Ending);

/** Output that waits to be drawn; beyond it the oldest that has not been handed over is left out. */
const MOST_WAITING = 16 * 2 ** 20;

const ALSO_FINE = '(any-pointer: fine)';
/** Close code of a shell that has ended (terminal.md §7). */
const NORMAL = 1000;

/** Keys that wait until the shell is there. */
const MOST_AHEAD = 1_000;

/** A shell on a machine: the task that starts it, the socket to it, and the screen that shows it. */
export class Shell {
  readonly id = randomUuid();
  readonly uuid: string;
  readonly state: Signal<ShellState> = signal({ kind: 'starting' });
  /** Title that the shell or its program gives itself. */
  readonly title = signal('');
  /** The screen, once its chunk has come. */
  readonly screen = signal<Screen | undefined>();
  /** Element of the screen; it moves into the page and out of it. */
  readonly element = document.createElement('div');
  readonly #server: Server;
  #socket: WebSocket | undefined;
  #waiting = 0;
  /** Begin of a line before anything is typed. */
  #prompt: string | undefined;
  #hasBrackets = false;
  /** Input from before the shell was there. */
  #ahead: Uint8Array<ArrayBuffer>[] = [];

  constructor(server: Server, uuid: string) {
    this.#server = server;
    this.uuid = uuid;
    this.element.className = 'terminal-screen';
  }

  /** Starts a shell; the screen keeps what an earlier one has shown. Failures are in `state`. */
  async start(): Promise<void> {
    this.state.value = { kind: 'starting' };
    if (!mayOpen(this.#server, this.uuid))
      return this.#end({ how: 'refused', why: t.terminal.forbidden });
    try {
      const screen = this.screen.value ?? (await this.#draw());
      this.screen.value = screen;
      const [server, target_uuid] = [this.#server, this.uuid];
      const terminal_id = randomUuid();
      const url = addressForAgents(server);
      // One after the other: where the pass is refused, nothing is asked of the machine.
      const token = await passFor(server, target_uuid);
      const task = await server.call('task_create_task', {
        target_uuid,
        task_type: { web_shell: { url, terminal_id } },
      });
      this.#connect(screen, { agent_uuid: target_uuid, terminal_id, token }, task.id);
    } catch (error) {
      this.#end(endingOf(error));
    }
  }

  /** Tells whether closing would end a program. Some shells say where their prompt is; others show it in how their lines begin. */
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

  /** Focuses the screen where there is a keyboard: on a phone that would open the keys over the page. */
  focus(): void {
    const hasKeyboard = !matchMedia('(pointer: coarse)').matches || matchMedia(ALSO_FINE).matches;
    if (hasKeyboard) this.screen.value?.terminal.focus();
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

  #connect({ terminal }: Screen, query: Record<string, string>, task_id: number): void {
    const address = `${this.#server.origin.replace(/^http/, 'ws')}/terminal`;
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
      this.#socket = undefined;
      if (this.state.value.kind !== 'starting' || refusal === undefined)
        this.#end({
          how: code === NORMAL && refusal === undefined ? 'exit' : 'over',
          why: refusal ?? t.terminal.closed(code),
        });
      else void this.#endUnopened({ task_id, refusal });
    };
  }

  #show(data: ArrayBuffer): void {
    const terminal = this.screen.value?.terminal;
    if (!terminal) return;
    if (this.state.value.kind === 'starting') {
      this.state.value = { kind: 'open' };
      // Before the machine was there, the size went nowhere.
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

  async #endUnopened(refused: {
    readonly task_id: number;
    readonly refusal: string;
  }): Promise<void> {
    this.#end(await neverOpened(this.#server, this.uuid, refused));
  }

  #end(ending: Ending): void {
    this.#socket = undefined;
    this.#ahead = [];
    this.state.value = { kind: 'ended', at: Date.now(), ...ending };
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
