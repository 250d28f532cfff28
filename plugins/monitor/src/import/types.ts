/** Programs whose files are read. */
export const FORMATS = ['kuma', 'gatus', 'healthchecks', 'beszel'] as const;
export type Format = (typeof FORMATS)[number];

/** What is made of the parts of a file. */
export const TYPES = ['channel', 'monitor', 'rule', 'window'] as const;
export type ItemType = (typeof TYPES)[number];

export type Values = Readonly<Record<string, unknown>>;

/** One thing of a file, and what is made of it. */
export interface Item {
  /** Unique in the file, and the same whenever it is read: `monitor:12`. */
  readonly id: string;
  readonly type: ItemType;
  readonly name: string;
  /** Its kind in the file. */
  readonly was: string;
  /** Members for the method that makes it, without name and references; absent: it is not made. */
  readonly make?: Values;
  /** Reason that it is not made. */
  readonly why?: string;
  /** Differences from what it was. */
  readonly notes: readonly string[];
  /** Key by which jobs call a heartbeat. */
  readonly key?: string;
  /** Ids of the items that are members of a group. */
  readonly members?: readonly string[];
  /** Ids of the monitors that a window is about. */
  readonly monitors?: readonly string[];
  /** Names of the machines that a rule or a window is about. */
  readonly machines?: readonly string[];
}

/** What a file holds, by what would be made of it. */
export interface Plan {
  readonly format: Format;
  /** Name of the installation that the file is of: `kuma:3f2a…`. */
  readonly source: string;
  readonly items: readonly Item[];
  /** Conditions as they were, and as they are. */
  readonly rewritings: readonly (readonly [from: string, to: string])[];
}

/** A file that cannot be used, in words for the person who chose it. */
export class ImportFault extends Error {
  override readonly name = 'ImportFault';
}
