import { setImmediate as breathe } from 'node:timers/promises';
import type { Database } from '@svc/plugin-sdk';
import type { IsVisible } from '../alerts/visible.ts';
import type { MonitorNames } from '../monitors.ts';
import { asSevere } from '../rules/severity.ts';
import { readRows } from '../store/read.ts';
import { ALERT, type AlertRow, alertOf } from '../store/rows.ts';
import type { Alert, Machines, Matcher, Placed, Rule, Rules } from '../types.ts';
import { type Facts, matches } from './matcher.ts';

const PAGE = 500;
/** Comparisons of one turn of the event loop. */
const SLICE = 20_000;

export interface OpenAlert {
  readonly alert: Alert;
  readonly rule: Rule;
  readonly facts: Facts;
}

/** Machines and monitors that facts name. */
export interface Named {
  readonly machines: Pick<Machines, 'tagsOf'>;
  readonly monitors: MonitorNames;
}

/** Facts of an alert as they are now. */
export function factsOf(
  alert: Placed,
  { name, severity }: Pick<Rule, 'name' | 'severity'>,
  { machines, monitors }: Named,
): Facts {
  const { subject_kind, subject_id, detail } = alert;
  // An alert that was hidden by one name stays so under another one.
  const names = [monitors.nameOf(alert), detail.subject ?? ''].filter((one) => one !== '');
  return {
    rule: name,
    kind: subject_kind,
    subjects: subject_kind === 'monitor' ? names : [subject_id],
    tags: subject_kind === 'agent' ? machines.tagsOf(subject_id) : (detail.tags ?? []),
    severity: asSevere({ severity }, { detail }).severity,
  };
}

/** Open alerts, read some at a time. */
export class OpenAlerts {
  readonly #db: Database;
  readonly #rules: Pick<Rules, 'byId'>;
  readonly #named: Named;

  constructor(db: Database, rules: Pick<Rules, 'byId'>, named: Named) {
    this.#db = db;
    this.#rules = rules;
    this.#named = named;
  }

  /** Open alerts that the matcher hits, of those that are visible. @throws RpcError 103 */
  async hit(matcher: Matcher, isVisible: IsVisible): Promise<OpenAlert[]> {
    const found: OpenAlert[] = [];
    for await (const open of this.#visible(isVisible))
      if (matches(matcher, open.facts)) found.push(open);
    return found;
  }

  /** Numbers of visible open alerts that each of these matchers hits, in their order. @throws RpcError 103 */
  async count(matchers: readonly Matcher[], isVisible: IsVisible): Promise<number[]> {
    const counts = matchers.map(() => 0);
    if (matchers.length === 0) return counts;
    let work = 0;
    for await (const { facts } of this.#visible(isVisible))
      for (const [at, matcher] of matchers.entries()) {
        if (matches(matcher, facts)) counts[at] = (counts[at] ?? 0) + 1;
        if (++work % SLICE === 0) await breathe();
      }
    return counts;
  }

  async *#visible(isVisible: IsVisible): AsyncIterable<OpenAlert> {
    for (let after = 0; ; ) {
      const alerts = await this.#page(after);
      for (const alert of alerts) {
        const rule = this.#rules.byId(alert.rule_id);
        if (rule && (await isVisible(alert)))
          yield { alert, rule, facts: factsOf(alert, rule, this.#named) };
      }
      const last = alerts.at(-1);
      if (!last || alerts.length < PAGE) return;
      after = last.id;
      await breathe();
    }
  }

  /** Index on `state` above 0, and the primary key. */
  #page(after: number): Promise<Alert[]> {
    const text = `select ${ALERT} from alert where state > 0 and state >= 2 and id > ? order by id limit ${PAGE}`;
    return readRows<AlertRow>(this.#db, ALERT, text, [after]).then((rows) => rows.map(alertOf));
  }
}
