import { RpcError } from '@svc/client';
import { type Misread, readTarget, type TargetFault } from '@svc/client/target';
import { Complaint } from '../io.ts';
import type { Session } from '../session.ts';
import { clean } from '../text.ts';

const MOST_NAME = 80;
const NOT_FOUND = 105;

interface NewMonitor {
  readonly name: string;
  readonly kind: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Returns the monitor that a target means, by the name of what was written. @throws Complaint that says what to write */
export function monitorOf(target: string, name?: string): NewMonitor {
  const found = readTarget(target);
  if ('fault' in found) throw new Complaint(faultText(target, found), 2);
  const { kind, spec } = found;
  return { name: name ?? target.trim().slice(0, MOST_NAME), kind, spec };
}

const FAULTS: Readonly<Record<TargetFault, (part: string) => string>> = {
  unfinished: () => 'it is not written to its end',
  host: (part) => `'${part}' is neither a host nor an address`,
  port: (part) => `'${part}' is no port: ports are numbers from 1 to 65535`,
  port_missing: (part) => `write the port behind it, for example ${part}:443`,
  host_only: (part) => `behind ${part}: stands a host alone, for tls with a port`,
  scheme: (part) =>
    `${part}: is not checked; give a URL of http or https, host:port, a host, or one behind tls:, tcp:, ping:, dns: or domain:`,
  not_checked: (part) =>
    `a ${part} asks nobody: make it with svc monitors apply FILE; a host of this name is ping:${part}`,
};

const faultText = (target: string, { fault, part }: Misread): string =>
  clean(target.trim() === '' ? 'TARGET is empty' : `'${target}': ${FAULTS[fault](part)}`);

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
  if (name === '' || name.length > MOST_NAME) return undefined;
  try {
    return (await session.anyMethod.call('monitor_try', { name })) as Tried;
  } catch (error) {
    if (error instanceof RpcError && error.code === NOT_FOUND) return undefined;
    throw error;
  }
}

async function triedAsNew(session: Session, target: string): Promise<Tried> {
  const monitor = newMonitorOf(target);
  return (await session.anyMethod.call('monitor_try', { monitor })) as Tried;
}

/** @throws Complaint that says, too, that no monitor has the name */
function newMonitorOf(target: string): NewMonitor {
  try {
    return monitorOf(target);
  } catch (error) {
    if (!(error instanceof Complaint) || target.trim() === '') throw error;
    throw new Complaint(`no monitor has this name, and ${error.message}`, error.exit);
  }
}
