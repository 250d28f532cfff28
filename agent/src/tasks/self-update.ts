import { readText } from '../content.ts';
import type { TaskHandler } from '../task-context.ts';

/** There is no place to download this agent from, so nothing is ever replaced: false (task.md §2). */
export const selfUpdate: TaskHandler = async (content, { log }) => {
  const tag = readText(content, 'self_update');
  log.warn('self_update refused: this agent is updated together with its repository', { tag });
  return false;
};
