import { CalendarClock, Plus } from 'lucide';
import { address, Loaded, navigate, to, useCrumbs, useServer } from '../../frame/index.ts';
import { Button, Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Editor } from './dialogs/editor.tsx';
import './jobs.css';
import { type Job, useJobs } from './model.ts';
import { JobRow } from './row.tsx';
import { useLastRuns } from './runs/model.ts';
import { JobView } from './view.tsx';

/** `/jobs` lists them, `/jobs?new=1` makes one, `/jobs/<name>` has one with its runs. */
export default function Jobs() {
  const jobs = useJobs();
  const [name] = address.value.rest;
  const isNew = address.value.query.has('new');
  useCrumbs(...(isNew ? [{ label: t.jobs.new }] : name === undefined ? [] : [{ label: name }]));
  if (isNew) return <Editor key="new" onSaved={jobs.refresh} />;
  return (
    <div class="page">
      <Loaded of={jobs} what={t.jobs.unreadable}>
        {(list) => {
          const job = list.find((one) => one.name === name);
          if (job) return <JobView key={job.name} job={job} onChanged={jobs.refresh} />;
          if (name !== undefined) return <Unknown />;
          return <List list={list} onChanged={jobs.refresh} />;
        }}
      </Loaded>
    </div>
  );
}

function Unknown() {
  return (
    <Empty icon={CalendarClock} title={t.jobs.unknown}>
      <Button onClick={() => navigate(to('jobs'))}>{t.jobs.toList}</Button>
    </Empty>
  );
}

interface ListProps {
  readonly list: readonly Job[];
  readonly onChanged: () => void;
}

function List({ list, onChanged }: ListProps) {
  const { holds } = useServer();
  const runsOf = useLastRuns(list);
  const add = (
    <Button kind="primary" icon={Plus} onClick={() => navigate(to('jobs', { new: '1' }))}>
      {t.jobs.new}
    </Button>
  );
  const mayAdd = holds('crontab', 'write');
  if (list.length === 0)
    return (
      <Empty icon={CalendarClock} title={t.jobs.none}>
        <p>{t.jobs.noneHint}</p>
        {mayAdd && add}
      </Empty>
    );
  return (
    <div class="stack">
      <header class="page-head">
        <h1 class="grow">{t.jobs.count(list.length)}</h1>
        {mayAdd && add}
      </header>
      <ul class="jobs-list">
        {list.map((job) => (
          <JobRow key={job.name} job={job} {...runsOf(job.name)} onChanged={onChanged} />
        ))}
      </ul>
    </div>
  );
}
