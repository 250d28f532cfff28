import { setImmediate } from 'node:timers/promises';
import type { WindowUse } from '@svc/conditions';
import type { Agent, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Kernel } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';
import type { AgentSeries, Traffic } from '@svc/plugin-series/api';
import { measureWindows } from '../evaluate/long-windows.ts';
import { newestRows } from '../evaluate/newest.ts';
import {
  detailOf,
  measureOf,
  type Plan,
  planOf,
  type Values,
  valuesOf,
  verdictOf,
} from '../evaluate/plan.ts';
import { expiresInDays, readFacts } from '../evaluate/stored-facts.ts';
import { type Facts, identityOf, type Row } from '../evaluate/variables.ts';
import type { KnownMachines } from '../machines.ts';
import type { LoadedRules } from '../rules/loaded.ts';
import type { Alert, LoadedRule, Transitions } from '../types.ts';
import { store } from './apply.ts';
import { clearOf, type Judgement, judge, type When } from './judge.ts';

/** Machines that are looked at together. */
const BATCH = 200;
/** Machines whose windows are measured before others have the event loop and the database. */
const SLICE = 10;
/** Judgements of one turn of the event loop. */
const LOOKS = 500;
/** Time of one round: what is left is the first of the next one. */
const ROUND_MS = 200_000;

export interface SlowParts {
  readonly kernel: Pick<Kernel, 'call' | 'system' | 'db' | 'signal' | 'clock' | 'log'>;
  readonly rules: LoadedRules;
  readonly machines: KnownMachines;
  readonly registry: AgentRegistry;
  readonly transitions: Transitions;
  /** undefined: the plugin `series` is off. */
  readonly series: AgentSeries | undefined;
}

/** Stored values of one machine. */
interface Stored {
  readonly row: Row | undefined;
  readonly windows: ReadonlyMap<string, number>;
  readonly facts: Pick<Facts, 'cores' | 'offset_ms'>;
}

const NOTHING: Stored = {
  row: undefined,
  windows: new Map(),
  facts: { cores: undefined, offset_ms: undefined },
};

/** Rules about machines that need more than the reports of the last hour, on the server whose turn it is. */
export class SlowRules {
  readonly #parts: SlowParts;
  readonly #warnings: Throttle;
  /** `Agent.id` at which the next round begins. */
  #next = 0;

  constructor(parts: SlowParts) {
    this.#parts = parts;
    this.#warnings = new Throttle(parts.kernel.clock);
  }

  /** Judges all machines, or as many as the time of a round allows. @throws RpcError 103 */
  async round(when: When, mayGoOn: () => boolean): Promise<void> {
    const { kernel, rules, registry } = this.#parts;
    const running = rules.slow('machine');
    if (running.length === 0) return;
    const end = performance.now() + ROUND_MS;
    const active = registry.list().filter(({ soft_delete }) => !soft_delete);
    active.sort((a, b) => a.id - b.id);
    const agents = [...active.filter(({ id }) => id >= this.#next), ...active].slice(
      0,
      active.length,
    );
    for (let at = 0; at < agents.length; at += BATCH) {
      if (performance.now() > end) {
        this.#next = agents[at]?.id ?? 0;
        kernel.log.warn(
          'rules with long windows take longer than a round: each machine is judged less often',
        );
        return;
      }
      const some = agents.slice(at, at + BATCH);
      const stored = await this.#read(running, some, mayGoOn);
      if (!mayGoOn()) return;
      await this.#judge(running, some, { stored, when });
      await setImmediate();
    }
    this.#next = 0;
  }

  /** Reads what the rules of these machines need; of one that is silent nothing is known. */
  async #read(
    running: readonly LoadedRule[],
    agents: readonly Agent[],
    mayGoOn: () => boolean,
  ): Promise<ReadonlyMap<number, Stored>> {
    const { kernel, machines, rules, series } = this.#parts;
    const { clock } = kernel;
    const needs = new Map<Agent, readonly WindowUse[]>();
    const measured = running.filter(needsReports);
    for (const agent of agents) {
      if (machines.awaySince(agent.uuid) !== undefined) continue;
      const own = measured.filter(({ rule }) => rules.applies(rule, agent.id));
      if (own.length > 0) needs.set(agent, usesOf(own));
    }
    const here = [...needs.keys()];
    if (here.length === 0) return new Map();
    const rows = await newestRows(
      kernel,
      here.map(({ uuid }) => uuid),
    );
    const byUuid = new Map(rows.map(({ uuid, row }) => [uuid, row]));
    const names = measured.flatMap((loaded) => planFor(loaded).facts);
    const factsOf = await readFacts({ kernel, machines }, names, here);
    const uses = [...needs.values()].flat();
    const isTraffic = uses.some((use) => use.function === 'traffic');
    const traffic = isTraffic ? await series?.traffic(here, clock.now()) : undefined;
    const stored = new Map<number, Stored>();
    for (const [n, [agent, own]] of [...needs].entries()) {
      if (n % SLICE === 0) await setImmediate();
      if (!mayGoOn()) return stored;
      const windows = await this.#measure(agent, own, traffic?.get(agent.id));
      const facts = factsOf(agent, clock.now());
      stored.set(agent.id, { row: byUuid.get(agent.uuid), windows, facts });
    }
    return stored;
  }

  /** Measures windows of one machine. A window that cannot be read has no value. */
  async #measure(agent: Agent, uses: readonly WindowUse[], traffic: Traffic | undefined) {
    const { kernel, series } = this.#parts;
    const { clock, signal, log } = kernel;
    const spans = uses.filter(({ span }) => typeof span === 'number');
    let windows = new Map<string, number>();
    try {
      if (series && spans.length > 0)
        windows = await measureWindows(spans, { series, agent, now: clock.now(), signal });
    } catch (error) {
      if (signal.aborted) throw error;
      const more = this.#warnings.pass();
      if (more !== undefined) log.warn('long windows could not be measured', { error, more });
    }
    if (!traffic) return windows;
    for (const { key, span } of uses)
      if (span === 'day' || span === 'month') windows.set(key, traffic[span]);
    return windows;
  }

  async #judge(
    running: readonly LoadedRule[],
    agents: readonly Agent[],
    { stored, when }: { stored: ReadonlyMap<number, Stored>; when: When },
  ): Promise<void> {
    const { rules, transitions } = this.#parts;
    const uuids = agents.map(({ uuid }) => uuid);
    const alerts = await transitions.load('agent', uuids);
    const known = new Map(alerts.map((alert) => [`${alert.rule_id} ${alert.subject_id}`, alert]));
    const judged: Judgement[] = [];
    for (const { id, uuid } of agents) {
      for (const loaded of running) {
        if (!rules.applies(loaded.rule, id)) continue;
        const alert = known.get(`${loaded.rule.id} ${uuid}`);
        judged.push(this.#look(loaded, { uuid, alert, when, stored: stored.get(id) ?? NOTHING }));
        if (judged.length % LOOKS === 0) await setImmediate();
      }
    }
    await store(transitions, judged);
  }

  #look(
    loaded: LoadedRule,
    {
      uuid,
      alert,
      when,
      stored,
    }: { uuid: string; alert: Alert | undefined; when: When } & {
      readonly stored: Stored;
    },
  ): Judgement {
    const { machines } = this.#parts;
    const [name, tags] = [machines.nameOf(uuid), machines.tagsOf(uuid)];
    const facts = {
      ...stored.facts,
      ...identityOf(machines, uuid),
      expires_in_days: expiresInDays(machines, uuid, when.at),
    };
    const values: Values = valuesOf(planFor(loaded), stored.row ?? [], () => facts);
    const window = ({ key }: WindowUse) => stored.windows.get(key);
    const condition = verdictOf(loaded.condition, values, window);
    const clear = clearOf(loaded, condition, values, window);
    const key = { subject_kind: 'agent', subject_id: uuid, part: '' } as const;
    const value = measureOf(loaded.condition, values, window);
    const detail = detailOf(loaded, values, { name, tags });
    return judge({ loaded, key, alert, condition, clear, value, detail }, when);
  }
}

const conditionsOf = ({ condition, clear }: LoadedRule) =>
  clear ? [condition, clear] : [condition];

const usesOf = (rules: readonly LoadedRule[]): WindowUse[] => {
  const uses = rules.flatMap(conditionsOf).flatMap(({ windows }) => windows);
  return [...new Map(uses.map((use) => [use.key, use])).values()];
};

/** Tells whether a rule reads values of reports, and not metadata of machines alone. */
const needsReports = (loaded: LoadedRule): boolean => {
  const { measured, facts } = planFor(loaded);
  const isRead = facts.some((name) => name === 'cores' || name === 'clock_offset_s');
  return isRead || measured.length > 0 || usesOf([loaded]).length > 0;
};

const plans = new WeakMap<LoadedRule, Plan>();

function planFor(loaded: LoadedRule): Plan {
  const plan = plans.get(loaded) ?? planOf([loaded]);
  plans.set(loaded, plan);
  return plan;
}
