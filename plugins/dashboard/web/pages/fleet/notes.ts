import { useEffect, useState } from 'preact/hooks';
import { type Machine, type Server, usePoll } from '../../frame/index.ts';
import { expiryOf } from '../../parts/expiry.ts';

/** Notes of a machine and of people about it, as far as they need attention. */
export interface Note {
  /** Unix ms: when its contract ends. */
  readonly end?: number;
  /** The sensor that is nearest to its limit. */
  readonly hottest?: { readonly name: string; readonly celsius: number; readonly limit: number };
  /** Containers that are not well. */
  readonly sick?: readonly string[];
}

/** Patterns answer with what is there, and cost nothing for machines without it. */
const PATTERNS = ['metadata_expire_time*', 'agent_*'] as const;
/** The agent writes its documents at most once a minute. */
const EVERY_MS = 120_000;
/** An older document tells nothing of now, ms. */
const OLD_MS = 900_000;
/** Machines of one call. */
const MOST = 500;
/** Delay, ms: things that the page shows first go first. */
const LATER_MS = 2_000;
/** Distance from its limit at which a sensor needs attention, °C. */
const NEAR = 5;
const NONE: ReadonlyMap<string, Note> = new Map();

/** Notes of all machines that have some; read in few calls, every two minutes. */
export function useNotes(
  server: Server,
  machines: readonly Machine[] | undefined,
): ReadonlyMap<string, Note> {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  const asked = isLater ? (machines ?? []) : [];
  const { data } = usePoll(`notes ${asked.length}`, (signal) => read(server, asked, signal), {
    every_ms: EVERY_MS,
  });
  return data ?? NONE;
}

async function read(
  { call, has, covers }: Server,
  machines: readonly Machine[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Note>> {
  const found = new Map<string, Note>();
  if (!has('kv')) return found;
  for (let at = 0; at < machines.length; at += MOST) {
    const namespace_key = machines.slice(at, at + MOST).flatMap(({ uuid: namespace }) =>
      PATTERNS.filter((key) => covers('kv', 'read', namespace, key)).map((key) => ({
        namespace,
        key,
      })),
    );
    if (namespace_key.length === 0) continue;
    for (const { namespace, key, value } of await call(
      'kv_get_multi_value',
      { namespace_key },
      { signal },
    ))
      found.set(namespace, { ...found.get(namespace), ...noteOf(key, value) });
  }
  return found;
}

type Document = Readonly<Record<string, unknown>>;

function noteOf(key: string, value: unknown): Note {
  if (key === 'metadata_expire_time') {
    const end = expiryOf(value);
    return end === undefined ? {} : { end };
  }
  const { time, ...document } = (value ?? {}) as Document;
  if (typeof time !== 'number' || Date.now() - time > OLD_MS) return {};
  if (key === 'agent_sensors') return heatOf(listOf(document['temperatures']));
  if (key === 'agent_containers') return sicknessOf(listOf(document['containers']));
  return {};
}

const listOf = (list: unknown): readonly Document[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];

function heatOf(sensors: readonly Document[]): Note {
  const [hottest] = sensors
    .flatMap(({ name, celsius, limit }) =>
      typeof celsius === 'number' && typeof limit === 'number' && celsius >= limit - NEAR
        ? [{ name: String(name), celsius, limit }]
        : [],
    )
    .sort((a, b) => b.celsius - b.limit - (a.celsius - a.limit));
  return hottest ? { hottest } : {};
}

function sicknessOf(containers: readonly Document[]): Note {
  const sick = containers
    .filter(
      ({ state, health }) => health === 'unhealthy' || state === 'dead' || state === 'restarting',
    )
    .map(({ name }) => String(name));
  return sick.length > 0 ? { sick } : {};
}
