import { RpcError } from '@svc/client';
import { Complaint } from '../io.ts';
import { type Machine, machineNamed, machines, NoMachine } from '../machines.ts';
import type { Session } from '../session.ts';
import { clean } from '../text.ts';
import { demandOnly } from './flags.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const DENIED = 102;
const NOT_FOUND = 105;
const NO_METHOD = -32601;
const MOST_NAME = 80;

/** `svc silence AGENT TIME REASON…`: a machine, or a monitor. */
export async function silence(session: Session): Promise<void> {
  demandOnly(session, 'svc silence', ['json', 'monitor']);
  const given = session.word(1, 'TIME');
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(given) ?? [];
  const unit_ms = UNITS[unit];
  if (unit_ms === undefined) throw new Complaint(`'${clean(given)}': write 30m, 2h or 7d`, 2);
  session.word(2, 'REASON');
  const { scope, called } = await subjectOf(session, session.word(0, 'AGENT'));
  const made = (await session.anyMethod.call('alert_silence_create', {
    silence: {
      scope,
      reason: session.words.slice(2).join(' '),
      ends_at: Date.now() + Number(count) * unit_ms,
    },
  })) as { id: number; ends_at: number; hides: number };
  if (session.flags.json) return session.printJson(made);
  const until = new Date(made.ends_at).toISOString().replace('T', ' ').slice(0, 16);
  const hides = made.hides === 0 ? '' : `; it hides ${made.hides} that are open`;
  session.print(`${clean(called)}: silent until ${until} UTC${hides}\n`);
}

interface Subject {
  readonly scope: { readonly agents: [string] } | { readonly monitors: [string] };
  /** Sentence that says what was found: a name may be begun only, and mean one or the other. */
  readonly called: string;
}

/** The machine of that name or UUID, else the monitor of that name, else the only machine that begins so. @throws Complaint */
async function subjectOf(session: Session, given: string): Promise<Subject> {
  if (session.flags.monitor) return monitorOf(session, given);
  const isMonitor = (await isThere(session, given)) === true;
  if (isMonitor && !(await isMachine(session, given))) return subjectOfMonitor(given);
  try {
    const { uuid, label } = await machineNamed(session, given);
    return { scope: { agents: [uuid] }, called: `machine ${label}` };
  } catch (error) {
    if (!(error instanceof NoMachine)) throw error;
    throw new Complaint(
      `no machine and no monitor '${clean(given)}': svc agents and svc monitors list them`,
    );
  }
}

/** `--monitor`: a name, or the beginning of names with a `*` behind it. @throws Complaint where there is none of that name */
async function monitorOf(session: Session, given: string): Promise<Subject> {
  if (!given.endsWith('*') && (await isThere(session, given)) === false)
    throw new Complaint(`no monitor '${clean(given)}': svc monitors lists them`);
  return subjectOfMonitor(given);
}

const subjectOfMonitor = (name: string): Subject => ({
  scope: { monitors: [name] },
  called: name.endsWith('*') ? `monitors ${name}` : `monitor ${name}`,
});

/** Tells whether there is a monitor of this name; undefined: the caller may not know. */
async function isThere(session: Session, name: string): Promise<boolean | undefined> {
  if (name.length > MOST_NAME) return false;
  try {
    await session.anyMethod.call('monitor_get', { name });
    return true;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.code === NOT_FOUND || error.code === NO_METHOD) return false;
    if (error.code === DENIED) return undefined;
    throw error;
  }
}

/** Tells whether a machine has exactly this name or UUID. */
async function isMachine(session: Session, given: string): Promise<boolean> {
  const isCalled = ({ uuid, name, host_name, label }: Machine) =>
    uuid === given.toLowerCase() || [label, name || host_name].includes(given);
  try {
    return (await machines(session)).some(isCalled);
  } catch (error) {
    if (error instanceof RpcError && error.code === DENIED) return false;
    throw error;
  }
}
