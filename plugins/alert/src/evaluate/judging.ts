import { ConditionError, type Verdict } from '@svc/conditions';
import { SUMMARY_COLUMNS } from '@svc/plugin-agent/api';
import { CLOSED, type LoadedRule } from '../types.ts';
import type { AgentState, Arrived } from './agent-state.ts';
import type { Bench } from './bench.ts';
import { type Judged, judge, type Live, type Moment, transitionOf } from './live.ts';
import { REST } from './machine.ts';
import { coresOf, partsOf } from './parts.ts';
import {
  detailOf,
  measureOf,
  type Plan,
  type ReadWindow,
  type Values,
  valuesOf,
  verdictOf,
} from './plan.ts';
import { type Facts, identityOf, type Row } from './variables.ts';

/** Distance of two full reports that are looked at, ms. */
const PARTS_EACH_MS = 5_000;
const CORES_EACH_MS = 3_600_000;

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
  const plan = state.planFor(rules);
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
  const moment = { at: arrivalOf(row), now, gap_after_ms: state.nextFull(now) };
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
  endGone(bench, state.gone(rules), { state, at: moment.at });
}

/** Ends alerts whose part the machine does not name any more. */
function endGone(
  { changes }: Bench,
  gone: readonly Live[],
  { state, at }: { readonly state: AgentState; readonly at: number },
): void {
  for (const live of gone) {
    const before = live.held;
    live.held = REST;
    if ((live.row?.state ?? CLOSED) === CLOSED) {
      state.forget(live);
      continue;
    }
    const detail = { ...live.detail, note: 'is no longer there' };
    changes.add(live, { ...transitionOf(live, at), expired: true, detail }, before);
  }
}

/** Counts the cores of a machine, once an hour. */
export function learnCores(state: AgentState, { row, now }: Arrived): void {
  if (now - state.coresAt < CORES_EACH_MS) return;
  state.coresAt = now;
  state.cores = coresOf(row) ?? state.cores;
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
  return { ...identityOf(machines, uuid), cores, offset_ms: clock.usual };
}

function judgeAll(bench: Bench, state: AgentState, plan: Plan, measured: Measured): void {
  const { costs } = bench;
  const began = performance.now();
  for (const loaded of plan.rules) {
    // The condition of the end is measured, too.
    const measuring = costs.begin();
    judgeRule(bench, state, loaded, measured);
    if (measuring) costs.end(loaded.rule, measuring);
  }
  costs.judged(performance.now() - began);
  bench.counts.evaluations += plan.rules.length;
}

function judgeRule(bench: Bench, state: AgentState, loaded: LoadedRule, measured: Measured): void {
  const { values, window, part, moment } = measured;
  const verdict = verdictIn(bench, state, loaded, measured);
  // Most rules do not hold, and have no alert.
  if (!verdict && state.lives.size === 0) return;
  const live = state.live(loaded.rule.id, part);
  if (!live && !verdict) return;
  const isAtRest = (live?.held.state ?? CLOSED) === CLOSED;
  if (verdict && isAtRest && !state.takePlace(part, moment.now)) {
    bench.changes.leaveOut(state.agent.uuid);
    return;
  }
  const judged = judgedBy(bench, state, loaded, { verdict, values, window });
  const judging = live ?? state.begin(loaded.rule.id, part, moment);
  state.names(judging);
  judgeLive(bench, judging, { loaded, judged, moment });
}

/** Evaluates the condition of a rule; undefined where it cannot be. */
function verdictIn(
  bench: Bench,
  state: AgentState,
  { rule, condition }: LoadedRule,
  { values, window }: Measured,
): Verdict {
  try {
    return condition.evaluate(values, window);
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    if (bench.errors.pass(`${rule.id}`) !== undefined)
      bench.parts.onError?.(rule, state.agent.uuid, error.message);
    return undefined;
  }
}

interface Found {
  readonly verdict: Verdict;
  readonly values: Values;
  readonly window: ReadWindow | undefined;
}

function judgedBy(
  { parts: { machines } }: Bench,
  { agent: { uuid } }: AgentState,
  loaded: LoadedRule,
  { verdict, values, window }: Found,
): Judged {
  const { condition, clear } = loaded;
  return {
    condition: verdict,
    clear: () => (clear ? verdictOf(clear, values, window) : verdict === false),
    facts: () => ({
      value: measureOf(condition, values, window),
      detail: detailOf(loaded, values, {
        name: machines.nameOf(uuid),
        tags: machines.tagsOf(uuid),
      }),
    }),
  };
}

interface Judging {
  readonly loaded: LoadedRule;
  readonly judged: Judged;
  readonly moment: Moment;
}

function judgeLive(bench: Bench, live: Live, { loaded, judged, moment }: Judging): void {
  const before = live.held;
  const change = judge(live, loaded, judged, moment);
  if (change) bench.changes.add(live, change, before);
}
