import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kernel, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Family } from './api.ts';
import { headText, labelText } from './text.ts';

/** Tags are cut here; people write them. */
const MOST_TAGS = 256;
const NOT_THERE = -32601;

/** Row of `monitor_list`. */
interface Row {
  readonly name: string;
  readonly kind: string;
  readonly group: string | null;
  readonly tags: readonly string[];
  readonly state: string;
  readonly ms: number | null;
  /** Unix ms. */
  readonly not_after: number | null;
  readonly last_at: number | null;
  /** Per cent. */
  readonly uptime: number | null;
}

interface Page {
  readonly monitors: readonly Row[];
  readonly next: number | null;
}

interface Column extends Omit<Family, 'read'> {
  /** Returns the value, or none where nothing is known. */
  readonly value: (row: Row) => number | undefined;
}

const seconds = (ms: number | null): number | undefined => (ms === null ? undefined : ms / 1_000);

const UP: Readonly<Record<string, number>> = { up: 1, degraded: 1, down: 0 };

const COLUMNS: readonly Column[] = [
  {
    name: 'monitor_up',
    type: 'gauge',
    help: 'Whether it is up (1, also where some places say down) or down (0); absent: unknown or paused.',
    value: ({ state }) => UP[state],
  },
  {
    name: 'monitor_degraded',
    type: 'gauge',
    help: 'Whether some places say down, fewer than are needed; absent: unknown or paused.',
    value: ({ state }) => (state in UP ? Number(state === 'degraded') : undefined),
  },
  {
    name: 'monitor_response_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'Time of the newest check, of the fastest place.',
    value: ({ ms }) => seconds(ms),
  },
  {
    name: 'monitor_uptime_ratio',
    type: 'gauge',
    unit: 'ratio',
    help: 'Share of the last 24 hours in which it was up; absent: less than half is known.',
    value: ({ uptime }) => (uptime === null ? undefined : Number((uptime / 100).toFixed(6))),
  },
  {
    name: 'monitor_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'When its certificate ends, the first one where places see several, Unix time.',
    value: ({ not_after }) => seconds(not_after),
  },
  {
    name: 'monitor_last_result_timestamp_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'Newest result, of a heartbeat its newest call, Unix time.',
    value: ({ last_at }) => seconds(last_at),
  },
];

const INFO: Omit<Family, 'read'> = {
  name: 'monitor_info',
  type: 'gauge',
  help: 'Monitors, with their tags between commas; always 1.',
};

/**
 * What the monitors say that this caller may read, in pieces of OpenMetrics text, a page of the list in one turn of the event
 * loop. undefined: the server has no plugin for them, or the caller may read none. @throws RpcError 103
 */
export async function monitorTexts(
  { kernel, prefix }: { readonly kernel: Pick<Kernel, 'call'>; readonly prefix: string },
  caller: Principal,
): Promise<string[] | undefined> {
  const info: string[] = [];
  const columns = COLUMNS.map(() => [] as string[]);
  for (let after: number | null = 0; after !== null; ) {
    const page: Page | undefined = await pageBehind(kernel, after, caller);
    if (!page) return undefined;
    for (const row of page.monitors) {
      info.push(`${prefix}_${INFO.name}${infoLabels(row)} 1\n`);
      const labels = labelText({ monitor: row.name });
      for (const [at, { name, value }] of COLUMNS.entries()) {
        const found = value(row);
        if (found !== undefined) columns[at]?.push(`${prefix}_${name}${labels} ${found}\n`);
      }
    }
    after = page.next;
    await nextTurn();
  }
  if (info.length === 0) return undefined;
  const texts = COLUMNS.flatMap((column, at) => [
    headText(`${prefix}_${column.name}`, column),
    ...(columns[at] ?? []),
  ]);
  return [headText(`${prefix}_${INFO.name}`, INFO), ...info, ...texts];
}

async function pageBehind(
  kernel: Pick<Kernel, 'call'>,
  after: number,
  caller: Principal,
): Promise<Page | undefined> {
  try {
    return (await kernel.call('monitor_list', { after }, caller)) as Page;
  } catch (error) {
    if (error instanceof RpcError && error.code === NOT_THERE) return undefined;
    throw error;
  }
}

const infoLabels = ({ name, kind, group, tags }: Row): string =>
  labelText({
    ...{ monitor: name, kind, group: group ?? '' },
    tags: tags.length > 0 ? `,${tags.join(',')}`.slice(0, MOST_TAGS).concat(',') : '',
  });
