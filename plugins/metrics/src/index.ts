import { Refusals } from '@svc/plugin-admission/api';
import { Egress } from '@svc/plugin-egress/api';
import {
  definePlugin,
  fileOnly,
  type Kernel,
  reload,
  type Static,
  Type,
  UserError,
} from '@svc/plugin-sdk';
import { type Family, Metrics } from './api.ts';
import { CallMeter } from './calls.ts';
import { examineListener } from './examine.ts';
import { listen } from './listener.ts';
import { LoopDelay } from './loop.ts';
import type { Push } from './otlp/push.ts';
import { otlpKeys } from './otlp/settings.ts';
import { MetricsPage } from './page.ts';
import { permissions } from './permissions.ts';
import { processFamilies } from './process.ts';
import { Registry } from './registry.ts';
import { silence } from './silence.ts';
import { LongTurns } from './turns.ts';

const config = Type.Object({
  listener: fileOnly(
    Type.Optional(
      Type.String({
        description:
          'IP:port where /metrics answers without a credential, for example 127.0.0.1:9464: whoever reaches it reads everything. Absent: none.',
      }),
    ),
  ),
  silence_s: reload(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 300,
      description:
        'The values of an agent that has reported nothing for so many seconds are left out.',
    }),
  ),
  ...otlpKeys,
});

/** Metrics of the server, the newest values of all agents, and what monitors say, for Prometheus and compatible collectors: `/svc/metrics`. */
export default definePlugin({
  name: 'metrics',
  optional: [Refusals, Egress],
  provides: [Metrics],
  config,
  permissions,
  examine: ({ config: { listener } }) => examineListener(listener),

  setup(kernel) {
    const { brand, clock, hooks, log } = kernel;
    const registry = new Registry(brand.word, log);
    const calls = new CallMeter();
    kernel.provide(Metrics, registry);
    registry.add(...calls.families, ...new LoopDelay(clock).families, ...processFamilies(kernel));
    const turns = new LongTurns();
    registry.add(refusals(kernel), turns.family);
    let push: Push | undefined;
    hooks.settled.tap((call, outcome) => {
      calls.settled(call, outcome);
      push?.settled(call, outcome);
    });
    const page = new MetricsPage({ kernel, registry, silence_ms: silence(kernel) });
    hooks.start.tap(async () => {
      if (kernel.config.listener !== undefined) await listen(kernel, kernel.config.listener, page);
      push = await startPush(kernel, registry);
    });
    hooks.ready.tap(() => kernel.defer('long turns', turns.watch()));
    hooks.stop.tap(() => push?.stop());
    hooks.routes.tap((routes) =>
      routes.add({ path: '/svc/metrics', handle: (exchange) => page.route(exchange) }),
    );
  },
});

/** The packages of OpenTelemetry are loaded where something is sent. @throws UserError */
async function startPush(
  kernel: Kernel<Static<typeof config>>,
  registry: Registry,
): Promise<Push | undefined> {
  const { config: settings, defer } = kernel;
  if (settings.otlp_url === undefined) return undefined;
  const { Push } = await import('./otlp/push.ts').catch((cause: Error) => {
    throw new UserError(
      `[metrics] otlp_url: the packages of OpenTelemetry are not installed: ${cause.message}`,
      { cause },
    );
  });
  const push = new Push({ kernel, registry, settings });
  // Where the start fails, no stop comes.
  defer('otlp', () => push.stop());
  return push;
}

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
