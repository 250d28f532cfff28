import { address, navigate, to } from '../../frame/index.ts';
import { Tabs } from '../../parts/index.ts';
import { TaskHistory } from '../../parts/task-history/index.ts';
import { t } from '../../strings/index.ts';
import { Run } from './run.tsx';
import './tasks.css';

/** `/tasks` runs a task on machines, `/tasks/history` has what has run. */
export default function Tasks() {
  const current = address.value.rest[0] === 'history' ? 'history' : 'run';
  return (
    <div class="page tasks">
      <h1 class="sr">{t.frame.pages.tasks}</h1>
      <Tabs
        label={t.frame.pages.tasks}
        tabs={[
          { id: 'run', label: t.tasks.run },
          { id: 'history', label: t.tasks.history },
        ]}
        current={current}
        onChange={(id) => navigate(id === 'run' ? to('tasks') : to('tasks', 'history'))}
      >
        {current === 'run' ? <Run /> : <TaskHistory />}
      </Tabs>
    </div>
  );
}
