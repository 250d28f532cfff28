import { useMemo, useState } from 'preact/hooks';
import { address, type Machine, setQuery, useCrumbs, useMachines } from '../../frame/index.ts';
import { format } from '../../parts/index.ts';
import {
  type Answer,
  answerOf,
  type Failures,
  keyOfProbe,
  lossFigure,
  type Probe,
  type Reading,
  sinceOf,
  type Totals,
  useFailures,
  useSeries,
  useTotals,
  useUsual,
} from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';

const HOUR = 3_600_000;
/** Times that the page can be about, ms. */
export const RANGES = { '1h': HOUR, '6h': 6 * HOUR, '24h': 24 * HOUR, '7d': 168 * HOUR } as const;
export type Range = keyof typeof RANGES;

/** The probes that the address chooses, and what was measured. */
export function useChoice(list: readonly Probe[]) {
  const { query } = address.value;
  const wanted = query.get('range') as Range | null;
  const range: Range = wanted !== null && Object.hasOwn(RANGES, wanted) ? wanted : '1h';
  const ms = RANGES[range];
  const kind = query.get('kind') ?? '';
  const shown = useMemo(() => list.filter((one) => kind === '' || one.kind === kind), [list, kind]);
  const totals = useTotals(shown, ms);
  const usual = useUsual(shown);
  const key = query.get('probe');
  const asked = shown.find((one) => keyOfProbe(one) === key);
  useCrumbs(...(asked ? [{ label: asked.target }] : []));
  return {
    range,
    ms,
    kind,
    totals,
    usual,
    /** The one that the address names. */
    asked,
    // One alone is open; of several the reader chooses.
    open: asked ?? (shown.length === 1 && key === null ? shown[0] : undefined),
    drawn: totals.data === undefined && totals.error !== undefined ? [] : shown,
    machine: query.get('machine') ?? undefined,
  };
}

/** Opens the curve of one machine. */
export const openMachine = (probe: Probe, uuid: string): void =>
  setQuery({ probe: keyOfProbe(probe), machine: uuid }, { replace: false });

/** Machines that a sentence names; the others are counted. */
export const NAMED = 3;

export interface TargetOptions {
  readonly probe: Probe;
  /** Undefined: they have not come yet. Many machines take their time, and the targets stand meanwhile. */
  readonly totals: Totals | undefined;
  readonly usual: ReadonlyMap<string, number> | undefined;
  readonly ms: number;
  readonly isOpen: boolean;
  /** UUID of the machine whose curve is open. */
  readonly chosen: string | undefined;
}

/** The answer of all machines about one target, and why some of them have none. */
export function useTarget({ probe, totals, usual, ms, isOpen, chosen }: TargetOptions) {
  const answer = useMemo(() => totals && answerOf(probe, totals, usual), [probe, totals, usual]);
  const failing = answer?.readings.filter(hasFailed).map(({ uuid }) => uuid) ?? [];
  const mine = chosen !== undefined && failing.includes(chosen) ? [chosen] : failing;
  const failures = useFailures(probe, isOpen ? mine : failing.slice(0, NAMED), ms);
  return { answer, failures };
}

const hasFailed = ({ mood }: Reading): boolean => mood === 'silent' || mood === 'lossy';

/** Returns the answer in words, and in others what is missing from it: "28 of 31 machines, median 62 ms, slowest web-2 178 ms", "3 away". */
export function useSentence(answer: Answer): readonly [said: string, missing: string] {
  const { nameOf, of } = useMachines();
  const { readings, answered, median, slowest, silent } = answer;
  const unmeasured = readings.filter(({ mood }) => mood === 'away');
  const waiting = unmeasured.filter(({ uuid }) => isWaiting(of(uuid))).length;
  const away = answer.away - waiting;
  if (answer.away === readings.length) return ['', away === 0 ? t.probes.notYet : t.probes.nothing];
  const figure = (ms: number) => format.text(format.milliseconds(ms));
  const joined = (parts: readonly (string | false)[]) =>
    parts.filter((part) => part !== false).join(', ');
  const said = joined([
    t.probes.answers(answered, readings.length),
    median !== null && t.probes.medianOf(figure(median)),
    answered > 1 &&
      slowest?.of?.p50 != null &&
      t.probes.slowestIs(nameOf(slowest.uuid), figure(slowest.of.p50)),
  ]);
  const missing = joined([
    silent > 0 && t.probes.silentCount(silent),
    waiting > 0 && t.probes.notYetCount(waiting),
    away > 0 && t.probes.awayCount(away),
  ]);
  return [said, missing];
}

/** Returns why a machine needs attention, in words. */
export function whyOf({ uuid, mood, of, usual }: Reading, failures: Failures): string {
  const failure = failures.get(uuid);
  if (mood === 'silent')
    return failure ? `${failure.text || t.tasks.noReason} · ${sinceOf(failure)}` : t.probes.silent;
  if (mood === 'lossy') return t.probes.lost(format.text(lossFigure(of?.loss ?? 0)));
  if (mood !== 'slow' || of?.p50 == null || usual === undefined) return '';
  const figure = format.millisecondsOf([of.p50, usual]);
  return t.probes.instead(format.text(figure(of.p50)), format.text(figure(usual)));
}

/** Tells whether a machine takes tasks now, so that what it measures is on its way. */
export const isWaiting = (machine: Machine | undefined): boolean =>
  machine?.connected_for_tasks === true && machine.tasks_allowed !== false;

/** Returns why a machine has measured nothing. */
export function awayOf(machine: Machine | undefined): string {
  if (machine?.tasks_allowed === false) return t.probes.awayTasksOff;
  if (isWaiting(machine)) return `${t.probes.notYet}:`;
  return machine?.connected_for_tasks === false ? t.probes.awayOffline : t.probes.awayHint;
}

type Groups = readonly (readonly [tag: string | undefined, readonly Reading[]])[];

/** Readings by the first tag of each machine, the group with the slowest machine first; those without a tag last. */
export function groupsOf(
  readings: readonly Reading[],
  tagOf: (uuid: string) => string | undefined,
): Groups {
  const found = new Map<string | undefined, Reading[]>();
  for (const one of readings) {
    const tag = tagOf(one.uuid);
    found.set(tag, [...(found.get(tag) ?? []), one]);
  }
  return [...found].sort(([a], [b]) => Number(a === undefined) - Number(b === undefined));
}

/** Curves that are drawn together: one for each colour that there is. */
const MOST_CURVES = 8;

export interface CurvesOptions {
  readonly probe: Probe;
  readonly answer: Answer;
  /** One machine; undefined: the slowest, side by side. */
  readonly machine: string | undefined;
  readonly ms: number;
}

/** Curves of a target and the time that they show. */
export function useCurves({ probe, answer, machine, ms }: CurvesOptions) {
  const answering = answer.readings.filter(({ of }) => of?.p50 != null);
  const isMeasured = answering.length > 0;
  const slowest = useMemo(
    () =>
      answering
        .toSorted((a, b) => (b.of?.p50 ?? 0) - (a.of?.p50 ?? 0))
        .slice(0, MOST_CURVES)
        .map(({ uuid }) => uuid),
    // The drawn curves stay while figures change.
    [probe, isMeasured],
  );
  const agents = machine === undefined ? slowest : [machine];
  const [zooms, setZooms] = useState<readonly (readonly [number, number])[]>([]);
  const zoom = zooms.at(-1);
  const span = zoom ? { ms: zoom[1] - zoom[0], to: zoom[1] } : { ms };
  const curves = useSeries({ ...probe, agents }, span);
  const end = curves.at ?? Date.now();
  const [from, to] = zoom ?? [end - ms, end];
  return {
    curves,
    agents,
    isCut: machine === undefined && answering.length > MOST_CURVES,
    isAll: machine !== undefined || slowest.length === probe.agents.length,
    times: {
      from,
      to,
      onZoom: (a: number, b: number) => setZooms([...zooms, [a, b]]),
      onBack: () => setZooms(zooms.slice(0, -1)),
    },
  };
}
