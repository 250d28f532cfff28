import { Refusals } from '@svc/plugin-admission/api';
import {
  FullStored,
  HostNames,
  LastReports,
  ReportBuckets,
  SummaryStored,
} from '@svc/plugin-agent/api';
import { AgentHistory } from '@svc/plugin-agent-events/api';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { Audit } from '@svc/plugin-audit/api';
import { Egress } from '@svc/plugin-egress/api';
import { AgentValues } from '@svc/plugin-kv/api';
import { Metrics } from '@svc/plugin-metrics/api';
import { MonitorHistory, MonitorPauses, Monitors } from '@svc/plugin-monitor/api';
import { Notify } from '@svc/plugin-notify/api';
import {
  DatabaseChanged,
  definePlugin,
  fileOnly,
  Holdings,
  reload,
  secretKey,
  Type,
} from '@svc/plugin-sdk';
import { AgentSeries } from '@svc/plugin-series/api';
import { Owners, Tokens } from '@svc/plugin-token/api';
import { AlertChanged, Alerts, MaintenanceWindows } from './api.ts';
import { attachTelling } from './attach.ts';
import { addMethods, openCore, openEvaluator, openRounds } from './core.ts';
import { examine } from './examine.ts';
import { examples } from './examples.ts';
import { rulesHeld, settingsHeld } from './held.ts';
import { addMeters } from './meters.ts';
import { migrations } from './migrations/index.ts';
import { permissions } from './permissions.ts';
import { PERIOD_MS } from './presence/rounds.ts';
import { addDefaults } from './rules/defaults.ts';
import { HELD } from './store/rules.ts';
import { warnOfRules } from './warnings.ts';

/** Time after which new agents are read, those that came meanwhile included. */
const LEARN_MS = 200;

const config = Type.Object({
  enable: Type.Boolean({ default: true, description: 'Rules run, and alerts are told.' }),
  grace_s: Type.Integer({
    minimum: 0,
    maximum: 3_600,
    default: 120,
    description: 'Seconds after a start or an interruption in which no machine counts as silent.',
  }),
  keep_days: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 90,
    description: 'Days that the history of alerts is kept.',
  }),
  max_events: Type.Integer({
    minimum: 1_000,
    maximum: 10_000_000,
    default: 200_000,
    description: 'Rows of history that are kept; the oldest go first.',
  }),
  // Services of this kind know their customers by the address.
  watchdog_url: secretKey(
    fileOnly(
      Type.String({
        default: '',
        description: 'Address that is called each minute while alerts work; empty: none.',
      }),
    ),
  ),
  max_rules: Type.Integer({
    minimum: 0,
    maximum: 500,
    default: 500,
    description:
      'Rules that all tokens together may have, one token a quarter of it, and as many again the Super Token.',
  }),
  max_silences: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 1_000,
    description:
      'Silences that all tokens together may have, one token a quarter of it, and as many again the Super Token.',
  }),
  max_windows: Type.Integer({
    minimum: 0,
    maximum: 200,
    default: 200,
    description: 'Maintenance windows, counted likewise.',
  }),
  max_policies: Type.Integer({
    minimum: 0,
    maximum: 50,
    default: 50,
    description: 'Policies, counted likewise.',
  }),
  slow_rule_us: Type.Integer({
    minimum: 10,
    maximum: 1_000_000,
    default: 1_000,
    description: 'A rule that takes longer on average, in microseconds, is switched off.',
  }),
});

/** Rules about machines, the alerts that they open, and who is told: namespace `alert`. */
export default definePlugin({
  name: 'alert',
  namespaces: ['alert'],
  requires: [
    AgentRegistry,
    AgentHistory,
    HostNames,
    LastReports,
    SummaryStored,
    FullStored,
    ReportBuckets,
    Owners,
    Tokens,
    Holdings,
    Egress,
  ],
  provides: [MaintenanceWindows, MonitorPauses, Alerts],
  optional: [AgentValues, Notify, Metrics, AgentSeries, Audit, Refusals, Monitors, MonitorHistory],
  brings: ['agent-events', 'egress'],
  config: reload(config),
  permissions,
  migrations,
  examples,
  examine: ({ db }) => examine(db),
  // Rows tell of machines, whoever may see them.
  guards: {
    alert_rule: 'fixed',
    alert: 'fixed',
    alert_event: 'fixed',
    alert_silence: 'fixed',
    alert_window: 'fixed',
    alert_policy: 'fixed',
    alert_group: 'fixed',
    alert_ack_link: 'secret',
    alert_clock: 'fixed',
    alert_state: 'fixed',
  },

  setup(kernel) {
    const { clock, every, hooks, log } = kernel;
    const core = openCore(kernel);
    const { rules, ruleStore } = core;
    const rounds = openRounds(core);
    const evaluator = openEvaluator(core);
    let running: Promise<void> = Promise.resolve();
    const answers = attachTelling({ ...core, hasTurn: () => rounds.hasTurn });

    hooks.methods.tap((methods) => addMethods(methods, core, answers));
    warnOfRules(kernel, rules);
    addMeters(kernel.useOptional(Metrics), { ...core, evaluator, open: () => rounds.open });
    hooks.prepare.tap(async () => {
      const list = async (owner: string) =>
        rules.list().flatMap((rule) => (rule.owner === owner ? rule.name : []));
      kernel.use(Owners).register({ kind: HELD, list });
      const kinds = settingsHeld(kernel.config, () => clock.now());
      for (const held of [rulesHeld(kernel.config), ...kinds]) kernel.use(Holdings).register(held);
      await addDefaults(ruleStore, clock.now());
      await rules.refresh();
    });
    const readAgain = () =>
      rules
        .refresh()
        .catch((error: unknown) => log.error('rules could not be read again', { error }));
    kernel.subscribe(AlertChanged, (_what, { own }) => (own ? undefined : readAgain()));
    kernel.subscribe(DatabaseChanged, readAgain);
    const learn = async () => {
      await core.machines.readFacts();
      await rules.resolve();
    };
    let isDue = false;
    // A fleet that comes at once is read once.
    core.registry.onChange(() => {
      if (isDue) return;
      isDue = true;
      clock.timeout(() => {
        isDue = false;
        void learn().catch(readAgain);
      }, LEARN_MS);
    });
    hooks.reload.tap(() => rules.switched());
    hooks.start.tap(() => {
      evaluator.start();
      every('alerts', PERIOD_MS, () => {
        running = rounds.run();
        return running;
      });
    });
    hooks.stop.tap(async () => {
      await running;
      await evaluator.stop();
      await rounds.end();
    });
  },
});
