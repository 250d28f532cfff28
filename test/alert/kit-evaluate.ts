/** Rules and alerts in memory, for tests of what judges reports: the store of the product has tests of its own. */

import { compile } from '../../conditions/src/index.ts';
import { VOCABULARIES } from '../../plugins/alert/src/evaluate/variables.ts';
import {
  type Alert,
  CLOSED,
  type LoadedRule,
  type Machines,
  OPEN,
  type Rule,
  type Rules,
  type Transition,
  type Transitions,
} from '../../plugins/alert/src/types.ts';

const DEFAULTS: Omit<Rule, 'id' | 'name' | 'condition'> = {
  enable: true,
  source: 'machine',
  scope: { all: true },
  clear: null,
  for_s: 0,
  clear_for_s: 0,
  severity: 'warning',
  notify: true,
  policy: null,
  repeat_s: null,
  summary: '',
  runbook: '',
  labels: {},
  shipped: null,
  owner: null,
  version: 1,
  meaning: 1,
};

let ids = 0;

export function loadedRule(condition: string, over: Partial<Rule> = {}): LoadedRule {
  const id = ++ids;
  const rule: Rule = { ...DEFAULTS, id, name: `rule ${id}`, condition, ...over };
  const read = (text: string) => {
    const result = compile(text, VOCABULARIES[rule.source]);
    if ('faults' in result) throw new Error(`${text}: ${result.faults[0]?.message}`);
    return result.condition;
  };
  return {
    rule,
    condition: read(condition),
    clear: rule.clear === null ? undefined : read(rule.clear),
  };
}

/** Rules that apply to every agent. */
export class MemoryRules implements Rules {
  #rules: readonly LoadedRule[] = [];
  #machine: readonly LoadedRule[] = [];
  #parts: readonly LoadedRule[] = [];
  #listeners = new Set<() => void>();

  set(...rules: readonly LoadedRule[]): void {
    this.#rules = rules;
    this.#machine = rules.filter(({ rule }) => rule.source === 'machine');
    this.#parts = rules.filter(({ rule }) => rule.source === 'part');
    for (const listener of this.#listeners) listener();
  }

  list = () => this.#rules.map(({ rule }) => rule);
  byId = (id: number) => this.list().find((rule) => rule.id === id);
  ofMachine = () => this.#machine;
  ofParts = () => this.#parts;
  get anyParts(): boolean {
    return this.#parts.length > 0;
  }
  usesReports = () => true;
  slow = () => [];
  applies = () => true;
  windowsOf = () => this.#machine.flatMap(({ condition }) => condition.windows);
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Rows of alerts with compare and set, shared by several servers of a test. */
export class MemoryAlerts implements Transitions {
  readonly rows = new Map<string, Alert>();
  /** Openings and ends, `opened /`, `closed`. */
  readonly told: string[] = [];
  loads = 0;
  fails = false;
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  async apply(changes: readonly Transition[]) {
    if (this.fails) throw new Error('the database is away');
    return changes.map((change) => this.#apply(change));
  }

  #apply(change: Transition): { alert: Alert; made: boolean } {
    const key = `${change.rule_id}/${change.subject_id}/${change.part}`;
    const row = this.rows.get(key);
    if (row?.version !== change.from?.version) return { alert: row as Alert, made: false };
    const was = row?.state ?? CLOSED;
    const opens = change.to === OPEN && was < OPEN;
    const closes = change.to === CLOSED && was >= OPEN;
    if (opens) this.told.push(`opened ${change.part}`.trim());
    if (closes) this.told.push(`closed ${change.part}`.trim());
    const { to: state, from: _from, by: _by, expired: _expired, at, ...rest } = change;
    const alert: Alert = {
      ...rest,
      id: row?.id ?? this.rows.size + 1,
      state,
      version: (row?.version ?? 0) + 1,
      episode: (row?.episode ?? 0) + (opens ? 1 : 0),
      opened_at: opens ? at : (row?.opened_at ?? null),
      closed_at: closes ? at : null,
      told: null,
      acked_by: null,
      acked_at: null,
      acked_until: null,
      ack_note: null,
      flaps: [...(row?.flaps ?? []), ...(opens ? [at] : [])],
      next_at: null,
      updated_at: this.now(),
    };
    this.rows.set(key, alert);
    return { alert, made: true };
  }

  async progress(alerts: Parameters<Transitions['progress']>[0]): Promise<void> {
    for (const alert of alerts) {
      for (const [key, row] of this.rows) {
        if (row.id !== alert.id || row.version !== alert.version) continue;
        this.rows.set(key, { ...row, ...alert, updated_at: this.now() });
      }
    }
  }

  async load(_kind: string, subjects: readonly string[]): Promise<readonly Alert[]> {
    if (this.fails) throw new Error('the database is away');
    this.loads++;
    return [...this.rows.values()].filter(({ subject_id }) => subjects.includes(subject_id));
  }

  get only(): Alert {
    const [row] = this.rows.values();
    if (!row || this.rows.size > 1) throw new Error(`${this.rows.size} rows`);
    return row;
  }
}

export const machines: Machines = {
  nameOf: () => 'web-1',
  tagsOf: () => ['web'],
  regionOf: () => 'eu',
  parentOf: () => undefined,
  expiresAt: () => undefined,
  awaySince: () => undefined,
  standingAt: () => [],
};
