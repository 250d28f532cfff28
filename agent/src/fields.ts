/** Error in the configuration. The message names the key and says which values it takes. */
export class ConfigError extends Error {}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Reads the keys of one TOML table with their types. Every error names the key. Other keys are ignored. */
export class Fields {
  readonly #table: Record<string, unknown>;
  readonly #prefix: string;

  constructor(table: Record<string, unknown>, prefix: string) {
    this.#table = table;
    this.#prefix = prefix;
  }

  fail(key: string, problem: string): never {
    throw new ConfigError(`${this.#prefix}${key} ${problem}`);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#table, key);
  }

  text(key: string, fallback?: string): string {
    const value = this.#read(key, fallback);
    return typeof value === 'string' ? value : this.fail(key, 'must be a string');
  }

  integer(key: string, fallback: number, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.#read(key, fallback);
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value;
    }
    return this.fail(key, `must be an integer from ${min} to ${max}`);
  }

  /** Milliseconds, from 1 to the longest timer of Node (about 24 days). */
  interval(key: string, fallback: number): number {
    return this.integer(key, fallback, 1, LONGEST_TIMER_MS);
  }

  flag(key: string, fallback = false): boolean {
    const value = this.#read(key, fallback);
    return typeof value === 'boolean' ? value : this.fail(key, 'must be true or false');
  }

  texts(key: string): string[] {
    const value = this.#read(key, []);
    const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
    return isList ? value : this.fail(key, 'must be a list of strings');
  }

  oneOf<T extends string>(key: string, choices: readonly T[], fallback?: T): T {
    const text = this.text(key, fallback);
    const found = choices.find((choice) => choice === text);
    return found ?? this.fail(key, `must be one of ${choices.join(', ')}`);
  }

  tables(key: string): Fields[] {
    const value = this.#read(key, []);
    if (!Array.isArray(value)) return this.fail(key, `must be written as [[${key}]]`);
    return value.map((entry: unknown, index) => {
      if (typeof entry !== 'object' || entry === null) this.fail(key, 'must hold tables');
      return new Fields(entry as Record<string, unknown>, `${key}[${index}].`);
    });
  }

  #read(key: string, fallback: unknown): unknown {
    const value = this.has(key) ? this.#table[key] : fallback;
    return value === undefined ? this.fail(key, 'is missing') : value;
  }
}
