import type { Rule } from '../types.ts';

/** Evaluations of which one is measured. */
const SAMPLED = 16;
/** Measured evaluations that one judgement is made of: a thousand in all. */
const SAMPLES = 64;
/** Processor time of one evaluation that counts as a strike, ms. */
const STRIKE_MS = 20;
/** Strikes within a time after which a rule is slow, whatever its average. */
const STRIKES = 3;
const STRIKES_WITHIN_MS = 600_000;
/** Evaluations that are all measured after a report that took long. */
const WATCHED = 1_000;

export interface Complaints {
  /** The rule took more than a millisecond on average, or far more several times. */
  readonly onSlow?: (rule: Rule) => void;
}

/** Beginning of an evaluation that is measured. */
export interface Measuring {
  readonly at: number;
  readonly cpu: NodeJS.CpuUsage | undefined;
  readonly isSampled: boolean;
}

/** Measures rules, and says which ones are slow. */
export class Costs {
  readonly #complaints: Complaints;
  readonly #slow_ms: () => number;
  readonly #samples = new Map<number, { count: number; ms: number }>();
  readonly #strikes = new Map<number, number[]>();
  #turn = 0;
  /** Evaluations that are still to be watched. */
  #watched = 0;

  constructor(complaints: Complaints, slow_ms: () => number) {
    this.#complaints = complaints;
    this.#slow_ms = slow_ms;
  }

  /** Begins to measure the next evaluation; undefined: it is not measured. */
  begin(): Measuring | undefined {
    const isSampled = ++this.#turn % SAMPLED === 0;
    if (!isSampled && this.#watched === 0) return undefined;
    const cpu = this.#watched > 0 ? process.cpuUsage() : undefined;
    if (cpu) this.#watched--;
    return { at: performance.now(), cpu, isSampled };
  }

  end(rule: Rule, { at, cpu, isSampled }: Measuring): void {
    const now = performance.now();
    const ms = now - at;
    if (isSampled) this.add(rule, ms);
    if (!cpu || ms <= STRIKE_MS) return;
    // Another program may have had the processor meanwhile.
    const { user, system } = process.cpuUsage(cpu);
    if ((user + system) / 1_000 > STRIKE_MS) this.strike(rule, now);
  }

  /** Takes note of how long all rules took with one report: after a long time each is watched. */
  judged(ms: number): void {
    if (ms > STRIKE_MS) this.#watched = WATCHED;
  }

  /** Adds the time of one evaluation. */
  add(rule: Rule, ms: number): void {
    const sample = this.#samples.get(rule.id) ?? { count: 0, ms: 0 };
    this.#samples.set(rule.id, sample);
    sample.count++;
    sample.ms += ms;
    if (sample.count < SAMPLES) return;
    this.#samples.delete(rule.id);
    if (sample.ms / SAMPLES > this.#slow_ms()) this.#complaints.onSlow?.(rule);
  }

  /** Notes an evaluation that took far too long; `now` is monotonic. */
  strike(rule: Rule, now: number): void {
    const before = this.#strikes.get(rule.id) ?? [];
    const strikes = [...before.filter((at) => now - at < STRIKES_WITHIN_MS), now];
    this.#strikes.set(rule.id, strikes);
    if (strikes.length < STRIKES) return;
    this.#strikes.delete(rule.id);
    this.#complaints.onSlow?.(rule);
  }

  /** Forgets rules that are gone. */
  keep(rules: readonly Rule[]): void {
    const ids = new Set(rules.map(({ id }) => id));
    for (const map of [this.#samples, this.#strikes]) {
      for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
    }
  }
}
