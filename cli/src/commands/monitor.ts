import { machineNames } from '../machines.ts';
import type { Session } from '../session.ts';
import { ago, table } from '../table.ts';
import { clean } from '../text.ts';

interface Monitor {
  readonly name: string;
  readonly kind: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly interval_s: number;
  readonly condition: string | null;
  readonly problem: string | null;
  readonly parent: string | null;
  readonly tags: readonly string[];
  readonly note: string;
  /** Absent: the server is of an earlier version. */
  readonly paused_by?: { readonly window: string; readonly until: number } | null;
  /** Address that the job of a heartbeat calls. */
  readonly ping_url?: string | null;
  readonly verdict: { readonly state: string; readonly since: number; readonly detail: string };
  readonly states: readonly { readonly place: string; readonly [member: string]: unknown }[];
  readonly certificates: readonly Certificate[];
}

interface Certificate {
  readonly place: string;
  readonly valid: boolean;
  readonly reason: string | null;
  readonly chain: readonly { readonly issuer: string; readonly not_after: number }[];
}

interface Outage {
  readonly from: number;
  readonly to: number | null;
  readonly cause: string;
  readonly places: readonly string[];
}

const SPANS = ['24 h', '7 d', '30 d', '90 d', '365 d'];
const DAY_MS = 86_400_000;
const OUTAGES = 10;

/** `svc monitors NAME`: what it checks, what its places say, uptime, outages, certificates. */
export async function showMonitor(session: Session, name: string): Promise<void> {
  const { anyMethod: client, flags } = session;
  const [monitor, { spans }, outages] = (await Promise.all([
    client.call('monitor_get', { name }),
    client.call('monitor_query_uptime', { name }),
    client.call('monitor_outages', { name, limit: OUTAGES }),
  ])) as [Monitor, { readonly spans: readonly { readonly uptime: number | null }[] }, Outage[]];
  if (flags.json) return session.printJson({ ...monitor, uptime: spans, outages });
  const uptime = spans.map((span, at) => `${SPANS[at]} ${percentOf(span)}`);
  session.print(`${[...headOf(monitor), `  uptime: ${uptime.join(', ')}`].join('\n')}\n`);
  const { states } = monitor;
  const places = [...states, ...outages.flatMap((one) => one.places.map((place) => ({ place })))];
  const labels = places.some(({ place }) => place !== 'server')
    ? await machineNames(session)
    : new Map<string, string>();
  const label = (place: string) => labels.get(place) ?? place;
  printRows(
    session,
    states.map((row) => ({
      ...{ ...row, place: label(row.place), since: ago(row['since']) },
      detail: row['detail'] || null,
    })),
    ['place', 'state', 'since', 'ms', 'code', 'detail'],
  );
  printRows(
    session,
    outages.map(({ from, to, cause, places: seen }) => ({
      ...{ outage: timeOf(from), cause, places: seen.map(label).join(' ') },
      lasted: to === null ? 'not over' : ago(from, to),
    })),
    ['outage', 'lasted', 'cause', 'places'],
  );
  for (const one of monitor.certificates) session.print(`${certificateText(one, label)}\n`);
}

function headOf(monitor: Monitor): string[] {
  const { name, kind, spec, interval_s, condition, problem, ping_url } = monitor;
  const { note, parent, paused_by, tags } = monitor;
  const { state, since, detail } = monitor.verdict;
  const pace = kind === 'heartbeat' || kind === 'group' ? '' : ` every ${interval_s} s`;
  const fields = Object.entries(spec).map(([field, value]) => `${field} ${textOf(value)}`);
  return [
    `${clean(name)}: ${state} for ${ago(since)}${detail && `, ${clean(detail)}`}`,
    `  ${kind}${pace}: ${clean(fields.join(', '))}`,
    ...(ping_url ? [`  called at: ${clean(ping_url)}`] : []),
    ...(condition === null ? [] : [`  good when: ${clean(condition)}`]),
    ...(parent === null ? [] : [`  below: ${clean(parent)}`]),
    ...(tags.length === 0 ? [] : [`  tags: ${clean(tags.join(', '))}`]),
    ...(note === '' ? [] : [`  note: ${clean(note)}`]),
    ...(paused_by ? [`  paused until ${timeOf(paused_by.until)} by ${windowOf(paused_by)}`] : []),
    ...(problem === null ? [] : [`  problem: ${clean(problem)}`]),
  ];
}

const windowOf = ({ window }: { readonly window: string }): string =>
  window === '' ? 'a maintenance window' : `the maintenance window ${clean(window)}`;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const percentOf = ({ uptime }: { readonly uptime: number | null }): string =>
  uptime === null ? '-' : `${uptime} %`;

const timeOf = (time: number): string => new Date(time).toISOString().slice(0, 19).concat('Z');

function printRows(
  session: Session,
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: readonly string[],
): void {
  if (rows.length > 0) session.print(table(session.io, rows, columns, columns.slice(3).reverse()));
}

function certificateText(
  { place, valid, reason, chain }: Certificate,
  label: (place: string) => string,
): string {
  const [own] = chain;
  const days = own ? Math.floor((own.not_after - Date.now()) / DAY_MS) : 0;
  const ends = own ? `, ends ${timeOf(own.not_after)} (${days} d), issuer ${own.issuer}` : '';
  const state = valid ? 'valid' : `not valid${reason === null ? '' : `: ${reason}`}`;
  return clean(`certificate seen from ${label(place)}: ${state}${ends}`);
}
