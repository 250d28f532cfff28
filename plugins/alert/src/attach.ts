import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { Egress } from '@svc/plugin-egress/api';
import { MonitorPauses } from '@svc/plugin-monitor/api';
import { Notify } from '@svc/plugin-notify/api';
import type { Kernel } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';
import { Owners } from '@svc/plugin-token/api';
import { Answers } from './alerts/answers.ts';
import { Alerts, AlertTouched, MaintenanceWindows } from './api.ts';
import { NOBODY } from './dispatch/nobody.ts';
import { DispatchStore } from './dispatch/store.ts';
import type { KnownMonitors } from './monitors.ts';
import type { LoadedRules } from './rules/loaded.ts';
import type { AlertStore } from './store/alerts.ts';
import { Telling } from './telling.ts';
import type { Machines } from './types.ts';

const ROUND_MS = 1_000;

export interface AttachParts {
  readonly kernel: Kernel<{ readonly enable: boolean; readonly watchdog_url: string }>;
  readonly rules: LoadedRules;
  readonly machines: Machines;
  readonly monitors: KnownMonitors;
  readonly alerts: AlertStore;
  /** Tells whether it is this server's turn. */
  readonly hasTurn: () => boolean;
}

/** Adds telling to the plugin, in its `setup`: service, methods, routes, and a round each second. @returns alerts as methods answer them */
export function attachTelling({ kernel, rules, alerts, hasTurn, ...known }: AttachParts): Answers {
  const { clock, hooks, log } = kernel;
  const { machines, monitors } = known;
  const notify = kernel.useOptional(Notify) ?? NOBODY;
  const touched = (ids: readonly number[]) => kernel.publish(AlertTouched, { ids: [...ids] });
  const answers = new Answers({
    now: () => clock.now(),
    ...{ auth: kernel.auth, rules, machines, monitors },
    channels: () => notify.channels(),
    hiddenBy: (alert) => telling.hiddenBy(alert),
    wants: (key) => telling.wants(key),
    below: (some, isVisible) => telling.below(some, isVisible),
  });
  const telling: Telling = new Telling({
    ...{ kernel, notify, rules, machines, monitors, alerts, changed: touched },
    owners: kernel.use(Owners),
    registry: kernel.use(AgentRegistry),
    egress: kernel.use(Egress),
    async answer(alert, caller) {
      const [answer] = await answers.alerts([alert], caller);
      if (!answer) throw new Error('an alert had no answer');
      return answer;
    },
    async acknowledge(id, episode, by, until) {
      const alert = await alerts.byId(id);
      if (alert?.episode !== episode) return false;
      const acked = await alerts.acknowledge(id, { by, until, note: null }, by);
      if (acked) touched([id]);
      return acked !== undefined;
    },
  });
  kernel.provide(MaintenanceWindows, telling.windows());
  kernel.provide(MonitorPauses, telling.pauses());
  kernel.provide(Alerts, { restored: () => new DispatchStore(kernel.db).dropRestored() });
  hooks.methods.tap((methods) => telling.addMethods(methods));
  hooks.routes.tap((routes) => telling.addRoutes(routes));
  hooks.prepare.tap(() => telling.prepare());
  const failures = new Throttle(clock);
  hooks.start.tap(() => {
    telling.start();
    kernel.every('telling of alerts', ROUND_MS, async () => {
      if (!kernel.config.enable || !hasTurn()) return;
      try {
        await telling.run(clock.now());
      } catch (error) {
        if (!kernel.signal.aborted && failures.pass() !== undefined)
          log.error('it could not be decided who is told of alerts; tried again', { error });
        return;
      }
      telling.watch().catch((error: unknown) => log.error('the watchdog failed', { error }));
    });
  });
  return answers;
}
