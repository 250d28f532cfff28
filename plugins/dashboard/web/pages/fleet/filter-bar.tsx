import {
  ArrowUpToLine,
  Columns3,
  Group as GroupIcon,
  LayoutGrid,
  List,
  Search as SearchIcon,
} from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { setQuery } from '../../frame/index.ts';
import { Button, Icon, Menu, Search, Select } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import type { FleetColumn } from './columns.tsx';
import { AddMachine } from './dialogs/add.tsx';
import type { Filters, StateFilter } from './filters.ts';

interface Props {
  readonly filters: Filters;
  readonly counts: Readonly<Record<StateFilter, number>>;
  readonly tags: readonly (readonly [tag: string, count: number])[];
  /** Columns that may be hidden. */
  readonly columns: readonly FleetColumn[];
}

/** Tags beyond are in a list. */
const MOST_TAGS = 4;

/** A key is shown at once; the fleet follows when the fingers rest. */
const REST_MS = 80;

function FilterInput({ text }: { readonly text: string }) {
  const [typed, setTyped] = useState<string>();
  useEffect(() => {
    if (typed === undefined) return;
    const timer = setTimeout(() => {
      setQuery({ q: typed });
      // A key may have come since, and not be drawn yet.
      setTyped((latest) => (latest === typed ? undefined : latest));
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <Search label={t.fleet.filter} value={typed ?? text} onText={setTyped} />;
}

/** Filters of the fleet; they live in the address. */
export function FilterBar({ filters, counts, tags, columns }: Props) {
  return (
    <div class="fleet-filters">
      <div class="fleet-search">
        <Icon of={SearchIcon} />
        <FilterInput text={filters.text} />
      </div>
      <Select<StateFilter>
        bare
        label={t.fleet.state}
        value={filters.state}
        options={(['all', 'online', 'offline', 'look'] as const).map((value) => ({
          value,
          label: `${t.fleet.states[value]} (${counts[value]})`,
        }))}
        onChange={(value) => setQuery({ state: value === 'all' ? undefined : value })}
      />
      <TagFilter tag={filters.tag} tags={tags} />
      <div class="fleet-tools">
        <Order filters={filters} hasTags={tags.length > 0} />
        {filters.view === 'table' && <ColumnMenu hidden={filters.hidden} columns={columns} />}
        <AddMachine />
        <Views view={filters.view} />
      </div>
    </div>
  );
}

type Tags = Props['tags'];

/** A button a tag; of many a list. */
function TagFilter({ tag, tags }: { readonly tag: string; readonly tags: Tags }) {
  if (tags.length > MOST_TAGS)
    return (
      <Select
        bare
        label={t.fleet.tags}
        value={tag}
        options={[
          { value: '', label: t.fleet.everyTag },
          ...tags.map(([value, count]) => ({ value, label: `${value} (${count})` })),
        ]}
        onChange={(value) => setQuery({ tag: value })}
      />
    );
  return tags.map(([value]) => (
    <button
      type="button"
      key={value}
      class="tag"
      aria-pressed={tag === value}
      onClick={() => setQuery({ tag: tag === value ? undefined : value })}
    >
      {value}
    </button>
  ));
}

function Order({ filters, hasTags }: { readonly filters: Filters; readonly hasTags: boolean }) {
  const { view, isGrouped, isOfflineFirst } = filters;
  return (
    <>
      <Button
        kind="quiet"
        icon={ArrowUpToLine}
        label={t.fleet.offlineFirst}
        pressed={isOfflineFirst}
        onClick={() => setQuery({ first: isOfflineFirst ? undefined : 'offline' })}
      />
      {view === 'cards' && hasTags && (
        <Button
          kind="quiet"
          icon={GroupIcon}
          label={t.fleet.groupByTag}
          pressed={isGrouped}
          onClick={() => setQuery({ group: isGrouped ? undefined : 'tag' })}
        />
      )}
    </>
  );
}

interface ColumnProps extends Pick<Props, 'columns'> {
  readonly hidden: readonly string[];
}

function ColumnMenu({ hidden, columns }: ColumnProps) {
  const toggled = (id: string) =>
    hidden.includes(id) ? hidden.filter((other) => other !== id) : [...hidden, id];
  return (
    <Menu
      label={t.fleet.columns}
      icon={Columns3}
      items={columns.map(({ id, label }) => ({
        label: String(label),
        checked: !hidden.includes(id),
        onSelect: () => setQuery({ hide: toggled(id).join(',') }),
      }))}
    />
  );
}

const Views = ({ view }: Pick<Filters, 'view'>) => (
  <span class="fleet-views">
    <Button
      kind="quiet"
      icon={LayoutGrid}
      label={t.fleet.cards}
      pressed={view === 'cards'}
      onClick={() => setQuery({ view: undefined })}
    />
    <Button
      kind="quiet"
      icon={List}
      label={t.fleet.table}
      pressed={view === 'table'}
      onClick={() => setQuery({ view: 'table' })}
    />
  </span>
);
