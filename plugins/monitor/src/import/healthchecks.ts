import { ImportFault, type Item, type Plan, type Values } from './types.ts';
import { lineOf, listOf, membersOf, numberOf, OFF, present, shortHash, textOf } from './values.ts';

const MOST = 5_000;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const [LEAST_S, MOST_S] = [10, 31_622_400];

/** Returns what an answer of Healthchecks to `GET /api/v3/checks/` holds. @throws ImportFault */
export function readHealthchecks(content: unknown, name: string): Plan {
  const checks = listOf(membersOf(content)['checks']).map(membersOf);
  if (checks.length === 0)
    throw new ImportFault('the file has no checks: it is the answer to GET /api/v3/checks/');
  if (checks.length > MOST) throw new ImportFault(`the file has more than ${MOST} checks`);
  const source = `healthchecks:${shortHash(name)}`;
  return { format: 'healthchecks', source, items: checks.map(itemOf), rewritings: [] };
}

function itemOf(row: Values, index: number): Item {
  // A key for reading only gives no UUIDs.
  const uuid = UUID.exec(textOf(row['uuid']) || textOf(row['ping_url']))?.[0]?.toLowerCase();
  const item = {
    // Whoever knows the UUID can call for the job: an id and a name show to everybody who may read.
    ...{ id: `check:${uuid === undefined ? index : shortHash(uuid)}`, was: 'check' },
    ...{ type: 'monitor' as const },
    name: lineOf(row['name']) || lineOf(row['slug']) || `check ${index + 1}`,
  };
  if (uuid === undefined)
    return {
      ...item,
      notes: [],
      why: 'it has no UUID, by which its job calls: ask with a key that may write',
    };
  const notes = ['its job calls another address: /svc/ping/UUID'];
  if (row['status'] === 'paused') notes.push(OFF);
  if (textOf(row['subject']) + textOf(row['start_kw']) + textOf(row['success_kw']) !== '')
    notes.push('without its filters of words in mails and calls');
  const spec = { ...timesOf(row, notes), ...graceOf(row, notes), ...methodsOf(row) };
  const tags = textOf(row['tags'])
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 50)
    .map((tag) => lineOf(tag));
  const note = textOf(row['desc']).slice(0, 2_000);
  return { ...item, notes, key: uuid, make: present({ kind: 'heartbeat', spec, tags, note }) };
}

function timesOf(row: Values, notes: string[]): Values {
  const cron = textOf(row['schedule']);
  if (cron !== '') return { cron, zone: textOf(row['tz']) || 'UTC' };
  return { period_s: bounded('period', numberOf(row['timeout']) ?? 86_400, notes) };
}

const graceOf = (row: Values, notes: string[]): Values => {
  const grace_s = bounded('grace', numberOf(row['grace']) ?? 3_600, notes);
  // There the grace is the longest time of a run, too.
  return { grace_s, run_grace_s: grace_s };
};

const methodsOf = (row: Values): Values =>
  textOf(row['methods']) === 'POST' ? { methods: ['POST'] } : {};

function bounded(name: string, given: number, notes: string[]): number {
  const kept = Math.min(MOST_S, Math.max(LEAST_S, Math.round(given)));
  if (kept !== given) notes.push(`${name} is ${kept} s, it was ${given} s`);
  return kept;
}
