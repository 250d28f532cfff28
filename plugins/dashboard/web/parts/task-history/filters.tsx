import { address, setQuery, useMachines } from '../../frame/index.ts';
import { t } from '../../strings/index.ts';
import { Button, Checkbox, Select } from '../index.ts';
import { KINDS } from '../task-form.tsx';
import type { TaskFilter } from './rows.ts';

interface FiltersProps {
  readonly filter: TaskFilter;
  /** The machine can be chosen. */
  readonly hasMachine: boolean;
  readonly onRefresh: () => void;
}

export function Filters({ filter, hasMachine, onRefresh }: FiltersProps) {
  const { list, nameOf } = useMachines();
  const machines = (list ?? []).map(({ uuid }) => ({ value: uuid, label: nameOf(uuid) }));
  if (filter.machine !== '' && !machines.some(({ value }) => value === filter.machine))
    machines.push({ value: filter.machine, label: nameOf(filter.machine) });
  return (
    <div class="tasks-filters" role="search">
      {hasMachine && (
        <Select
          bare
          label={t.tasks.machine}
          value={filter.machine}
          options={[{ value: '', label: t.tasks.everyMachine }, ...machines]}
          onChange={(machine) => setQuery({ machine })}
        />
      )}
      <Select
        bare
        label={t.tasks.sort}
        value={filter.kind}
        options={[
          { value: '', label: t.tasks.everyKind },
          ...KINDS.map((kind) => ({ value: kind as string, label: t.tasks.kinds[kind] })),
        ]}
        onChange={(kind) => setQuery({ kind })}
      />
      <Select
        bare
        label={t.tasks.state}
        value={filter.state}
        options={[
          { value: '', label: t.tasks.everyState },
          { value: 'is_success', label: t.tasks.success },
          { value: 'is_failure', label: t.tasks.failure },
          { value: 'is_running', label: t.tasks.running },
        ]}
        onChange={(state) => setQuery({ state })}
      />
      <JobFilters filter={filter} />
      <Button onClick={onRefresh}>{t.tasks.refresh}</Button>
    </div>
  );
}

function JobFilters({ filter }: Pick<FiltersProps, 'filter'>) {
  return (
    <>
      <input
        class="input"
        type="search"
        aria-label={t.tasks.job}
        placeholder={t.tasks.everyJob}
        value={filter.job}
        onChange={({ currentTarget: { value } }) => setQuery({ job: value })}
      />
      <input
        class="input"
        type="date"
        aria-label={t.tasks.until}
        title={t.tasks.until}
        value={address.value.query.get('until') ?? ''}
        onChange={({ currentTarget: { value } }) => setQuery({ until: value })}
      />
      {filter.job === '' && (
        <Checkbox
          label={t.tasks.alsoJobs}
          checked={!filter.isManual}
          onChange={(isIn) => setQuery({ jobs: isIn ? '1' : undefined })}
        />
      )}
    </>
  );
}
