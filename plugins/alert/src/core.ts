import {
  FullStored,
  HostNames,
  LastReports,
  ReportBuckets,
  SummaryStored,
} from '@svc/plugin-agent/api';
import { AgentHistory } from '@svc/plugin-agent-events/api';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { AgentValues } from '@svc/plugin-kv/api';
import { MonitorChanged, MonitorHistory, Monitors, MonitorVerdict } from '@svc/plugin-monitor/api';
import { Notify } from '@svc/plugin-notify/api';
import {
  countingIn,
  DatabaseChanged,
  type Kernel,
  type Methods,
  type Principal,
} from '@svc/plugin-sdk';
import { AgentSeries } from '@svc/plugin-series/api';
import { Owners, Tokens } from '@svc/plugin-token/api';
import type { Answers } from './alerts/answers.ts';
import { AlertFeed } from './alerts/feed.ts';
import { addHandling } from './alerts/handling.ts';
import { addReads } from './alerts/methods.ts';
import { agentsOf, mayReadAny } from './alerts/visible.ts';
import { AlertChanged, AlertTouched, AlertTransition } from './api.ts';
import { Evaluator } from './evaluate/evaluator.ts';
import { addTestMethod } from './evaluate/test-run.ts';
import { KnownMachines } from './machines.ts';
import { KnownMonitors } from './monitors.ts';
import { Absence } from './presence/absence.ts';
import { endOrphans } from './presence/ends.ts';
import { AgentEvents } from './presence/events.ts';
import { MonitorRules } from './presence/monitors.ts';
import { type Config, Rounds } from './presence/rounds.ts';
import { judgeServer, Problems } from './presence/server.ts';
import { SlowRules } from './presence/slow.ts';
import { RuleChanges } from './rules/changes.ts';
import { LoadedRules } from './rules/loaded.ts';
import { addRuleMethods } from './rules/methods.ts';
import { countTrue } from './rules/now.ts';
import { SettingsChanged } from './settings.ts';
import { AlertStore } from './store/alerts.ts';
import { EventPlace } from './store/event-place.ts';
import { RuleStore } from './store/rules.ts';
import { StoredTransitions } from './store/transitions.ts';
import type { Alert, Transition } from './types.ts';

export type Core = ReturnType<typeof openCore>;

/** Rules, alerts and what is known of machines: everything but evaluating reports and telling people. */
export function openCore(kernel: Kernel<Config>) {
  const { clock, db, log } = kernel;
  const registry = kernel.use(AgentRegistry);
  const series = kernel.useOptional(AgentSeries);
  const ruleStore = new RuleStore(db, countingIn(kernel));
  const machines = new KnownMachines({
    kernel,
    registry,
    history: kernel.use(AgentHistory),
    hostNames: kernel.use(HostNames),
    values: kernel.useOptional(AgentValues),
  });
  // The plugin `monitor` may be set up later: it uses windows of this one.
  const monitors = new KnownMonitors({
    now: () => kernel.useOptional(Monitors),
    names: () => kernel.useOptional(MonitorHistory),
  });
  const owners = kernel.use(Owners);
  const rules = new LoadedRules({
    log,
    store: ruleStore,
    owners,
    registry,
    machines,
    isOn: () => kernel.config.enable,
    hasSeries: series !== undefined,
    hasMonitors: () => monitors.isOn,
  });
  const alerts = new AlertStore(db, clock);
  const transitions = new StoredTransitions({
    db,
    clock,
    log,
    ruleOf: (id) => rules.byId(id),
    onMade: (made) => announce(kernel, made),
  });
  const changed = async () => {
    await rules.refresh();
    kernel.publish(AlertChanged, {});
  };
  const { auth } = kernel;
  const changes = new RuleChanges({ auth, clock, owners, registry, store: ruleStore, changed });
  const shared = { series, alerts, rules, machines, monitors, registry, transitions };
  return { kernel, ...shared, ruleStore, changes, notify: kernel.useOptional(Notify) };
}

/** Tells whoever listens, on all servers, of changes that are committed. */
function announce(
  kernel: Kernel<Config>,
  made: readonly { readonly alert: Alert; readonly change: Transition }[],
): void {
  const changes = made.map(({ alert, change }) => {
    const { id, rule_id, subject_kind, subject_id, part, episode } = alert;
    const place = { id, rule_id, subject_kind, subject_id, part };
    return { ...place, from: change.from?.state ?? 0, to: alert.state, at: change.at, episode };
  });
  kernel.publish(AlertTransition, { changes });
}

/** Judges the reports that this server stores. */
export function openEvaluator({ kernel, ...parts }: Core): Evaluator {
  const { config, log } = kernel;
  return new Evaluator({
    ...parts,
    kernel,
    stored: kernel.use(SummaryStored),
    full: kernel.use(FullStored),
    buckets: kernel.use(ReportBuckets),
    slow_ms: () => config.slow_rule_us / 1_000,
    onSlow({ id, name, version }) {
      const rule = parts.rules.byId(id);
      // Somebody may have changed the condition since it was measured.
      if (rule?.version !== version) return;
      log.warn(
        `the rule '${name}' takes longer than slow_rule_us under [alert]: it is switched off`,
      );
      parts.changes.switchOff(rule).catch((error: unknown) => {
        log.error(`the rule '${name}' could not be switched off`, { error });
      });
    },
    onError({ name }, subject, message) {
      log.warn(`the rule '${name}' cannot be evaluated for ${subject}: ${message}`);
    },
  });
}

/** Work of the server whose turn it is, and what each keeps up to date. */
export function openRounds(core: Core): Rounds {
  const { kernel, alerts, rules, machines, monitors } = core;
  const history = kernel.use(AgentHistory);
  const place = new EventPlace(kernel.db);
  kernel.subscribe(DatabaseChanged, () => place.forget());
  const events = new AgentEvents({ ...core, history, place });
  const last = kernel.use(LastReports);
  const slow = new SlowRules(core);
  const { notify } = core;
  const problems = new Problems({ kernel, notify, monitors, lost: () => last.lost() });
  const rounds = new Rounds({
    kernel,
    alerts,
    rules,
    machines,
    monitors,
    work: {
      absence: new Absence({ ...core, history }),
      monitors: new MonitorRules({ ...core, owners: kernel.use(Owners) }),
      async often(when) {
        const active = await endOrphans(core, when.at);
        await events.round(when, active);
        await judgeServer({ ...core, problems }, when, active);
      },
      seldom: (when, mayGoOn) => slow.round(when, mayGoOn),
    },
  });
  for (const topic of [MonitorVerdict, MonitorChanged])
    kernel.subscribe(topic, () => rounds.monitorChanged());
  return rounds;
}

/** Adds the methods of rules and alerts. */
export function addMethods(methods: Methods, core: Core, answers: Answers): void {
  const { kernel, alerts, rules, machines, monitors, registry, transitions, changes, notify } =
    core;
  const { auth, clock, log } = kernel;
  addRuleMethods(methods, {
    auth,
    changes,
    rules,
    registry,
    monitors,
    now: () => clock.now(),
    tagsOf: (uuid) => machines.tagsOf(uuid),
    openByRule: () => alerts.openByRule(),
    trueNow: (source, condition, agents) =>
      countTrue({ kernel, registry, machines }, { source, condition }, agents),
  });
  const buckets = kernel.use(ReportBuckets);
  const history = kernel.use(AgentHistory);
  addTestMethod(methods, { kernel, auth, clock, registry, machines, buckets, history });
  const touched = (some: readonly Alert[]) =>
    kernel.publish(AlertTouched, { ids: some.map(({ id }) => id) });
  const tokens = kernel.use(Tokens);
  const own = { agentsOf: (caller: Principal) => agentsOf(tokens, caller) };
  const shared = { auth, clock, store: alerts, rules, monitors, answers };
  const parts = { ...shared, ...own, transitions, notify, touched };
  addReads(methods, parts);
  addHandling(methods, parts);
  const feed = new AlertFeed({
    ...shared,
    log,
    mayReadAny: (caller) => mayReadAny({ auth, tokens, registry }, caller),
  });
  feed.addMethod(methods);
  kernel.subscribe(AlertTouched, ({ ids }) => feed.changed(ids));
  kernel.subscribe(AlertTransition, (told) => feed.changed(told.changes.map(({ id }) => id)));
  kernel.subscribe(DatabaseChanged, () => feed.changed(undefined));
  // A silence or a window hides alerts that are open.
  kernel.subscribe(SettingsChanged, () => feed.changed(undefined));
}
