import type { Rule } from '../types.ts';

/** One of so many evaluations is measured. */
const SAMPLED = 16;
/** Measured evaluations that one judgement is made of: a thousand in all. */
const SAMPLES = 64;
const HOUR_MS = 3_600_000;

export interface Complaints {
  /** The rule took more than a millisecond on average. */
  readonly onSlow?: (rule: Rule) => void;
  /** The rule cannot be evaluated; once an hour a rule. */
  readonly onError?: (rule: Rule, subject: string, message: string) => void;
}

/** Measures rules, and says which ones are slow or fail. */
export class Costs {
  readonly #complaints: Complaints;
  readonly #slow_ms: () => number;
  readonly #samples = new Map<number, { count: number; ms: number }>();
  readonly #failed = new Map<number, number>();
  #turn = 0;

  constructor(complaints: Complaints, slow_ms: () => number) {
    this.#complaints = complaints;
    this.#slow_ms = slow_ms;
  }

  /** Tells whether the next evaluation is to be measured. */
  isSampled(): boolean {
    return ++this.#turn % SAMPLED === 0;
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

  /** Tells of a rule that cannot be evaluated; `now` is monotonic. */
  failed(
    rule: Rule,
    subject: string,
    { message, now }: { readonly message: string; readonly now: number },
  ): void {
    const last = this.#failed.get(rule.id);
    if (last !== undefined && now - last < HOUR_MS) return;
    this.#failed.set(rule.id, now);
    this.#complaints.onError?.(rule, subject, message);
  }

  /** Forgets rules that are gone. */
  keep(rules: readonly Rule[]): void {
    const ids = new Set(rules.map(({ id }) => id));
    for (const map of [this.#samples, this.#failed]) {
      for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
    }
  }
}
