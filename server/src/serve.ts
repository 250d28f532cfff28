import type { App } from '@svc/kernel';
import { type StartOptions, start } from './start.ts';

/** Signals that come this soon after the first are the same one: npm and a terminal both pass a Ctrl-C on. */
const SAME_MS = 300;

/** Starts and stays until SIGTERM or SIGINT; then stops in order and exits 0. A second signal exits at once. */
export async function serve(options: StartOptions): Promise<App> {
  const app = await start(options);
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
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  return app;
}
