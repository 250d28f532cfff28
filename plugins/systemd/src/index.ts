import { definePlugin } from '@svc/plugin-sdk';
import { Notifier, takeEnvironment } from './notifier.ts';

/** Three messages in the time after which systemd ends a silent server. */
const PER_WATCHDOG = 3;

/** Tells systemd when the server is ready, reloads, stops, and that its event loop turns (`Type=notify`, `WatchdogSec`). */
export default definePlugin({
  name: 'systemd',

  setup({ every, hooks, log, signal }) {
    const { socket, watchdog_ms } = takeEnvironment(process.env);
    if (socket === undefined) return;
    const notifier = new Notifier(socket, log);

    hooks.ready.tap(async ({ url }) => {
      await notifier.send('READY=1', `STATUS=Listening on ${url}`);
      if (watchdog_ms > 0)
        every('watchdog', watchdog_ms / PER_WATCHDOG, () => notifier.send('WATCHDOG=1'));
    });
    hooks.reload.tap(async () => {
      // systemd compares it with its own clock, which the kernel's does not show.
      const now_us = process.hrtime.bigint() / 1000n;
      await notifier.send('RELOADING=1', `MONOTONIC_USEC=${now_us}`);
      await notifier.send('READY=1');
    });
    signal.addEventListener('abort', () => void notifier.send('STOPPING=1'));
    // The process ends after this; systemd has the message by then.
    hooks.stop.tap(() => notifier.send('STATUS=Closing the database'));
  },
});
