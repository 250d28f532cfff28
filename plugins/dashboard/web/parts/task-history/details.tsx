import type { Methods } from '@svc/client';
import { CircleCheck, CircleX, LoaderCircle, RotateCw, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { Link, navigate, to, useMachines, useServer } from '../../frame/index.ts';
import { t } from '../../strings/index.ts';
import { TaskError } from '../allow.tsx';
import { Button, Confirm, Dialog, format, Icon } from '../index.ts';
import { linesOf } from '../task-compare.ts';
import { contentOf, kindOf, type Task } from '../task-form.tsx';
import { Lines, milliseconds } from '../task-results.tsx';
import type { Row } from './rows.ts';

/** State of a task as an icon and a word. */
export function TaskState({ success }: { readonly success: boolean | null }) {
  if (success === null)
    return (
      <span class="tasks-state muted">
        <Icon of={LoaderCircle} />
        {t.tasks.running}
      </span>
    );
  return (
    <span class={success ? 'tasks-state' : 'tasks-state bad'}>
      <Icon of={success ? CircleCheck : CircleX} class={success ? 'muted' : ''} />
      {success ? t.tasks.success : t.tasks.failure}
    </span>
  );
}

interface Props {
  readonly row: Row;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Everything of one task. */
export function Details({ row, onClose, onDeleted }: Props) {
  const server = useServer();
  const { nameOf } = useMachines();
  const [isAsking, setAsking] = useState(false);
  const task = row.task_event_type as Task;
  const kind = kindOf(task);
  const content = contentOf(task);
  const result = Object.values(row.task_event_result ?? {})[0];
  const conditions = [{ uuid: row.uuid }, { type: kind }, { task_id: Number(row.task_id) }];
  const mayDelete = server.may('task_delete', { conditions }) !== false;
  const again = () => navigate(to('tasks', { machine: row.uuid, again: String(row.task_id) }));
  if (isAsking)
    return (
      <DeleteTask
        row={row}
        conditions={conditions}
        onClose={() => setAsking(false)}
        onDeleted={() => {
          onDeleted();
          onClose();
        }}
      />
    );
  return (
    <Dialog
      title={`${(t.tasks.kinds as { readonly [kind: string]: string })[kind] ?? kind} · ${nameOf(row.uuid)}`}
      wide
      onClose={onClose}
      actions={
        <>
          {mayDelete && (
            <Button kind="danger" icon={Trash2} onClick={() => setAsking(true)}>
              {t.tasks.delete}
            </Button>
          )}
          <span class="grow" />
          {kind !== 'web_shell' && server.covers('task', 'create', row.uuid, kind) && (
            <Button icon={RotateCw} onClick={again}>
              {t.tasks.again}
            </Button>
          )}
        </>
      }
    >
      <Facts row={row} />
      {content !== undefined && (
        <>
          <h3>{t.tasks.what}</h3>
          <pre class="tasks-lines tasks-code" tabIndex={0}>
            {typeof content === 'string' ? content : JSON.stringify(content, null, 2)}
          </pre>
        </>
      )}
      {row.success !== null && <h3>{t.tasks.result}</h3>}
      {row.error_message !== null && <TaskError text={row.error_message} kind={kind} isAlone />}
      {result !== undefined && <Lines lines={linesOf(kind, result, milliseconds)} />}
    </Dialog>
  );
}

function Facts({ row }: { readonly row: Row }) {
  const { nameOf } = useMachines();
  return (
    <dl class="tasks-facts">
      <dt>{t.tasks.state}</dt>
      <dd>
        <TaskState success={row.success} />
      </dd>
      <dt>{t.tasks.finished}</dt>
      <dd>{row.timestamp === null ? '–' : format.dateTime(Number(row.timestamp))}</dd>
      <dt>{t.tasks.machine}</dt>
      <dd>
        <Link to={to('agent', row.uuid)}>{nameOf(row.uuid)}</Link>
      </dd>
      {row.cron_source !== null && (
        <>
          <dt>{t.tasks.job}</dt>
          <dd>
            <Link to={to('jobs', row.cron_source)}>{row.cron_source}</Link>
          </dd>
        </>
      )}
      <dt>{t.tasks.number}</dt>
      <dd class="mono">{String(row.task_id)}</dd>
    </dl>
  );
}

interface DeleteProps extends Props {
  readonly conditions: Methods['task_delete']['params']['conditions'];
}

function DeleteTask({ row, conditions, onClose, onDeleted }: DeleteProps) {
  const { call } = useServer();
  return (
    <Confirm
      title={t.tasks.deleteTitle(String(row.task_id))}
      action={t.tasks.delete}
      onClose={onClose}
      onConfirm={async () => {
        await call('task_delete', { conditions });
        onDeleted();
      }}
    >
      <p>{row.success === null ? t.tasks.deleteRunning : t.tasks.deleteLost}</p>
    </Confirm>
  );
}
