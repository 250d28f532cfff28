import type { Methods } from '@svc/client';
import { type Misread, readTarget } from '@svc/client/target';

type NewMonitor = Methods['monitor_create']['params']['monitor'];
type Kind = NewMonitor['kind'];
type Spec = NewMonitor['spec'];

export interface Guess {
  readonly kind: Kind;
  readonly spec: Spec;
  /** Name that it gets where people write none. */
  readonly name: string;
}

const HOUR_S = 3_600;

const isCalled = (kind: Kind | undefined): kind is 'heartbeat' | 'group' =>
  kind === 'heartbeat' || kind === 'group';

/** Fields that the text fills. */
export const FILLED: Readonly<Record<Kind, readonly string[]>> = {
  http: ['url'],
  tcp: ['host', 'port'],
  tls: ['host', 'port'],
  ping: ['host'],
  dns: ['name'],
  domain: ['name'],
  heartbeat: [],
  group: [],
};

/** Returns what a text means, for a kind that people chose or for the one that it says. */
export function guess(text: string, chosen?: Kind): Guess | Misread {
  if (!isCalled(chosen)) return readTarget(text, chosen);
  const spec: Spec = chosen === 'heartbeat' ? { period_s: HOUR_S } : { rule: 'worst', members: [] };
  return { kind: chosen, spec, name: text.trim().slice(0, 80) };
}

/** Returns what is wrong with a text; undefined: it is read, or not written to its end. */
export function faultOf(text: string, chosen?: Kind): Misread | undefined {
  const found = guess(text, chosen);
  return 'fault' in found && found.fault !== 'unfinished' ? found : undefined;
}

/** Returns the fields of a spec that no text fills. */
export const unfilled = (kind: Kind, spec: Spec): Spec =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => !FILLED[kind].includes(name)));
