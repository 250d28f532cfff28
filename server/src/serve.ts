import type { App } from '@svc/kernel';
import { type StartOptions, start } from './start.ts';

/** Starts and stays until SIGTERM or SIGINT; then stops in order and exits 0. A second signal exits at once. */
export async function serve(options: StartOptions): Promise<App> {
  const app = await start(options);
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
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
