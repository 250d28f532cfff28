import { CalendarClock, Plus } from 'lucide';
import { address, go, Loaded, to, useCrumbs, usePoll, useServer } from '../../frame/index.ts';
import { Button, Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Editor } from './dialogs/editor.tsx';
import { failuresOf } from './runs/endings.ts';
import { lastFirings, WITH_RUNS } from './runs/firings.ts';
import './jobs.css';
import { JobRow } from './row.tsx';
import { JobView } from './view.tsx';

const EVERY_MS = 10_000;

/** `/jobs` lists them, `/jobs?new=1` makes one, `/jobs/<name>` has one with its runs. */
export default function Jobs() {
  const server = useServer();
  const jobs = usePoll('jobs', () => server.call('crontab_get'), { every_ms: EVERY_MS });
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
      <Button onClick={() => go(to('jobs'))}>{t.jobs.toList}</Button>
    </Empty>
  );
}

interface ListProps {
  readonly list: readonly Parameters<typeof JobRow>[0]['job'][];
  readonly onChanged: () => void;
}

function List({ list, onChanged }: ListProps) {
  const server = useServer();
  const some = list.slice(0, WITH_RUNS);
  const names = some.map(({ name }) => name).join('\n');
  // Runs and failures are read together: a run whose failure is not known yet would look fine.
  const runs = usePoll(
    `runs ${names}`,
    async () => {
      const firings = await lastFirings(server, some);
      return { firings, failures: await failuresOf(server, some, firings) };
    },
    { every_ms: EVERY_MS },
  );
  const add = (
    <Button kind="primary" icon={Plus} onClick={() => go(to('jobs', { new: '1' }))}>
      {t.jobs.new}
    </Button>
  );
  const mayAdd = server.holds('crontab', 'write');
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
          <JobRow
            key={job.name}
            job={job}
            firings={runs.data?.firings.get(job.name)}
            endings={runs.data?.failures.get(job.name)}
            onChanged={onChanged}
          />
        ))}
      </ul>
    </div>
  );
}
