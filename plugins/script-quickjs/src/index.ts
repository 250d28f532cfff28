import { definePlugin } from '@svc/plugin-sdk';
import { ScriptEngine } from './api.ts';
import { ThreadContexts } from './contexts.ts';

/** Threads of an owner that stay, unless it wants fewer. */
const STAYING = 2;

/** Runs scripts on QuickJS in worker threads, with the Web APIs of a script (js-runtime.md). */
export default definePlugin({
  name: 'script-quickjs',
  logTarget: 'js_runtime',
  provides: [ScriptEngine],

  setup(kernel) {
    kernel.provide(ScriptEngine, {
      open({ threads, spare, standing, globals }) {
        const contexts = new ThreadContexts({
          globals,
          least: Math.min(STAYING, threads()),
          most: threads,
          spare,
          standing,
          onStarted: () => kernel.log.debug('a script thread was started'),
          onLost: (error) => kernel.log.error('a script thread ended unexpectedly', { error }),
        });
        kernel.defer('script threads', () => contexts.stop());
        return contexts;
      },
    });
  },
});
