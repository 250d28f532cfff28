import { t } from '../../strings/index.ts';
import { type Column, format } from '../index.ts';
import { plain } from '../plain.ts';
import { linesOf } from '../task-compare.ts';
import { kindOf, type Task, taskText } from '../task-form.tsx';
import { milliseconds } from '../task-results.tsx';
import { TaskState } from './details.tsx';
import type { Row, TaskFilter } from './rows.ts';

/** Shows seconds for today: tasks come close together. */
const timeOf = (ms: number): string =>
  new Date(ms).toDateString() === new Date().toDateString()
    ? format.clockSeconds(ms)
    : format.when(ms);

/** Texts get twice the room of names, where there is room: a narrow table is as wide as its greatest share asks. */
const textWidth = () =>
  matchMedia('(max-width: 1100px)').matches ? 'minmax(80px, 1fr)' : 'minmax(80px, 2fr)';

/** Columns that a phone has no room for; the row opens with all of it. */
const WIDE = ['kind', 'result', 'job'];

export function columnsOf(
  nameOf: ((uuid: string) => string) | undefined,
  { isManual }: TaskFilter,
  onOpen: (row: Row) => void,
): readonly Column<Row>[] {
  const isNarrow = matchMedia('(max-width: 720px)').matches;
  const opener = (row: Row, text: string, title: string) => (
    <button type="button" class="tasks-open" title={title} onClick={() => onOpen(row)}>
      {text}
    </button>
  );
  const time = ({ timestamp }: Row) => (timestamp === null ? '–' : timeOf(Number(timestamp)));
  const whole = ({ timestamp }: Row) =>
    timestamp === null ? '' : format.dateTime(Number(timestamp));
  const machine: Column<Row> = {
    id: 'machine',
    label: t.tasks.machine,
    width: 'minmax(80px, 1fr)',
    render: (row) => opener(row, nameOf?.(row.uuid) ?? '', row.uuid),
  };
  const finished: Column<Row> = {
    id: 'time',
    label: t.tasks.finished,
    width: 'minmax(80px, 120px)',
    render: (row) =>
      nameOf ? <span title={whole(row)}>{time(row)}</span> : opener(row, time(row), whole(row)),
  };
  const all = [...(nameOf ? [machine] : []), finished, ...CONTENT()];
  const wide = nameOf ? ['time', ...WIDE] : WIDE;
  const shown = isManual ? all.filter(({ id }) => id !== 'job') : all;
  return isNarrow ? shown.filter(({ id }) => !wide.includes(id)) : shown;
}

const CONTENT = (): readonly Column<Row>[] => [
  {
    id: 'state',
    label: t.tasks.state,
    width: 'minmax(92px, 104px)',
    render: ({ success }) => <TaskState success={success} />,
  },
  {
    id: 'kind',
    label: t.tasks.sort,
    width: 'minmax(80px, 1fr)',
    render: ({ task_event_type }) =>
      (t.tasks.kinds as { readonly [kind: string]: string })[kindOf(task_event_type as Task)] ??
      kindOf(task_event_type as Task),
  },
  {
    id: 'what',
    label: t.tasks.what,
    width: textWidth(),
    render: ({ task_event_type }) => <span class="mono">{taskText(task_event_type as Task)}</span>,
  },
  {
    id: 'result',
    label: t.tasks.result,
    width: textWidth(),
    render: resultText,
  },
  {
    id: 'job',
    label: t.tasks.job,
    width: 'minmax(64px, 1fr)',
    render: ({ cron_source }) => cron_source ?? <span class="muted">–</span>,
  },
];

/** Result of a task in a line. */
function resultText({ task_event_type, task_event_result, error_message }: Row): string {
  if (error_message !== null) return plain(error_message);
  const [value] = Object.values(task_event_result ?? {}) as unknown[];
  // Done, which the state says.
  if (value === undefined || value === true) return '';
  return linesOf(kindOf(task_event_type as Task), value, milliseconds)[0]?.text ?? '';
}
