import type { MonitorNow } from '@svc/plugin-monitor/api';
import { asSevere } from '../rules/severity.ts';
import { rankOf } from '../silences/matcher.ts';
import type { AlertDetail, Placed, Policy, Rule } from '../types.ts';
import type { DispatchParts } from './parts.ts';

/** Open alert that says that a monitor is down. */
export interface DownAlert {
  readonly rule_id: number;
  readonly subject_id: string;
  readonly told: readonly number[] | null;
  readonly detail: AlertDetail;
  /** Tells whether it is still to be told, and nothing keeps it from that. */
  readonly waits: boolean;
}

/** Monitor whose failure explains an alert. */
export interface Explanation {
  readonly cause: MonitorNow;
  /** Tells whether the alert has to wait until the cause is told. */
  readonly waits: boolean;
}

type Parts = Pick<DispatchParts, 'rules' | 'monitors' | 'settings' | 'notify' | 'clock'>;

/**
 * Alerts of which another one says the same: of a group by those of its members, and of a certificate by that of its
 * monitor. Only what all receivers were told of explains anything, so that nobody misses a fault.
 */
export class Explained {
  readonly #parts: Parts;
  #downs: ReadonlyMap<string, readonly DownAlert[]> = new Map();
  /** Ids of channels by their names. */
  #channels: ReadonlyMap<string, number> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reads which failures were told to whom. @throws RpcError 103 */
  async reload(downs: (monitors: readonly string[]) => Promise<DownAlert[]>): Promise<void> {
    const { clock, monitors, notify } = this.#parts;
    const ids = monitors.explaining(clock.now());
    const found = ids.length > 0 ? await downs(ids.map(String)) : [];
    this.#downs = Map.groupBy(found, ({ subject_id }) => subject_id);
    if (found.length === 0) return;
    this.#channels = new Map((await notify.channels()).map(({ id, name }) => [name, id]));
  }

  /** Returns what explains an alert of a monitor; undefined: nothing that its receivers were told, or will be. */
  of({ detail }: Placed, rule: Rule, monitor: MonitorNow): Explanation | undefined {
    const { clock, monitors } = this.#parts;
    const { state, 'tls.days_left': days } = detail.values ?? {};
    const causes =
      state === 'down'
        ? monitors.downWithin(monitor)
        : days !== undefined && monitors.isDownByCertificate(monitor, clock.now())
          ? [monitor]
          : [];
    let waiting: Explanation | undefined;
    for (const cause of causes)
      for (const down of this.#downs.get(`${cause.id}`) ?? []) {
        if (!this.#saysAsMuch(down, rule)) continue;
        if (this.#isTold(down, rule)) return { cause, waits: false };
        if (down.waits) waiting ??= { cause, waits: true };
      }
    return waiting;
  }

  /** Tells whether it is as severe, and goes to all channels to which the other one would go. */
  #saysAsMuch({ rule_id, detail }: DownAlert, rule: Rule): boolean {
    const { rules, settings } = this.#parts;
    const known = rules.byId(rule_id);
    if (!known) return false;
    const own = asSevere(known, { detail });
    if (rankOf(own.severity) < rankOf(rule.severity)) return false;
    const heard = new Set(namesOf(settings.policies.of(own)));
    return namesOf(settings.policies.of(rule)).every((name) => heard.has(name));
  }

  /** Tells whether the channels that would hear first have heard. */
  #isTold({ told, waits }: DownAlert, rule: Rule): boolean {
    const first = namesOf(this.#parts.settings.policies.of(rule), 0);
    const ids = first.flatMap((name) => this.#channels.get(name) ?? []);
    return !waits && ids.every((id) => told?.includes(id) ?? false);
  }
}

/** Channels of a policy: of all steps, or of those until so many seconds. */
const namesOf = ({ steps }: Pick<Policy, 'steps'>, until_s = Number.POSITIVE_INFINITY): string[] =>
  steps.flatMap(({ after_s, channels }) => (after_s <= until_s ? channels : []));
