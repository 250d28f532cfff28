import { checkedConfig, replaceFile } from '../config-file.ts';
import { readText } from '../content.ts';
import type { TaskHandler } from '../task-context.ts';

/**
 * Replaces the configuration file by a text that is a working configuration; 300 ms later the agent starts
 * again with it (clients.md §2.5). `auto_gen` stands for the UUID in force: an edit makes no other agent of it.
 * @throws ConfigError for any other text, with the file untouched
 */
export const editConfig: TaskHandler = async (content, { runtime, agent_uuid, log }) => {
  const text = checkedConfig(readText(content, 'edit_config'), agent_uuid);
  await replaceFile(runtime.config_path, text);
  log.info('configuration replaced, starting again');
  runtime.restart();
  return true;
};
