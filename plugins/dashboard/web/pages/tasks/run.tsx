import type { Signal } from '@preact/signals';
import { Play, Square } from 'lucide';
import { useState } from 'preact/hooks';
import { type Machine, useMachines } from '../../frame/index.ts';
import { Button, Card, Empty, ErrorNote, Field, Form, Skeleton } from '../../parts/index.ts';
import { MachinePicker } from '../../parts/machine-picker.tsx';
import { TaskForm } from '../../parts/task-form.tsx';
import { Results } from '../../parts/task-results.tsx';
import { t } from '../../strings/index.ts';
import { RiskDialog } from './dialogs/risk.tsx';
import { useTask, useWanted } from './model.ts';

/** A task to run, once the machines are known. */
export function Run() {
  const { list, error, refresh } = useMachines();
  useWanted();
  if (!list && error !== undefined)
    return <ErrorNote what={t.tasks.noList} error={error} onRetry={() => void refresh()} />;
  if (!list) return <Skeleton rows={6} height={32} />;
  if (list.length === 0)
    return (
      <Empty title={t.tasks.noMachinesYet}>
        <p>{t.tasks.noMachinesYetHint}</p>
      </Empty>
    );
  return <TaskRun machines={list} />;
}

/** Kind, content and machines; below them what the last run has brought. */
function TaskRun({ machines }: { readonly machines: readonly Machine[] }) {
  const model = useTask(machines);
  const { draft, task, isTerminal, isRisky, start, run } = model;
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Form class="tasks-form" onSubmit={() => (isRisky ? setAsking(true) : start())}>
        <Card class="stack">
          <TaskForm
            task={task}
            onChange={(changed) => {
              draft.task.value = changed;
            }}
          />
          {!isTerminal && <Wait seconds={draft.wait} />}
        </Card>
        <Machines count={machines.length} model={model} />
      </Form>
      {run && <Results key={run.at} run={run} />}
      {isAsking && <RiskDialog {...model} onClose={() => setAsking(false)} />}
    </>
  );
}

interface MachinesProps {
  /** All machines, those that cannot run the task among them. */
  readonly count: number;
  readonly model: ReturnType<typeof useTask>;
}

/** Machines that the task runs on, and the button that starts it. */
function Machines({ count, model }: MachinesProps) {
  const { draft, isTerminal, ready, chosen, run, isRunning, canStart } = model;
  return (
    <Card class="stack">
      {ready.length > 0 && (
        <MachinePicker
          machines={ready}
          chosen={new Set(chosen)}
          onChange={(changed) => {
            draft.chosen.value = changed;
          }}
        />
      )}
      {ready.length < count && (
        <p class="hint">
          {ready.length > 0 ? t.tasks.others(count - ready.length) : t.tasks.noneReady}
        </p>
      )}
      <div class="row wrap">
        <Button kind="primary" icon={Play} type="submit" disabled={!canStart}>
          {isTerminal ? t.tasks.openTerminals : t.tasks.runOn(chosen.length)}
        </Button>
        {isRunning && (
          <Button icon={Square} onClick={() => run?.stop()}>
            {t.tasks.stop}
          </Button>
        )}
      </div>
    </Card>
  );
}

/** s; the server waits five minutes at most. */
const WAITS = { least: 1, most: 300 } as const;

const Wait = ({ seconds }: { readonly seconds: Signal<number> }) => (
  <Field label={t.tasks.wait} hint={t.tasks.waitHint}>
    {(ids) => (
      <input
        {...ids}
        class="input tasks-wait"
        type="number"
        min={WAITS.least}
        max={WAITS.most}
        required
        value={seconds.value}
        onInput={({ currentTarget: { valueAsNumber } }) => {
          if (valueAsNumber >= WAITS.least && valueAsNumber <= WAITS.most)
            seconds.value = Math.round(valueAsNumber);
        }}
      />
    )}
  </Field>
);
