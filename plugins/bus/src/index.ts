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
    const { hooks, log } = kernel;
    const offers: { transport: BusTransport; configured: boolean }[] = [];
    kernel.provide(BusTransports, {
      offer: (transport, { configured = false } = {}) => offers.push({ transport, configured }),
    });
    if (kernel.config.transport === 'local') return;
    let bus: ServerBus | undefined;
    const transport = () => (offers.find(({ configured }) => configured) ?? offers[0])?.transport;
    hooks.bus.tap((request) => {
      bus = transport() && new ServerBus(log, request);
      return bus;
    });
    // Before any plugin reads rows: what is read after this is kept up to date.
    hooks.prepare.tap(async () => bus?.open(transport() as BusTransport), { stage: EARLY });
    const close = async () => bus?.close();
    hooks.stop.tap(close, { stage: LAST });
    kernel.defer('bus', close);
  },
});
