import { readText } from '../content.ts';
import type { TaskHandler } from '../task-context.ts';

/** Always false (task.md §2): there is no place to download this agent from. */
export const selfUpdate: TaskHandler = async (content, { log }) => {
  const tag = readText(content, 'self_update');
  log.warn('self_update refused: this agent is updated together with its repository', { tag });
  return false;
};
