import { RpcError } from '@svc/client';
import { Complaint } from '../io.ts';
import type { Session } from '../session.ts';
import { clean } from '../text.ts';

/** `tls:mail.example.net:993`, `dns:example.net`, `domain:example.net` */
const WITH_KIND = /^(tcp|tls|ping|dns|domain):(?:\/\/)?(.+)$/i;
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^:\s]+):(\d{1,5})$/i;
const MOST_NAME = 80;
const NOT_FOUND = 105;

interface NewMonitor {
  readonly name: string;
  readonly kind: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Returns the monitor that a target means: a URL, host:port, a host, or one of these behind its kind; undefined: none. */
export function monitorOf(target: string, name?: string): NewMonitor | undefined {
  const checked = checkOf(target);
  return checked && { name: name ?? target.slice(0, MOST_NAME), ...checked };
}

function checkOf(target: string): Omit<NewMonitor, 'name'> | undefined {
  if (/^https?:\/\//i.test(target)) return { kind: 'http', spec: { url: target } };
  const [, word, behind = ''] = WITH_KIND.exec(target) ?? [];
  const kind = word?.toLowerCase();
  const rest = kind === undefined ? target : behind;
  if (kind === 'dns' || kind === 'domain') return { kind, spec: { name: rest } };
  const [, found = '', port] = HOST_AND_PORT.exec(rest) ?? [];
  if (port !== undefined && kind !== 'ping')
    return { kind: kind ?? 'tcp', spec: { host: bare(found), port: Number(port) } };
  if (kind === 'tcp' || /[\s/?#@\\]/.test(rest) || rest === '') return undefined;
  return { kind: kind ?? 'ping', spec: { host: bare(rest) } };
}

const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

interface Tried {
  readonly ok: boolean;
  readonly ms: number | null;
  readonly code: number | null;
  readonly detail: string | null;
  readonly values: Readonly<Record<string, unknown>>;
  readonly certificate: { readonly valid: boolean; readonly reason: string | null } | null;
}

/** `svc monitors try TARGET`: a monitor of that name, or else what the target means. @returns 1 where the check fails */
export async function tryTarget(session: Session): Promise<number> {
  const target = session.word(1, 'TARGET');
  const tried = (await triedByName(session, target)) ?? (await triedAsNew(session, target));
  const { ok, ms, code, detail, values } = tried;
  if (session.flags.json) session.printJson(tried);
  else {
    const facts = [ms === null ? '' : `${Math.round(ms)} ms`, code === null ? '' : String(code)];
    const said = [ok ? 'up' : 'down', ...facts, clean(detail ?? '')].filter((text) => text !== '');
    const lines = Object.entries(values).map(
      ([name, value]) => `  ${clean(name)}: ${clean(JSON.stringify(value) ?? '')}\n`,
    );
    session.print(`${said.join(', ')}\n${lines.join('')}`);
  }
  return ok ? 0 : 1;
}

/** Returns what a stored monitor measured; undefined: there is none of that name. */
async function triedByName(session: Session, name: string): Promise<Tried | undefined> {
  if (name.length > MOST_NAME) return undefined;
  try {
    return (await session.anyMethod.call('monitor_try', { name })) as Tried;
  } catch (error) {
    if (error instanceof RpcError && error.code === NOT_FOUND) return undefined;
    throw error;
  }
}

async function triedAsNew(session: Session, target: string): Promise<Tried> {
  const monitor = monitorOf(target);
  if (!monitor)
    throw new Complaint(
      `'${clean(target)}': no monitor has this name; give a URL, host:port or a host`,
      2,
    );
  return (await session.anyMethod.call('monitor_try', { monitor })) as Tried;
}
