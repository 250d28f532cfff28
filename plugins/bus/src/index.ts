import { definePlugin, EARLY, LAST, Type } from '@svc/plugin-sdk';
import { type BusTransport, BusTransports } from './api.ts';
import { ServerBus } from './server-bus.ts';

const config = Type.Object({
  transport: Type.Enum(['auto', 'local'], {
    default: 'auto',
    description: 'auto: what the plugins offer for this database; local: no other server.',
  }),
});

/** Joins the servers on one database over a transport that another plugin offers. */
export default definePlugin({
  name: 'bus',
  version: '0.6.0',
  provides: [BusTransports],
  config,

  setup(kernel) {
    const { clock, hooks, log } = kernel;
    let configured: BusTransport | undefined;
    let available: BusTransport | undefined;
    kernel.provide(BusTransports, {
      offer(transport, options) {
        if (options?.configured) configured ??= transport;
        else available ??= transport;
      },
    });
    if (kernel.config.transport === 'local') return;
    let bus: ServerBus | undefined;
    hooks.bus.tap((request) => {
      const transport = configured ?? available;
      bus = transport && new ServerBus({ log, clock, request, transport });
      return bus;
    });
    // Before any plugin reads rows: what is read after this is kept up to date.
    hooks.prepare.tap(async () => bus?.open(), { stage: EARLY });
    // After what other plugins send at a stop.
    hooks.stop.tap(async () => bus?.close(), { stage: LAST });
    // Where the start fails, no stop comes.
    kernel.defer('bus', async () => bus?.close());
  },
});
