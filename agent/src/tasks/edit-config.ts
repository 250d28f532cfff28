import { checkedConfig, replaceFile } from '../config-file.ts';
import { readText } from '../content.ts';
import type { TaskHandler } from '../task-context.ts';

/**
 * Replaces the configuration file; 300 ms later the agent starts again with the new one (clients.md §2.5). In the text
 * `auto_gen` means the UUID that the agent has.
 * @throws ConfigError when the agent could not start with the text, Error when a server may not change this
 * (config-change.ts); the file is then unchanged
 */
export const editConfig: TaskHandler = async (content, { runtime, agent_uuid, log }) => {
  const sent = readText(content, 'edit_config');
  const text = await checkedConfig(runtime.config_path, sent, agent_uuid);
  await replaceFile(runtime.config_path, text);
  log.info('configuration replaced, starting again');
  runtime.restart();
  return true;
};
