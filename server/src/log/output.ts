import { pino } from 'pino';
import { printError } from '../terminal.ts';

/** Bytes that may wait for a slow terminal, pipe or disk; beyond, lines are dropped and counted. */
const MAX_WAITING = 4 * 1024 * 1024;

/** Lines to one file descriptor, in order, without blocking the event loop. */
export interface Output {
  /** `line` has no line end. */
  write(line: string): void;
  /** Resolves when everything is written, or after `timeout_ms`; nothing is written any more after it. */
  close(timeout_ms: number): Promise<void>;
}

/** @param name for messages on standard error */
export function openOutput(fd: number, name: string): Output {
  let dropped = 0;
  let failed = false;
  let closed = false;
  let givenUp = false;
  const stream = pino.destination({
    fd,
    sync: false,
    maxLength: MAX_WAITING,
    retryEAGAIN: () => !givenUp,
  });
  stream.on('error', (error: Error) => {
    if (!failed) complain(`writing the log to ${name} failed: ${error.message}`);
    failed = true;
  });
  stream.on('write', () => (failed = false));
  stream.on('drop', () => dropped++);
  stream.on('drain', () => {
    if (dropped > 0) complain(`${dropped} log lines to ${name} were dropped: it was too slow`);
    dropped = 0;
  });

  return {
    write(line) {
      if (!closed) stream.write(`${line}\n`);
    },
    async close(timeout_ms) {
      if (closed) return;
      closed = true;
      const ended = !failed && (await endOf(stream, timeout_ms));
      // The flush at exit would wait for a reader that stands still, and throw for a disk that is full.
      stream.flushSync = () => {};
      if (ended || failed) return;
      // Not `destroy`: its write loop would go on without end.
      givenUp = true;
      complain(`the last log lines to ${name} are lost: it is too slow`);
    },
  };
}

/** A problem of logging itself, which no log can take. */
export function complain(text: string): void {
  printError(text);
}

type Stream = ReturnType<typeof pino.destination>;

/** Writes the rest and ends. @returns false when that takes longer than `timeout_ms` */
function endOf(stream: Stream, timeout_ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeout_ms);
    const done = () => {
      clearTimeout(timer);
      resolve(true);
    };
    stream.once('close', done);
    stream.once('error', done);
    stream.end();
  });
}
