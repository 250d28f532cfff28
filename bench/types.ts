/** One line of the table. */
export interface Figure {
  readonly scenario: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** `[least]` or `[undefined, most]`; absent for yardsticks and background. */
  readonly goal?: { readonly least: number } | { readonly most: number };
  readonly note?: string;
}

export type Dialect = 'sqlite' | 'postgres';

/** Measures and returns its lines. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  run(): Promise<Figure[]>;
}

export const reached = ({ value, goal }: Figure): boolean =>
  goal === undefined || ('least' in goal ? value >= goal.least : value <= goal.most);
