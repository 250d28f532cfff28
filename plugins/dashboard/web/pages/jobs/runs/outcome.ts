import { plain } from '../../../parts/plain.ts';
import { middle } from '../../../parts/probe/figures.ts';
import { type Job, workOf } from '../model.ts';
import type { Endings } from './endings.ts';
import type { Firing } from './firings.ts';

/** Result of a firing on one machine, or of a script. `away`: it could not be handed over. */
export interface Part {
  readonly id: string;
  readonly uuid: string | undefined;
  readonly state: 'done' | 'failed' | 'running' | 'away';
  /** A result or a reason; undefined: handed over, and its result is no longer kept, or not for this token. */
  readonly text: string | undefined;
  /** Result of a probe, ms. */
  readonly value: number | undefined;
}

export interface Outcome {
  readonly parts: readonly Part[];
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  readonly away: number;
  /** `part`: some took part, and some did not or failed. */
  readonly mood: 'fine' | 'part' | 'bad' | 'open';
  /** Median of the values, ms; null: it has none. */
  readonly median: number | null;
  readonly slowest: Part | undefined;
}

const HANDED = /agent ([0-9a-f-]{36}) failed: (.*)$/s;

/** `endings` undefined: only who took part is known. */
export function outcomeOf({ records }: Firing, job: Job, endings?: Endings | undefined): Outcome {
  const work = workOf(job.cron_type);
  const uuids = new Set(work.kind === 'task' ? work.uuids : []);
  const parts = records.map(({ id, relative_id, success, message }): Part => {
    const ending = endings?.get(String(relative_id));
    const [, reached, reason] = HANDED.exec(message ?? '') ?? [];
    const uuid = reached ?? message?.split(/\s/).find((word) => uuids.has(word));
    const common = { id: String(id), uuid, value: ending?.value };
    if (success !== true)
      return reached === undefined
        ? { ...common, state: 'failed', text: plain(message ?? '') }
        : { ...common, state: 'away', text: reason };
    return { ...common, state: ending?.state ?? 'done', text: ending?.text };
  });
  const count = (state: Part['state']) => parts.filter((one) => one.state === state).length;
  const [done, failed, running, away] = [
    count('done'),
    count('failed'),
    count('running'),
    count('away'),
  ];
  const measured = parts
    .filter(({ state, value }) => state === 'done' && value !== undefined)
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  return {
    parts,
    done,
    failed,
    running,
    away,
    mood: moodOf({ done, failed, running, away }),
    median: middle(measured.map(({ value }) => value ?? 0)),
    slowest: measured[0],
  };
}

type Counts = Pick<Outcome, 'done' | 'failed' | 'running' | 'away'>;

function moodOf({ done, failed, running, away }: Counts): Outcome['mood'] {
  if (done + running === 0 && failed + away > 0) return 'bad';
  if (running > 0) return 'open';
  return failed + away > 0 ? 'part' : 'fine';
}
