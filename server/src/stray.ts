import { runningPlugin } from '@svc/kernel';
import type { Logger } from '@svc/plugin-sdk';
import { printError } from './terminal.ts';

/**
 * Logs a rejection that is not handled with the plugin that caused it, and ends nothing: the plugin forgot to wait for it,
 * so no caller needs an answer. One without a plugin, and an exception outside all calls, end the process as usual: what
 * else is broken is unknown then.
 */
export function nameStrays(log: Logger): void {
  process.on('unhandledRejection', (error) => {
    const plugin = runningPlugin();
    if (plugin === undefined) throw error;
    log.error('a rejection was not handled', { plugin, error });
  });
  process.on('uncaughtExceptionMonitor', () => {
    const plugin = runningPlugin();
    if (plugin !== undefined) printError(`plugin '${plugin}' has thrown where nothing catches:`);
  });
}
