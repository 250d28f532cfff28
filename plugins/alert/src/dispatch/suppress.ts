import { quietUntil } from '../policies/quiet.ts';
import { factsOf } from '../silences/open.ts';
import type { Placed, Rule } from '../types.ts';
import { Explained } from './explained.ts';
import type { DispatchParts } from './parts.ts';
import { type DispatchStore, placeOf } from './store.ts';

const MOST_DEPTH = 5;
/** Time after its last report for which alerts of a late machine wait until it is known to be away. */
const PRESENCE_MS = 45_000;
/** Suppressors of which no end is known are looked at again after so long. */
const AGAIN_MS = 5_000;
const MOST_MS = 15_000;
/** Shipped rules of which one says more than the other of the same part. */
const STRONGER: Readonly<Record<string, string>> = {
  'disk-almost-full': 'disk-full',
  certificate: 'certificate-critical',
};

/** Thing that keeps an alert from being told now. */
export interface Suppressor {
  readonly kind: 'frozen' | 'subject' | 'silence' | 'window' | 'quiet' | 'late';
  /** Text that is stored with the alert: equal for all that one suppressor hides. */
  readonly key: string;
  readonly name: string;
  /** Unix ms at which it is looked at again. */
  readonly again: number;
}

export const keyOfMachine = (uuid: string): string => `machine:${uuid}`;
export const keyOfMonitor = (id: string | number): string => `monitor:${id}`;

type Parts = Pick<
  DispatchParts,
  'rules' | 'machines' | 'monitors' | 'settings' | 'fleet' | 'notify' | 'clock'
>;

/** Suppressors of alerts, from memory. */
export class Suppressors {
  readonly #parts: Parts;
  /** Places of open alerts of the stronger rules, by rule. */
  #stronger: ReadonlyMap<number, ReadonlySet<string>> = new Map();

  readonly #explained: Explained;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#explained = new Explained(parts);
  }

  /** Reads what was told of failures, and which parts the stronger rules hold open. @throws RpcError 103 */
  async reload(store: Pick<DispatchStore, 'places' | 'downAlerts'>): Promise<void> {
    await this.#explained.reload((monitors) => store.downAlerts(monitors));
    const shipped = this.#parts.rules.list().filter(({ shipped }) => {
      return shipped !== null && Object.values(STRONGER).includes(shipped);
    });
    const read = shipped.map(async ({ id }) => [id, await store.places(id)] as const);
    this.#stronger = new Map(await Promise.all(read));
  }

  /** Returns the thing that keeps an alert from being told now; undefined: nothing does. */
  of(alert: Placed, rule: Rule, now: number): Suppressor | undefined {
    return this.#topology(alert, rule, now) ?? this.#wish(alert, rule, now);
  }

  #topology(alert: Placed, rule: Rule, now: number): Suppressor | undefined {
    const again = now + AGAIN_MS;
    if (alert.subject_kind === 'agent') {
      const { machines } = this.#parts;
      const uuid = alert.subject_id;
      const root = this.#rootOf(uuid);
      if (root !== undefined && (root !== uuid || rule.source !== 'presence')) {
        const kind = root === uuid ? 'frozen' : 'subject';
        return { kind, key: keyOfMachine(root), name: machines.nameOf(root), again };
      }
      if (rule.source !== 'presence' && this.#isLate(uuid, now)) return this.#late(uuid, now);
    }
    const above =
      alert.subject_kind === 'monitor' ? this.#aboveMonitor(alert, rule, now) : undefined;
    if (above) return above;
    const stronger = STRONGER[rule.shipped ?? ''];
    if (stronger === undefined) return undefined;
    const over = this.#parts.rules.list().find(({ shipped }) => shipped === stronger);
    if (!over || !this.#stronger.get(over.id)?.has(placeOf(alert))) return undefined;
    return { kind: 'subject', key: `rule:${over.id}:${placeOf(alert)}`, name: over.name, again };
  }

  /** The monitor through which one is reached, the machines that check it or are what it checks, or what says the same. */
  #aboveMonitor(alert: Placed, rule: Rule, now: number): Suppressor | undefined {
    const { machines, monitors } = this.#parts;
    const { subject_id, detail } = alert;
    const again = now + AGAIN_MS;
    const late = (name: string): Suppressor => {
      return { kind: 'late', key: `late:${subject_id}`, name, again: now + 1_000 };
    };
    if (monitors.isNew) return late(monitors.nameOf(alert));
    const monitor = monitors.of(subject_id);
    if (!monitor) return undefined;
    const root = monitors.downAbove(monitor);
    if (root) return { kind: 'subject', key: keyOfMonitor(root.id), name: root.name, again };
    // A certificate ends, wherever its machine is.
    const isDown = detail.values?.['state'] === 'down';
    for (const uuids of [monitor.agents, isDown ? [...machines.atHost(monitor.host)] : []]) {
      const roots = uuids.map((uuid) => this.#rootOf(uuid));
      const [first] = roots;
      if (first !== undefined && !roots.includes(undefined))
        return { kind: 'subject', key: keyOfMachine(first), name: machines.nameOf(first), again };
      const isSilent = (uuid: string, at: number) =>
        roots[at] !== undefined || this.#isLate(uuid, now);
      const [one] = uuids;
      if (one !== undefined && uuids.every(isSilent)) return this.#late(one, now);
    }
    const above = isDown ? monitors.unsettledAbove(monitor, now) : undefined;
    if (above) return late(above.name);
    const explained = this.#explained.of(alert, rule, monitor);
    if (!explained) return undefined;
    const { id, name } = explained.cause;
    return explained.waits ? late(name) : { kind: 'subject', key: keyOfMonitor(id), name, again };
  }

  /** Tells whether a machine is late, and it is not known yet whether it is away. */
  #isLate(uuid: string, now: number): boolean {
    const late = this.#parts.fleet.lateSince(uuid);
    return late !== undefined && now - late < PRESENCE_MS;
  }

  #late(uuid: string, now: number): Suppressor {
    const name = this.#parts.machines.nameOf(uuid);
    return { kind: 'late', key: `late:${uuid}`, name, again: now + 1_000 };
  }

  /** The machine farthest up that is away, through which this one is reached; itself included. */
  #rootOf(uuid: string): string | undefined {
    const { machines } = this.#parts;
    let root: string | undefined;
    let at: string | undefined = uuid;
    for (let depth = 0; at !== undefined && depth <= MOST_DEPTH; depth++) {
      if (machines.awaySince(at) !== undefined) root = at;
      at = machines.parentOf(at);
      // A circle that was made by hand ends where it began.
      if (at === uuid) return root;
    }
    return root;
  }

  #wish(alert: Placed, rule: Rule, now: number): Suppressor | undefined {
    const { policies, silences, windows } = this.#parts.settings;
    const facts = factsOf(alert, rule, this.#parts);
    const until = (end: number) => Math.max(now + 1, Math.min(end, now + MOST_MS));
    const silence = silences.active(facts, now);
    if (silence) {
      const { id, reason, ends_at } = silence;
      return { kind: 'silence', key: `silence:${id}`, name: reason, again: until(ends_at) };
    }
    const active = windows.active(facts, now);
    if (active) {
      const { id, name } = active.window;
      return { kind: 'window', key: `window:${id}`, name, again: until(active.range[1]) };
    }
    if (rule.severity === 'critical') return undefined;
    const { quiet, name } = policies.of(rule);
    const end = quietUntil(quiet, now);
    return end === undefined ? undefined : { kind: 'quiet', key: 'quiet', name, again: until(end) };
  }
}
