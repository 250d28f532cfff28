import { Complaint, type Surroundings } from './io.ts';
import type { Session } from './session.ts';

/** Key that leaves the terminal: Ctrl-]. */
const LEAVE = '\u001d';
/** End of input, as it is typed: Ctrl-D. */
const END = '\u0004';
const POLICY = 1008;
const ENDED =
  'the server ended the terminal: the login, or its right to this agent, is no longer there';
const NORMAL = 1000;
const NO_CODE = 1005;
/** The server's reason where the agent's connection broke (terminal.md §7). */
const BROKEN = 'session ended';
const AGAIN_MS = 1_000;
/** Time after the end of input without any output, after which the terminal ends. */
const SILENCE_S = 60;

/** End of a terminal: the server's words where it refuses, what went wrong otherwise, and the status of the shell where the agent reports it. */
export interface Ended {
  readonly refusal: string | undefined;
  readonly fault: string | undefined;
  readonly status: number;
}

/** Joins this terminal, or pipe, with one there until either ends. */
export function attach({ io, flags }: Session, socket: WebSocket): Promise<Ended> {
  const { stdin, stdout } = io;
  socket.binaryType = 'arraybuffer';
  return new Promise((done, fail) => {
    let refusal: string | undefined;
    let isOpen = false;
    let left: Left | undefined;
    const closeWith = (how: Left) => {
      left ??= how;
      socket.close();
    };
    const silence_s = flags.timeout_s ?? SILENCE_S;
    const input = inputOf(io, socket, silence_s * 1_000, closeWith);
    socket.onopen = () => {
      isOpen = true;
      input.begin();
    };
    socket.onmessage = ({ data }) => {
      input.heard();
      if (typeof data === 'string') refusal ??= refusalIn(data);
      if (refusal === undefined) stdout.write(typeof data === 'string' ? data : Buffer.from(data));
    };
    socket.onclose = (event) => {
      input.end();
      const status = Number(/^exited (\d{1,3})$/.exec(event.reason)?.[1] ?? 0);
      const silence = `no output for ${silence_s} s after the end of input: how the shell ended is not known`;
      const fault = left === 'silent' ? silence : left ? undefined : faultOf(event);
      done({ refusal: refusal ?? (event.code === POLICY ? ENDED : undefined), fault, status });
    };
    // A close event follows if it was open.
    socket.onerror = () => isOpen || fail(new Complaint('the terminal could not be opened'));
    // A reader that has left, as `| head` does.
    stdout.once('error', () => closeWith('asked'));
    stdin.once('error', () => closeWith('asked'));
  });
}

/** Reason why this side closed the terminal. */
type Left = 'asked' | 'silent';

/** The fault of an end that neither the agent nor this side made in order; the shell's status is unknown then. */
function faultOf({ code, reason }: { code: number; reason: string }): string | undefined {
  if (code === NORMAL && reason === BROKEN)
    return 'the agent is gone, or its connection broke: how the shell ended is not known';
  if (code === NORMAL || code === NO_CODE) return undefined;
  const why = reason === '' ? '' : `, ${JSON.stringify(reason)}`;
  return `the connection to the server was lost (${code}${why}): how the shell ended is not known`;
}

/** Input that is typed, or comes through a pipe. */
function inputOf(
  { stdin, stdout, stderr }: Surroundings,
  socket: WebSocket,
  silence_ms: number,
  closeWith: (how: Left) => void,
) {
  let timer: NodeJS.Timeout | undefined;
  let [isLineOpen, heardAt] = [false, 0];
  const size = () => {
    const { columns: cols = 80, rows = 24 } = stdout;
    socket.send(JSON.stringify({ type: 'resize', cols, rows }));
  };
  const typed = (data: Buffer) => {
    isLineOpen = data.at(-1) !== 10;
    if (stdin.isTTY && data.includes(LEAVE)) closeWith('asked');
    else socket.send(data);
  };
  // A program that reads there takes one end; the shell, once it reads, the next. Agents may not notice that their shell has ended.
  const over = () => {
    if (stdin.isTTY) return closeWith('asked');
    if (isLineOpen) socket.send(Buffer.from('\n'));
    heardAt = Date.now();
    timer = setInterval(() => {
      if (Date.now() - heardAt > silence_ms) closeWith('silent');
      else socket.send(Buffer.from(END));
    }, AGAIN_MS);
    socket.send(Buffer.from(END));
  };
  return {
    begin() {
      if (stdin.isTTY) {
        stderr.write('Ctrl-] leaves the terminal.\r\n');
        stdin.setRawMode?.(true);
        stdout.on('resize', size);
        size();
      }
      stdin.on('data', typed).once('end', over).resume();
    },
    heard() {
      heardAt = Date.now();
    },
    end() {
      clearInterval(timer);
      stdin.off('data', typed).off('end', over).pause();
      stdout.off('resize', size);
      stdin.setRawMode?.(false);
    },
  };
}

/** Refusal in a text message of the server; an agent sends bytes. */
function refusalIn(text: string): string | undefined {
  const [, message] = /^\{"error_id":\d+,"error_message":(".*")\}$/s.exec(text) ?? [];
  return message === undefined ? undefined : (JSON.parse(message) as string);
}
