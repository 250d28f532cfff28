import { readFile } from 'node:fs/promises';
import { expectNothing } from '../content.ts';
import type { TaskHandler } from '../task-context.ts';

/** The text of the configuration file. */
export const readConfig: TaskHandler = async (content, { runtime, signal }) => {
  expectNothing(content, 'read_config');
  return await readFile(runtime.config_path, { encoding: 'utf8', signal });
};
