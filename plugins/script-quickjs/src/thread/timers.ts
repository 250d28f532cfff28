const MOST_TIMERS = 4_096;

/** Timers of one context; callbacks stay with the script. */
export class Timers {
  readonly #fire: (id: number) => void;
  readonly #open = new Map<number, () => void>();
  #last = 0;
  /** Some timer was set since the last look. */
  used = false;

  constructor(fire: (id: number) => void) {
    this.#fire = fire;
  }

  /** @throws RangeError when too many are open, TypeError for an unknown kind */
  answer(kind: string, value: unknown): { readonly value: unknown } | undefined {
    if (kind === 'timer') {
      const [type, ms] = Array.isArray(value) ? value : [];
      return { value: this.#set(String(type), Number(ms)) };
    }
    if (kind !== 'clear') return undefined;
    this.#stop(Number(value));
    return { value: null };
  }

  clear(): void {
    for (const id of [...this.#open.keys()]) this.#stop(id);
  }

  #set(kind: string, ms: number): number {
    const start = starters.get(kind);
    if (!start) throw new TypeError('unknown timer');
    if (this.#open.size >= MOST_TIMERS) throw new RangeError('too many timers are set');
    this.used = true;
    const id = ++this.#last;
    const once = () => {
      this.#open.delete(id);
      this.#fire(id);
    };
    this.#open.set(id, start(kind === 'interval' ? () => this.#fire(id) : once, ms));
    return id;
  }

  #stop(id: number): void {
    this.#open.get(id)?.();
    this.#open.delete(id);
  }
}

type Start = (run: () => void, ms: number) => () => void;

const timeout: Start = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
const interval: Start = (run, ms) => {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
};
const immediate: Start = (run) => {
  const timer = setImmediate(run);
  return () => clearImmediate(timer);
};
/** Each gives what stops it. */
const starters = new Map<string, Start>(Object.entries({ timeout, interval, immediate }));
