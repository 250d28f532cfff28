import type { LogRecord } from '@svc/plugin-sdk/kernel';
import { parseStreamFilter } from './filter.ts';
import type { Hub } from './hub.ts';

/**
 * Adds a live listener with its own filter (svc-server.md §10). Records made while this listener runs do not come back to it;
 * a listener that throws is removed.
 * @returns removes the listener
 */
export function addStream(
  hub: Hub,
  filter: string,
  listener: (record: LogRecord) => void,
): () => void {
  let delivering = false;
  let removed = false;
  const detach = hub.add({
    filter: parseStreamFilter(filter),
    write(record) {
      if (delivering || removed) return;
      delivering = true;
      try {
        listener(record);
      } catch (error) {
        remove();
        hub.logger('server').warn('a log stream listener failed and was removed', { error });
      } finally {
        delivering = false;
      }
    },
  });
  const remove = () => {
    removed = true;
    detach();
  };
  return remove;
}
