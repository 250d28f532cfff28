/** Agents and probes with a past, written behind the wire: ninety days do not pass in a test. */
import type { TestApp } from '@svc/plugin-sdk/testing';

export const PLUGINS = ['token', 'agent-uuid', 'agent', 'agent-events', 'task', 'status-page'];
export const DAY = 86_400_000;
export const MINUTE = 60_000;

export const uuidOf = (n: number): string =>
  `0b6f1c52-7a35-4d0e-9c1b-${String(n).padStart(12, '0')}`;

export interface Past {
  readonly uuid: string;
  /** Unix ms: gone since then; absent: it is here. */
  readonly goneSince?: number;
  /** Days ago when it came first. */
  readonly first?: number;
  /** Milliseconds that it was away, by days ago. */
  readonly away?: { readonly [ago: number]: number };
}

/** Registers the agent with a report, and writes its days and its presence. */
export async function seedAgent(app: TestApp, past: Past): Promise<void> {
  const { uuid, goneSince, first = 89, away = {} } = past;
  const now = app.clock.now();
  const data = { uuid, time: now, cpu_usage: 172 };
  await app.call('agent_report_dynamic_summary', [app.superToken, data]);
  const column = app.dialect === 'sqlite' ? 'lower(hex(uuid))' : "replace(uuid::text, '-', '')";
  const hex = uuid.replaceAll('-', '');
  const [{ id }] = await app.sql(`select id from monitoring_uuid where ${column} = '${hex}'`);
  const today = Math.floor(now / DAY);
  const rows: string[] = [];
  for (let ago = first; ago >= 0; ago--) {
    const length = ago === 0 ? now - today * DAY : DAY;
    const ms = Math.max(0, length - (away[ago] ?? 0));
    if (ms > 0 || ago === first) rows.push(`(${id}, ${today - ago}, ${ms})`);
  }
  // The server may have written what it saw since the agent came.
  await app.sql(
    `insert into agent_uptime (uuid_id, day, ms) values ${rows.join(', ')}
     on conflict (uuid_id, day) do update set ms = excluded.ms`,
  );
  await app.sql(
    `insert into agent_presence (uuid_id, here, last_seen) values (${id}, ${goneSince ? 0 : 1}, ${goneSince ?? now - DAY})
     on conflict (uuid_id) do update set here = excluded.here, last_seen = excluded.last_seen`,
  );
}

/** Ended pings, each `[minutes ago, ms or null for a lost one]`. */
export async function seedPings(
  app: TestApp,
  uuid: string,
  target: string,
  pings: readonly (readonly [ago: number, ms: number | null])[],
): Promise<void> {
  const now = app.clock.now();
  const id = app.dialect === 'sqlite' ? `x'${uuid.replaceAll('-', '')}'` : `'${uuid}'`;
  const rows = pings.map(([ago, ms]) => {
    const time = Math.round(now - ago * MINUTE);
    const result = ms === null ? 'null' : `'${JSON.stringify({ ping: ms })}'`;
    return `(${id}, 'x', ${time}, ${ms !== null}, '${JSON.stringify({ ping: target })}', ${result}, 'ping', ${time})`;
  });
  for (let at = 0; at < rows.length; at += 500) {
    await app.sql(`insert into task (uuid, token, timestamp, success, task_event_type, task_event_result, type_name, created_at)
      values ${rows.slice(at, at + 500).join(', ')}`);
  }
}

/** A picture of one pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Entries of pages. */
export const agent = (n: number, name: string) => ({ name, agent: uuidOf(n) });
export const TARGETS = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const;
export const probe = (n: number, name: string, group = 'Network') => ({
  name,
  group,
  agent: uuidOf(1),
  probe: { type: 'ping', target: TARGETS[n] },
});
