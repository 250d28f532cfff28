import type { App } from '@svc/kernel';
import { ConfigurationFile } from '@svc/plugin-sdk';
import { ifRunning } from './already-runs.ts';
import { type StartOptions, start } from './start.ts';
import { Stopping } from './stopping.ts';
import { nameStrays } from './stray.ts';

export interface ServeOptions extends StartOptions {
  /** SIGHUP: a service takes it as a wish to reload (default); a program of a window has to stop when that is closed. */
  readonly hangUp?: 'reload' | 'stop';
}

/** Starts and stays until SIGTERM or SIGINT; then stops in order and exits 0. A second signal exits at once. */
export async function serve({ hangUp = 'reload', ...options }: ServeOptions): Promise<App> {
  const signals = ['SIGTERM', 'SIGINT', ...(hangUp === 'stop' ? ['SIGHUP'] : [])];
  // What the program makes is for its own user: 0600, folders 0700.
  const umask = process.umask(0o077);
  // Before anything is made that is shown once.
  const stopping = new Stopping(signals, options.announcement);
  const started = (app: App) => {
    nameStrays(app.log);
    stopping.runs(app);
    options.started?.(app);
  };
  const { early } = stopping;
  const starting = start({ ...options, umask, started, early })
    .catch(stopping.failed)
    .catch(async (error) => {
      throw await ifRunning(error, options);
    });
  const reload = () => starting.then((app) => app.service(ConfigurationFile)?.reload());
  // The log says what came of it.
  if (hangUp === 'reload') process.on('SIGHUP', () => void reload().catch(() => {}));
  return starting;
}
