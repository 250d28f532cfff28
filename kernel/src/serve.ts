import { type App, type BootOptions, boot } from './boot.ts';

/** Boots and stays until SIGTERM or SIGINT; then stops in order and exits 0. A second signal exits at once. */
export async function serve(options: BootOptions): Promise<App> {
  const app = await boot(options);
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
