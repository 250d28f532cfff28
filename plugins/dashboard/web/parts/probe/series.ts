import type { BatchEntry, Methods } from '@svc/client';
import { type Resource, usePoll } from '../../frame/resources.ts';
import { useServer } from '../../frame/server.ts';
import {
  answeredSince,
  middle,
  type Percentiles,
  type ProbeSeries,
  percentilesOf,
} from './figures.ts';
import { keyOfProbe, type Probe } from './probes.ts';

type Answer = Methods['task_query_series']['result'];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Agents of one call. */
const AGENTS = 100;
/** Days that tell what is usual. */
const DAYS = 7;
const USUAL_EVERY_MS = 10 * MINUTE;
/** Targets whose usual latency is looked up. */
const TARGETS = 40;

/** Few enough for several probes in each: percentiles of one are no percentiles. */
const POINTS = 60;

interface Ends {
  readonly from: number;
  readonly to: number;
}

function* asks({ kind, target, agents }: Probe, { from, to }: Ends, points: number) {
  for (let at = 0; at < agents.length; at += AGENTS) {
    const some = agents.slice(at, at + AGENTS);
    yield ['task_query_series', { type: kind, target, agents: some, from, to, points }] as const;
  }
}

/** `key of the probe` + ` ` + `uuid` → percentiles; absent where nothing was measured. */
export type Totals = ReadonlyMap<string, Percentiles>;

/** Loss and percentiles of each probe and agent over the last `ms`. */
export function useTotals(probes: readonly Probe[], ms: number): Resource<Totals> {
  const { client } = useServer();
  const key = `totals ${ms} ${probes.map((one) => `${keyOfProbe(one)} ${one.agents.join()}`).join('|')}`;
  return usePoll<Totals>(
    key,
    async () => {
      const to = Date.now();
      const ends = { from: to - ms, to };
      const found = new Map<string, Percentiles>();
      for (const [name, series] of await seriesOf(client, probes, ends, 1)) {
        const totals = percentilesOf(series);
        if (totals) found.set(name, totals);
      }
      const lossy = probes.flatMap((probe) => {
        const agents = probe.agents.filter((uuid) => {
          const { loss = null, p50 = null } = found.get(`${keyOfProbe(probe)} ${uuid}`) ?? {};
          return loss !== null && loss > 0 && p50 !== null;
        });
        return agents.length === 0 ? [] : { ...probe, agents };
      });
      for (const [name, series] of await seriesOf(client, lossy, ends, POINTS)) {
        const totals = found.get(name);
        if (totals) found.set(name, { ...totals, answeredSince: answeredSince(series) });
      }
      return found;
    },
    { every_ms: Math.max(15_000, ms / 240) },
  );
}

type Client = ReturnType<typeof useServer>['client'];

/** The series of each probe and agent, by `key of the probe` + ` ` + `uuid`. */
async function seriesOf(client: Client, probes: readonly Probe[], ends: Ends, points: number) {
  const calls = probes.flatMap((probe) =>
    [...asks(probe, ends, points)].map((call) => ({ probe, call })),
  );
  const answers = await settled(
    client,
    calls.map(({ call }) => call),
  );
  return calls.flatMap(({ probe }, at) =>
    (answers[at]?.series ?? []).map(
      (series) => [`${keyOfProbe(probe)} ${series.uuid}`, series] as const,
    ),
  );
}

async function settled(
  client: Client,
  calls: readonly (readonly ['task_query_series', object])[],
): Promise<readonly (Answer | undefined)[]> {
  if (calls.length === 0) return [];
  const answers = await client.batch(calls as unknown as BatchEntry<Methods>[]);
  const failed = answers.find((one) => one.status === 'rejected');
  if (failed?.status === 'rejected' && answers.every((one) => one.status === 'rejected'))
    throw failed.reason;
  return answers.map((one) => (one.status === 'fulfilled' ? (one.value as Answer) : undefined));
}

/** The median latency of the same hour of the last seven days, by probe and agent, ms. */
export function useUsual(probes: readonly Probe[]): ReadonlyMap<string, number> | undefined {
  const { client } = useServer();
  const some = probes.slice(0, TARGETS);
  const { data } = usePoll(
    `usual ${some.map(keyOfProbe).join('|')}`,
    async (signal) => {
      const found = new Map<string, number>();
      const now = Date.now();
      // One target after the other: the server reads a week for it, and others wait for answers, too.
      for (const probe of some) {
        if (signal.aborted) break;
        const calls = Array.from({ length: DAYS }, (_, day) => now - (day + 1) * DAY).flatMap(
          (to) => [...asks(probe, { from: to - HOUR, to }, 1)],
        );
        const medians = new Map<string, number[]>();
        for (const answer of await settled(client, calls))
          for (const { uuid, p50 } of answer?.series ?? [])
            if (p50[0] != null) medians.set(uuid, [...(medians.get(uuid) ?? []), p50[0]]);
        for (const [uuid, values] of medians) {
          const usual = middle(values);
          if (usual !== null) found.set(`${keyOfProbe(probe)} ${uuid}`, usual);
        }
      }
      return found;
    },
    { every_ms: USUAL_EVERY_MS },
  );
  return data;
}

export interface Latencies {
  readonly from: number;
  readonly step_ms: number;
  readonly series: readonly ProbeSeries[];
}

/** Curves of one probe. `to` undefined: until now, and on. */
export function useSeries(
  probe: Probe,
  span: { readonly ms: number; readonly to?: number | undefined },
): Resource<Latencies> {
  const { client } = useServer();
  return usePoll<Latencies>(
    `curves ${keyOfProbe(probe)} ${probe.agents.join()} ${span.ms} ${span.to ?? ''}`,
    async () => {
      const to = span.to ?? Date.now();
      const calls = [...asks(probe, { from: to - span.ms, to }, POINTS)];
      const answers = await settled(client, calls);
      const [first] = answers;
      return {
        from: first?.from ?? to - span.ms,
        step_ms: first?.step_ms ?? span.ms / POINTS,
        series: answers.flatMap((answer) => answer?.series ?? []),
      };
    },
    span.to === undefined ? { every_ms: Math.max(10_000, span.ms / POINTS) } : {},
  );
}
