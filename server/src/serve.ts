import type { App } from '@svc/kernel';
import { ConfigurationFile } from '@svc/plugin-sdk';
import { ifRunning } from './already-runs.ts';
import { type StartOptions, start } from './start.ts';
import { nameStrays } from './stray.ts';

/** Signals that come this soon after the first are the same one: npm and a terminal both pass a Ctrl-C on. */
const SAME_MS = 300;

export interface ServeOptions extends StartOptions {
  /** SIGHUP: a service takes it as a wish to reload (default); a program of a window has to stop when that is closed. */
  readonly hangUp?: 'reload' | 'stop';
}

/** Starts and stays until SIGTERM or SIGINT; then stops in order and exits 0. A second signal exits at once. */
export async function serve({ hangUp = 'reload', ...options }: ServeOptions): Promise<App> {
  const signals = ['SIGTERM', 'SIGINT', ...(hangUp === 'stop' ? ['SIGHUP'] : [])];
  // What the program makes is for its own user: 0600, folders 0700.
  const umask = process.umask(0o077);
  const started = (app: App) => {
    nameStrays(app.log);
    stopOn(signals, app);
    options.started?.(app);
  };
  const starting = start({ ...options, umask, started }).catch(async (error) => {
    throw await ifRunning(error, options);
  });
  const reload = () => starting.then((app) => app.service(ConfigurationFile)?.reload());
  // The log says what came of it.
  if (hangUp === 'reload') process.on('SIGHUP', () => void reload().catch(() => {}));
  return starting;
}

function stopOn(signals: readonly string[], app: App): void {
  let since: number | undefined;
  const stop = (signal: string) => {
    if (since !== undefined && performance.now() - since < SAME_MS) return;
    if (since !== undefined) process.exit(1);
    since = performance.now();
    app.stop(signal).then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`stop failed: ${error instanceof Error ? error.stack : error}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of signals) process.on(signal, () => stop(signal));
}
