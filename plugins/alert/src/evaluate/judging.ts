import { SUMMARY_COLUMNS } from '@svc/plugin-agent/api';
import type { LoadedRule } from '../types.ts';
import type { AgentState, Arrived } from './agent-state.ts';
import type { Bench } from './bench.ts';
import { judge, type Moment } from './live.ts';
import { partsOf } from './parts.ts';
import {
  detailOf,
  measureOf,
  type Plan,
  type ReadWindow,
  type Values,
  valuesOf,
  verdictOf,
} from './plan.ts';
import type { Facts, Row } from './variables.ts';

/** Distance of two full reports that are looked at, ms. */
const PARTS_EACH_MS = 5_000;

interface Work {
  readonly rules: readonly LoadedRule[];
  readonly arrived: Arrived;
}

/** Values of one subject at one moment. */
interface Measured {
  readonly part: string;
  readonly values: Values;
  readonly window: ReadWindow | undefined;
  readonly moment: Moment;
}

/** Judges a summary by the rules of its agent. */
export function judgeSummary(
  bench: Bench,
  state: AgentState,
  { rules, arrived: { row, now } }: Work,
): void {
  const at = arrivalOf(row);
  if (!isCurrent(bench, state, row, now)) return;
  const plan = state.planFor(rules, () => bench.parts.rules.windowsOf(state.agent.id));
  for (const { name, read } of plan.windowed) {
    const value = read(row);
    if (value !== null) state.minutes.get(name)?.add(value, at);
  }
  const values = valuesOf(plan, row, () => factsOf(bench, state));
  const window: ReadWindow = (use) => state.minutes.get(use.variable)?.value(use, at);
  const moment = { at, now, gap_after_ms: state.pace.next(now) };
  judgeAll(bench, state, plan, { part: '', values, window, moment });
}

/** Judges the parts that a full report names, every five seconds at most. */
export function judgeFull(
  bench: Bench,
  state: AgentState,
  { rules, arrived: { row, now } }: Work,
): void {
  if (now - state.partsAt < PARTS_EACH_MS || !isCurrent(bench, state, row, now)) return;
  state.partsAt = now;
  const moment = { at: arrivalOf(row), now, gap_after_ms: state.fullPace.next(now) };
  for (const [kind, plan] of state.partPlans(rules)) {
    const common = valuesOf(plan, row, () => factsOf(bench, state));
    for (const { part, values } of partsOf(kind, row)) {
      judgeAll(bench, state, plan, {
        part,
        values: { ...common, ...values },
        window: undefined,
        moment,
      });
    }
  }
}

const arrivalOf = (row: Row): number => Number(row[SUMMARY_COLUMNS.storage_time]);

function isCurrent({ counts }: Bench, state: AgentState, row: Row, now: number): boolean {
  counts.reports++;
  const isNow = state.clock.isCurrent(arrivalOf(row) - Number(row[SUMMARY_COLUMNS.timestamp]), now);
  if (!isNow) counts.late++;
  return isNow;
}

function factsOf(
  { parts: { machines } }: Bench,
  { agent: { uuid }, clock, cores }: AgentState,
): Facts {
  return {
    name: machines.nameOf(uuid),
    tags: machines.tagsOf(uuid),
    region: machines.regionOf(uuid),
    cores,
    offset_ms: clock.usual,
  };
}

function judgeAll(bench: Bench, state: AgentState, plan: Plan, measured: Measured): void {
  for (const loaded of plan.rules) judgeOne(bench, state, loaded, measured);
  bench.counts.evaluations += plan.rules.length;
}

function judgeOne(
  bench: Bench,
  state: AgentState,
  loaded: LoadedRule,
  { part, values, window, moment }: Measured,
): void {
  const { rule, condition, clear } = loaded;
  const { uuid } = state.agent;
  const failed = (message: string) => bench.costs.failed(rule, uuid, { message, now: moment.now });
  const verdict = bench.costs.measure(rule, () => verdictOf(condition, values, window, failed));
  const live =
    state.live(rule.id, part) ?? (verdict ? state.begin(rule.id, part, moment) : undefined);
  if (!live) return;
  const before = live.held;
  const { machines } = bench.parts;
  const judged = {
    condition: verdict,
    clear: () => (clear ? verdictOf(clear, values, window, failed) : verdict === false),
    facts: () => ({
      value: measureOf(condition, values, window),
      detail: detailOf(loaded, values, {
        name: machines.nameOf(uuid),
        tags: machines.tagsOf(uuid),
      }),
    }),
  };
  const change = judge(live, loaded, judged, moment);
  if (change) bench.changes.add(live, change, before);
}
