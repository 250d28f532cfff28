import { Standings } from '@svc/fair-turns';
import { definePlugin, reload, Type } from '@svc/plugin-sdk';
import { Refusals } from './api.ts';
import { tapCalls } from './calls/taps.ts';
import { tokenKeys } from './calls/tokens.ts';
import { connectionKeys, hostKeys } from './connections/config.ts';
import { proxyFinding } from './connections/proxies.ts';
import { tapConnections } from './connections/taps.ts';
import { MessageMemory } from './messages/memory.ts';
import { Messages } from './messages/reader.ts';
import { RefusalCounts } from './refusals/counts.ts';

const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;

/** Decides what is let in before it is read, and counts what is not: service `Refusals`. */
export default definePlugin({
  name: 'admission',
  provides: [Refusals, Standings],
  config: reload(
    Type.Object({
      ...connectionKeys,
      ...tokenKeys,
      message_memory_mb: Type.Integer({
        default: 256,
        minimum: 1,
        description: 'Memory for messages over 8 KB that are parsed and not answered, MB.',
      }),
      message_memory_per_address_mb: Type.Integer({
        default: 128,
        minimum: 1,
        description: 'Of it for the messages of one address, MB.',
      }),
      message_wait_ms: Type.Integer({
        default: 10_000,
        minimum: 0,
        description: 'A message for which there is no memory is refused after this.',
      }),
    }),
  ),
  rootConfig: reload(Type.Object({ ...hostKeys })),

  examine: async ({ root }) => [proxyFinding(root.trusted_proxies)],

  setup(kernel) {
    const { clock, config, every, hooks, log, provide } = kernel;
    const refusals = new RefusalCounts(log);
    provide(Refusals, refusals);
    tapConnections(kernel, refusals);
    tapCalls(kernel, refusals);
    const memory = new MessageMemory(
      () => ({
        all: config.message_memory_mb * MIB,
        address: config.message_memory_per_address_mb * MIB,
        wait_ms: config.message_wait_ms,
      }),
      clock,
    );
    const messages = new Messages({ memory, refusals });
    hooks.message.tap((incoming) => messages.read(incoming));
    hooks.start.tap(() => every('refusals', MINUTE_MS, () => refusals.minute()));
  },
});
