import { runningPlugin } from '@svc/kernel';
import type { Logger } from '@svc/plugin-sdk';
import { tell } from './terminal.ts';

/**
 * A rejection that nobody handles is told with the plugin that it is of, and ends nothing: whoever forgot to wait for it
 * needs no answer. One of nobody, and an exception beside all calls, end the process as ever: what else is broken is not
 * known then.
 */
export function nameStrays(log: Logger): void {
  process.on('unhandledRejection', (error) => {
    const plugin = runningPlugin();
    if (plugin === undefined) throw error;
    log.error('a rejection was not handled', { plugin, error });
  });
  process.on('uncaughtExceptionMonitor', () => {
    const plugin = runningPlugin();
    if (plugin !== undefined) tell(`plugin '${plugin}' has thrown where nothing catches:`);
  });
}
