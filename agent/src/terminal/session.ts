import type { Pty } from '@lydell/node-pty';
import type { Channel, Frame } from '../channel.ts';
import { type Clock, within } from '../clock.ts';
import { watchLiveness } from '../liveness.ts';
import type { Logger } from '../log.ts';
import { signalGroup } from '../process-group.ts';
import { readTerminalMessage } from './message.ts';
import { PtyInput } from './pty-input.ts';

/** Largest frame of output (clients.md §2.9). */
const CHUNK_BYTES = 8192;
/** Unsent bytes at which the shell's output is paused; it resumes when a quarter of them is left. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
/** Time between TERM and KILL for the shell's process group. */
const GRACE_MS = 200;
/** Time for the last output of a shell that has ended. */
const GOODBYE_MS = 10_000;

/** One open terminal: a shell and the connection to its user, joined until one of them ends. */
export class TerminalSession {
  readonly #channel: Channel;
  readonly #pty: Pty;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #input: PtyInput;
  readonly #exited: Promise<void>;
  /** `exited 5`: how the shell ended, as shells count it. */
  #end: string | undefined;
  #hasExited = false;
  #isPaused = false;
  #refused: string | undefined;
  #isFirst = true;

  constructor(channel: Channel, pty: Pty, clock: Clock, log: Logger) {
    this.#channel = channel;
    this.#pty = pty;
    this.#clock = clock;
    this.#log = log;
    this.#input = new PtyInput({ pty, clock, hold: (isHeld) => channel.hold(isHeld) });
    this.#exited = new Promise((resolve) => {
      pty.onExit(({ exitCode, signal }) => {
        this.#hasExited = true;
        this.#end = `exited ${signal ? 128 + signal : exitCode}`;
        this.#input.close();
        resolve();
      });
    });
  }

  /**
   * Resolves when both sides have ended. When the user leaves, the shell is ended; when the shell ends, the connection
   * is closed with its status as the reason (terminal.md §7).
   * @throws Error when the server refused the terminal
   */
  async run(signal: AbortSignal): Promise<void> {
    let onAbort = () => {};
    const aborted = new Promise<void>((resolve) => {
      onAbort = resolve;
    });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    const stopWatching = watchLiveness(this.#channel, this.#clock);
    this.#pty.onData((data) => this.#output(data));
    this.#channel.listen((frame) => this.#receive(frame));
    await Promise.race([this.#channel.closed, this.#exited, aborted]);
    stopWatching();
    await this.#endShell();
    this.#channel.close(GOODBYE_MS, this.#end);
    await Promise.race([this.#channel.closed, aborted]);
    signal.removeEventListener('abort', onAbort);
    if (this.#refused) throw new Error(`the server refused the terminal: ${this.#refused}`);
  }

  #output(data: Buffer): void {
    for (let at = 0; at < data.length; at += CHUNK_BYTES) {
      this.#channel.send(data.subarray(at, at + CHUNK_BYTES), () => this.#resumeOutput());
    }
    if (this.#isPaused || this.#channel.backlog < MAX_BACKLOG_BYTES) return;
    this.#isPaused = true;
    this.#pty.pause();
  }

  #resumeOutput(): void {
    if (!this.#isPaused || this.#channel.backlog > MAX_BACKLOG_BYTES / 4) return;
    this.#isPaused = false;
    this.#pty.resume();
  }

  #receive(frame: Frame): void {
    if (frame.kind === 'ping') return;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (frame.kind === 'binary') this.#input.write(frame.data);
    else this.#receiveText(frame.text, isFirst);
  }

  #receiveText(text: string, isFirst: boolean): void {
    const message = readTerminalMessage(text);
    if (message.kind === 'resize') this.#resize(message.cols, message.rows);
    // A server refuses in its first frame. The same text in a later frame was typed by the user.
    else if (message.kind === 'refusal' && isFirst) this.#refused = message.reason;
    else if (message.kind !== 'heartbeat') this.#input.write(Buffer.from(text));
  }

  #resize(cols: number, rows: number): void {
    // A terminal cannot have 0 columns or rows.
    if (this.#hasExited || cols === 0 || rows === 0) return;
    try {
      this.#pty.resize(cols, rows);
    } catch (error) {
      this.#log.debug('the terminal took no new size', { reason: String(error) });
    }
  }

  /** Sends TERM to the shell's process group, and KILL 200 ms later. */
  async #endShell(): Promise<void> {
    this.#input.close();
    // While its output is paused the package does not notice the end of the shell.
    this.#pty.resume();
    for (const name of ['SIGTERM', 'SIGKILL'] as const) {
      if (this.#hasExited) return;
      signalGroup(this.#pty.pid, name);
      await within(this.#clock, 'shell', GRACE_MS, this.#exited);
    }
  }
}
