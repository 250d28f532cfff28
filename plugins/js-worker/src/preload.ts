import type { Components } from './components.ts';
import { effective } from './limits.ts';
import { FILE } from './run/pool.ts';

/** Part of the pool that is filled at the start. */
const SHARE = 0.5;

/** Makes the contexts of workers with a route: their first request does not wait for the compiler. */
export async function preload(components: Components): Promise<void> {
  const { contexts, kernel, pool, workers } = components;
  const { config, log, signal } = kernel;
  const found = await workers.preloadable(Math.max(1, Math.floor(config.max_contexts * SHARE)));
  if (found.length === 0 || signal.aborted) return;
  contexts.warm();
  for (const worker of found) {
    if (worker.route_name === null || signal.aborted) continue;
    const row = await workers.script(worker);
    if (!row || row.update_at !== worker.update_at) continue;
    const { heap, stack } = effective(worker, config);
    try {
      const context = await contexts.compile({
        source: row.script,
        file: FILE,
        heap,
        stack,
      });
      if (signal.aborted || pool.has(worker.id)) context.dispose();
      else pool.adopt(worker, context);
    } catch (error) {
      log.warn('a script worker could not be loaded in advance', { worker: worker.name, error });
    }
  }
}
