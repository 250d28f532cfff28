import { Refusals } from '@svc/plugin-admission/api';
import { definePlugin, type Kernel, Type } from '@svc/plugin-sdk';
import { type Family, Metrics } from './api.ts';
import { CallMeter } from './calls.ts';
import { listen } from './listener.ts';
import { LoopDelay } from './loop.ts';
import { MetricsPage } from './page.ts';
import { permissions } from './permissions.ts';
import { processFamilies } from './process.ts';
import { Registry } from './registry.ts';

const config = Type.Object({
  listener: Type.Optional(
    Type.String({
      description:
        'IP:port where /metrics answers without a credential, for example 127.0.0.1:9464: whoever reaches it reads everything. Absent: none.',
    }),
  ),
  silence_s: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 300,
    description:
      'The values of an agent that has reported nothing for so many seconds are left out.',
  }),
});

/** What the server counts, and the newest values of all agents, for Prometheus and its kin: `/svc/metrics`. */
export default definePlugin({
  name: 'metrics',
  version: '0.6.0',
  optional: [Refusals],
  provides: [Metrics],
  config,
  reloadable: ['silence_s'],
  permissions,

  setup(kernel) {
    const { brand, clock, hooks, log } = kernel;
    const registry = new Registry(brand.word, log);
    const calls = new CallMeter();
    kernel.provide(Metrics, registry);
    registry.add(...calls.families, ...new LoopDelay(clock).families, ...processFamilies(kernel));
    registry.add(refusals(kernel));
    hooks.settled.tap(calls.settled);
    const page = new MetricsPage({ kernel, registry });
    hooks.start.tap(async () => {
      if (kernel.config.listener !== undefined) await listen(kernel, kernel.config.listener, page);
    });
    hooks.routes.tap((routes) =>
      routes.add({ path: '/svc/metrics', handle: (exchange) => page.route(exchange) }),
    );
  },
});

const refusals = ({ useOptional }: Pick<Kernel, 'useOptional'>): Family => ({
  name: 'refusals',
  type: 'counter',
  help: 'What was refused before or instead of an answer, by reason and kind of address.',
  read: () =>
    (useOptional(Refusals)?.counts() ?? []).map(({ reason, address_class, count }) => ({
      labels: { reason, address_class },
      value: count,
    })),
});
