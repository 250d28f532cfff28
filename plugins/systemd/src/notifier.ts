import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Logger } from '@svc/plugin-sdk';
import { SerialQueue } from '@svc/plugin-sdk/util';

/** Limit of one `systemd-notify`, which waits until the message was read. */
const LIMIT_MS = 10_000;

/** Variables of sd_notify(3), read once and taken from the environment: programs that this process starts do not speak for it. */
export function takeEnvironment(env: NodeJS.ProcessEnv) {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: watchdog, WATCHDOG_PID: pid } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  const isMeant = pid === undefined || Number(pid) === process.pid;
  return { socket, watchdog_ms: isMeant ? Number(watchdog ?? 0) / 1000 : 0 };
}

/** Sends messages of sd_notify(3) in order, through the program `systemd-notify`: Node has no sockets of their kind. */
export class Notifier {
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: Logger;
  readonly #queue = new SerialQueue();

  constructor(socket: string, log: Logger) {
    this.#env = { PATH: process.env['PATH'], NOTIFY_SOCKET: socket };
    this.#log = log;
  }

  /** `NAME=value`, one message. Resolves when it and all before it were sent; a failure is logged. */
  send(...variables: string[]): Promise<void> {
    return this.#queue.run(async () => {
      try {
        const options = { env: this.#env, timeout: LIMIT_MS };
        await promisify(execFile)('systemd-notify', variables, options);
      } catch (error) {
        this.#log.warn('systemd could not be told', { variables, error });
      }
    });
  }
}
