import type { Database } from '@svc/plugin-sdk';
import { ALERT } from './rows.ts';

/** Rows of one subject that are read; those that are not closed come first. */
const MOST_LOADED = 1_000;

const WHOLE = [
  'rule_id',
  'since',
  'opened_at',
  'closed_at',
  'true_ms',
  'false_ms',
  'acked_at',
  'acked_until',
  'next_at',
  'updated_at',
];
const SMALL = ['state', 'episode'];
const TEXT = [
  'subject_kind',
  'subject_id',
  'part',
  'detail',
  'told',
  'acked_by',
  'ack_note',
  'flaps',
];

/** Statements of transitions; each takes its rows as one JSON array. */
export function statementsOf({ forms, dialect }: Database) {
  const cast = (name: string, type: string) => `cast(v.value ->> '${name}' as ${type})`;
  const columns: [name: string, value: string][] = [
    ...WHOLE.map((name): [string, string] => [name, cast(name, 'bigint')]),
    ...SMALL.map((name): [string, string] => [name, cast(name, 'integer')]),
    ...TEXT.map((name): [string, string] => [name, `v.value ->> '${name}'`]),
    ['value', cast('value', 'double precision')],
  ];
  const fixed = ['rule_id', 'subject_kind', 'subject_id', 'part'];
  const sets = columns.filter(([name]) => !fixed.includes(name));
  const prefixed = ALERT.replace(/\w+/g, 'alert.$&');
  const events = ['alert_id', 'rule_id', 'at', 'due'].map((name) => [name, cast(name, 'bigint')]);
  const texts = ['subject_kind', 'subject_id', 'part', 'kind', 'detail', 'told'];
  const event = [
    ...events,
    ...texts.map((name) => [name, `v.value ->> '${name}'`]),
    ['episode', cast('episode', 'integer')],
    ['by_whom', `v.value ->> 'by'`],
  ];
  const at = (place: number, type: string) => `cast(v.value ->> ${place} as ${type})`;
  return {
    // Servers lock rows in one order, so that none waits for another one's for ever.
    lock: `select ${prefixed} from alert where (rule_id, subject_kind, subject_id, part) in
      (select ${at(0, 'bigint')}, v.value ->> 1, v.value ->> 2, v.value ->> 3 from ${forms.elements} as v)
      order by id ${dialect === 'postgres' ? 'for update' : ''}`,
    insert: `insert into alert (${columns.map(([name]) => name).join(', ')}, version)
      select ${columns.map(([, value]) => value).join(', ')}, 1 from ${forms.elements} as v where true
      on conflict (rule_id, subject_kind, subject_id, part) do nothing returning ${ALERT}`,
    update: `update alert set ${sets.map(([name, value]) => `${name} = ${value}`).join(', ')}, version = alert.version + 1
      from ${forms.elements} as v where alert.id = ${cast('id', 'bigint')} returning ${prefixed}`,
    progress: `update alert set updated_at = ?, since = ${at(2, 'bigint')}, true_ms = ${at(3, 'bigint')},
        false_ms = ${at(4, 'bigint')}, value = ${at(5, 'double precision')}
      from ${forms.elements} as v where alert.id = ${at(0, 'bigint')} and alert.version = ${at(1, 'integer')}
      returning alert.id`,
    events: `insert into alert_event (${event.map(([name]) => name).join(', ')})
      select ${event.map(([, value]) => value).join(', ')} from ${forms.elements} as v where true returning id`,
    // A machine whose parts change all the time has a bounded place in memory, too.
    load: `select ${ALERT} from (select alert.*, row_number() over
        (partition by subject_id order by (state > 0) desc, updated_at desc) as place
      from alert where subject_kind = ? and subject_id in
      (select v.value from ${forms.elementTexts} as v) and (state > 0 or updated_at > ?)) as ranked
      where place <= ${MOST_LOADED}`,
    // The first half names the index.
    count: 'select count(*) as n from alert where state > 0 and state > 1',
    shares: `select subject_id, count(*) as active, sum(case when state = 1 then 1 else 0 end) as pending
      from alert where subject_kind = 'agent' and state > 0 and subject_id in
      (select v.value from ${forms.elementTexts} as v) group by subject_id`,
    remove: `delete from alert where id in (select ${at(0, 'bigint')} from ${forms.elements} as v) returning ${ALERT}`,
  };
}
