import { type Family, Metrics } from '@svc/plugin-metrics/api';
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
  optional: [Metrics],
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
    kernel.useOptional(Metrics)?.add(...busFamilies(() => bus));
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

/** Metrics of the bus: without another server there are none. */
const busFamilies = (bus: () => ServerBus | undefined): Family[] => [
  {
    name: 'bus_connected',
    type: 'gauge',
    help: '1 while this server hears the others, else 0.',
    read: () => [bus()].flatMap((one) => (one ? [{ value: Number(one.connected()) }] : [])),
  },
  {
    name: 'bus_servers',
    type: 'gauge',
    help: 'Other servers that are alive.',
    read: () => [bus()].flatMap((one) => (one ? [{ value: one.servers().length }] : [])),
  },
  {
    name: 'bus_messages',
    type: 'counter',
    help: 'Messages between servers.',
    read: () => {
      const { sent = 0, received = 0 } = bus()?.counts ?? {};
      return [
        { labels: { direction: 'sent' }, value: sent },
        { labels: { direction: 'received' }, value: received },
      ];
    },
  },
  {
    name: 'bus_gaps',
    type: 'counter',
    help: 'How often messages of other servers were lost, so that caches were read anew.',
    read: () => [{ value: bus()?.counts.gaps ?? 0 }],
  },
];
