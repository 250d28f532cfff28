import type { Logger } from '@svc/plugin-sdk';
import type { Family, Metrics } from './api.ts';
import { familyText } from './text.ts';

/** Registry of metrics by family. */
export class Registry implements Metrics {
  /** Prefix of every name: the brand's word. */
  readonly prefix: string;
  readonly #log: Logger;
  readonly #families = new Map<string, Family>();

  constructor(word: string, log: Logger) {
    this.prefix = word.replace(/\W/g, '_');
    this.#log = log;
  }

  add(...families: readonly Family[]): void {
    for (const family of families) {
      if (this.#families.has(family.name))
        throw new Error(`the metric '${family.name}' is there already`);
      this.#families.set(family.name, family);
    }
  }

  /** OpenMetrics text of each family. */
  texts(): string[] {
    return this.map((family) => familyText(this.prefix, family));
  }

  /** Results of `form` for each family; one that cannot be read is left out, and the log says why. */
  map<T>(form: (family: Family) => T): T[] {
    return [...this.#families.values()].flatMap((family) => {
      try {
        return [form(family)];
      } catch (error) {
        this.#log.warn('a metric could not be read', { metric: family.name, error });
        return [];
      }
    });
  }
}
