import { Complaint } from '../io.ts';
import type { Session } from '../session.ts';
import { ago, table } from '../table.ts';
import { clean } from '../text.ts';
import { APPLY_TAKES, applyFile } from './file/apply.ts';
import { exportLists } from './file/export.ts';
import { demandOnly } from './flags.ts';

interface Alert {
  readonly id: number;
  readonly rule: string;
  readonly severity: string;
  readonly subject: { readonly name: string };
  readonly part: string;
  readonly value_text: string;
  readonly threshold: string;
  readonly since: number;
  readonly acked_by: string | null;
  readonly hidden_by: { readonly kind: string; readonly name: string } | null;
}

const COLUMNS = ['where', 'what', 'value', 'since', 'severity', 'state', 'id'];
/** Columns that are left out on a narrow terminal, the first one first. */
const SPARE = ['state', 'severity', 'since', 'value'];
const LISTS = ['channels', 'policies', 'rules', 'windows'];

/** `svc alerts`: what is open; `svc alerts export`, `svc alerts apply FILE` */
export async function alerts(session: Session): Promise<void> {
  const [verb, file = ''] = session.words;
  const command = verb === undefined ? 'svc alerts' : `svc alerts ${verb}`;
  demandOnly(session, command, verb === 'apply' ? APPLY_TAKES : ['json']);
  if (verb === 'export') return exportLists(session, LISTS);
  if (verb === 'apply') return applyFile(session, file);
  const answer = (await session.anyMethod.call('alert_list', {})) as { alerts: Alert[] };
  if (session.flags.json) return session.printJson(answer.alerts);
  if (answer.alerts.length === 0 && session.io.stdout.isTTY)
    return session.print('Nothing is open.\n');
  session.print(table(session.io, answer.alerts.map(cellsOf), COLUMNS, SPARE));
}

function cellsOf(alert: Alert) {
  const { id, rule, severity, subject, part, value_text, threshold, since } = alert;
  return {
    id,
    severity,
    where: subject.name,
    what: part === '' ? rule : `${rule}: ${part}`,
    value: `${value_text} ${threshold}`.trim() || undefined,
    since: ago(since),
    state: stateOf(alert),
  };
}

function stateOf({ acked_by, hidden_by }: Alert): string {
  const by = acked_by === 'link' ? 'the link in a message' : acked_by;
  const states = [
    acked_by === null ? '' : `acknowledged by ${by}`,
    hidden_by ? `${hidden_by.kind} ${hidden_by.name}`.trim() : '',
  ].filter((state) => state !== '');
  return states.length === 0 ? 'open' : states.join(', ');
}

/** `svc ack ALERT NOTE…` */
export async function ack(session: Session): Promise<void> {
  demandOnly(session, 'svc ack', ['json']);
  const given = session.word(0, 'ALERT');
  if (!/^\d{1,15}$/.test(given))
    throw new Complaint(`'${clean(given)}': give the number that svc alerts shows`, 2);
  const note = session.words.slice(1).join(' ');
  const params = { id: Number(given), ...(note !== '' && { note }) };
  const acked = (await session.anyMethod.call('alert_ack', params)) as Alert;
  if (session.flags.json) return session.printJson(acked);
  session.print(`${clean(acked.subject.name)}: ${clean(acked.rule)} is acknowledged\n`);
}
