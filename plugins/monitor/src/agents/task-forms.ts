import type { CheckSpec, Outcome } from '@svc/checks';
import type { TaskType } from '@svc/plugin-task/api';

/** Row of a task that has ended. */
export interface EndedTask {
  readonly success: boolean | null;
  readonly error_message: string | null;
  readonly task_event_result: Readonly<Record<string, unknown>> | null;
}

const SECRET =
  'it has secrets, which tasks would show: place it at agents that register for monitors';
const OTHER = 'agents that do not register for monitors cannot check this';

/** Returns the task that measures what a check does, or why there is none. */
export function taskFor(
  spec: CheckSpec,
): { readonly task: TaskType } | { readonly problem: string } {
  switch (spec.kind) {
    case 'http': {
      const { auth, body = null, family, headers, method, url } = spec;
      if (auth) return { problem: SECRET };
      const ip = family === undefined ? null : `ipv${family} auto`;
      const request = { url, method, headers: Object.fromEntries(headers), body, ip };
      return { task: { http_request: { ...request, body_base64: null } } };
    }
    case 'tcp': {
      const { host, port, tls, send, expect } = spec;
      if (tls || send !== undefined || expect !== undefined) return { problem: OTHER };
      return { task: { tcp_ping: `${host.includes(':') ? `[${host}]` : host}:${port}` } };
    }
    case 'ping':
      return { task: { ping: spec.host } };
    case 'dns': {
      const { name: domain, type, server = null } = spec;
      const record_types = [type.toLowerCase()];
      const dns_server = server === null || server.includes(':') ? server : `${server}:53`;
      return { task: { dns: { domain, record_types, dns_server } } as TaskType };
    }
    default:
      return { problem: OTHER };
  }
}

const nothing = { values: {}, ms: null, code: null };

/** Returns an outcome that says nothing about the target. */
export const unknownOutcome = (error: string): Outcome => ({ ...nothing, error, isUnknown: true });

/** Returns what a task measured. */
export function outcomeOf(kind: CheckSpec['kind'], task: EndedTask): Outcome {
  const { success, error_message, task_event_result: result } = task;
  if (!success || !result) {
    const reason = error_message ?? 'the task failed';
    if (reason.startsWith('Permission Denied'))
      return unknownOutcome('the configuration of the agent does not allow it');
    return { ...nothing, error: reason.replace(/^Other error: /, '') };
  }
  if (kind === 'http') return httpOutcome(result['http_request'] as Answer);
  if (kind === 'dns') return dnsOutcome(result['dns'] as readonly DnsRecord[]);
  const ms = Number(result['tcp_ping'] ?? result['ping']);
  return { ...nothing, ms, values: kind === 'ping' ? { ms, loss_percent: 0 } : { ms } };
}

interface Answer {
  readonly status: number;
  readonly headers: readonly Readonly<{ [name: string]: string }>[];
  readonly body?: string | null;
}

function httpOutcome({ status, headers, body }: Answer): Outcome {
  const lines = headers.flatMap((line) => Object.entries(line));
  const values: { [name: string]: Outcome['values'][string] } = {
    status,
    headers: Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value])),
  };
  if (typeof body === 'string') {
    values['body'] = body;
    values['body_bytes'] = Buffer.byteLength(body);
    const json = jsonOf(body);
    if (json) values['json'] = json;
  }
  return { values, ms: null, code: status };
}

interface DnsRecord {
  readonly time: number;
  readonly data: string;
}

function dnsOutcome(records: readonly DnsRecord[]): Outcome {
  const answers = records.map(({ data }) => data).toSorted();
  const ms = records[0]?.time ?? null;
  return {
    values: { answers, rcode: 'NOERROR', ...(ms !== null && { ms }) },
    ...{ ms, code: null },
  };
}

/** Returns the value of a body that is JSON; the condition sees none of another one. */
function jsonOf(body: string): object | undefined {
  if (!/^\s*[[{]/.test(body)) return undefined;
  try {
    return JSON.parse(body) as object;
  } catch {
    // It only begins like JSON.
    return undefined;
  }
}
