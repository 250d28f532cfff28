import type { Methods } from '@svc/client';
import { address, setQuery, usePoll, useServer } from '../../../frame/index.ts';

type Params = Methods['alert_history']['params'];
type EventKind = Methods['alert_history']['result'][number]['kind'];

/** Kinds that people look for; the others are seen with all. */
export const KINDS = [
  'opened',
  'closed',
  'expired',
  'acked',
  'suppressed',
  'reminded',
  'note',
] as const;
const DAY_MS = 86_400_000;
export const RANGES = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS } as const;
export type Range = keyof typeof RANGES;

const FEW = 200;
const MANY = 2_000;
const EVERY_MS = 15_000;

export interface Filters {
  readonly machine: string;
  readonly rule: string;
  readonly kind: string;
  readonly range: Range | 'all';
  readonly isLong: boolean;
}

/** Filters of the address: `?machine=&rule=&kind=&range=`. */
export function useFilters(): Filters {
  const { query } = address.value;
  const range = query.get('range') ?? '7d';
  return {
    machine: query.get('machine') ?? '',
    rule: query.get('rule') ?? '',
    kind: query.get('kind') ?? '',
    range: Object.hasOwn(RANGES, range) ? (range as Range) : 'all',
    isLong: query.has('long'),
  };
}

export const setFilter = (name: keyof Filters, value: string): void =>
  setQuery({ [name]: value, long: undefined });

export function useHistory({ machine, rule, kind, range, isLong }: Filters) {
  const { call } = useServer();
  const limit = isLong ? MANY : FEW;
  const events = usePoll(
    `alert history ${machine} ${rule} ${kind} ${range} ${limit}`,
    (signal) => {
      const asked: Params = {
        limit,
        ...(machine !== '' && { agents: [machine] }),
        ...(rule !== '' && { rule }),
        ...(kind !== '' && { kinds: [kind as EventKind] }),
        ...(range !== 'all' && { from: Date.now() - RANGES[range] }),
      };
      return call('alert_history', asked, { signal });
    },
    { every_ms: EVERY_MS },
  );
  return { events, limit };
}
