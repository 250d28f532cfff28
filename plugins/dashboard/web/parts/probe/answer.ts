import { isMended, isSlow, middle, type Percentiles } from './figures.ts';
import { keyOfProbe, type Probe } from './probes.ts';
import type { Totals } from './series.ts';

/** `silent`: everything was lost. `away`: nothing was measured. The order is that of the list: the worst first. */
const MOODS = ['silent', 'lossy', 'slow', 'fine', 'away'] as const;

/** Result of one machine for a target. */
export interface Reading {
  readonly uuid: string;
  readonly mood: (typeof MOODS)[number];
  readonly of: Percentiles | undefined;
  /** Usual median at this hour, ms. */
  readonly usual: number | undefined;
}

/** Result of all machines together for a target. */
export interface Answer {
  /** The worst first, the slowest first among equals. */
  readonly readings: readonly Reading[];
  readonly answered: number;
  readonly silent: number;
  readonly away: number;
  /** Median of the machines' medians, ms; null: no machine had an answer. */
  readonly median: number | null;
  readonly slowest: Reading | undefined;
}

/** Part of lost packets from which a result needs attention: less is normal on the internet. */
const LOSSY = 0.01;

function moodOf(of: Percentiles | undefined, usual: number | undefined): Reading['mood'] {
  if (!of) return 'away';
  if (of.p50 === null) return 'silent';
  if ((of.loss ?? 0) >= LOSSY && !isMended(of)) return 'lossy';
  return isSlow(of.p50, usual) ? 'slow' : 'fine';
}

export function answerOf(
  probe: Probe,
  totals: Totals,
  usually: ReadonlyMap<string, number> | undefined,
): Answer {
  const key = keyOfProbe(probe);
  const readings = probe.agents.map((uuid): Reading => {
    const [of, usual] = [totals.get(`${key} ${uuid}`), usually?.get(`${key} ${uuid}`)];
    return { uuid, mood: moodOf(of, usual), of, usual };
  });
  readings.sort(
    (a, b) =>
      MOODS.indexOf(a.mood) - MOODS.indexOf(b.mood) ||
      (b.of?.loss ?? 0) - (a.of?.loss ?? 0) ||
      (b.of?.p50 ?? 0) - (a.of?.p50 ?? 0),
  );
  const count = (mood: Reading['mood']) => readings.filter((one) => one.mood === mood).length;
  const answers = readings.filter(({ of }) => of?.p50 != null);
  const [silent, away] = [count('silent'), count('away')];
  return {
    readings,
    answered: answers.length,
    silent,
    away,
    median: middle(answers.map(({ of }) => of?.p50 ?? 0)),
    slowest: answers.toSorted((a, b) => (b.of?.p50 ?? 0) - (a.of?.p50 ?? 0))[0],
  };
}

/** Tells whether a result needs attention. */
export const isBad = ({ mood }: Reading): boolean =>
  mood === 'silent' || mood === 'lossy' || mood === 'slow';
