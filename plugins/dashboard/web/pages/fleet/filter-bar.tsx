import { ArrowUpToLine, Columns3, Group as GroupIcon, LayoutGrid, List, Search } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { setQuery } from '../../frame/index.ts';
import { Button, Icon, Menu, Select } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { AddMachine } from './dialogs/add.tsx';
import type { Filters, StateFilter } from './filters.ts';

interface Props {
  readonly filters: Filters;
  readonly counts: Readonly<Record<StateFilter, number>>;
  readonly tags: readonly (readonly [tag: string, count: number])[];
  /** Those that may be hidden. */
  readonly columns: readonly { readonly id: string; readonly label: string }[];
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
  return (
    <input
      class="input"
      type="search"
      aria-label={t.fleet.filter}
      placeholder={t.fleet.filter}
      value={typed ?? text}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

/** Filters of the fleet; they live in the address. */
export function FilterBar({ filters, counts, tags, columns }: Props) {
  const { text, tag, state, view, isGrouped, isOfflineFirst, hidden } = filters;
  return (
    <div class="fleet-filters">
      <div class="fleet-search">
        <Icon of={Search} />
        <FilterInput text={text} />
      </div>
      <Select<StateFilter>
        bare
        label={t.fleet.state}
        value={state}
        options={(['all', 'online', 'offline', 'look'] as const).map((value) => ({
          value,
          label: `${t.fleet.states[value]} (${counts[value]})`,
        }))}
        onChange={(value) => setQuery({ state: value === 'all' ? undefined : value })}
      />
      {tags.length > MOST_TAGS ? (
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
      ) : (
        tags.map(([value]) => (
          <button
            type="button"
            key={value}
            class="tag"
            aria-pressed={tag === value}
            onClick={() => setQuery({ tag: tag === value ? undefined : value })}
          >
            {value}
          </button>
        ))
      )}
      <div class="fleet-tools">
        <Button
          kind="quiet"
          icon={ArrowUpToLine}
          label={t.fleet.offlineFirst}
          pressed={isOfflineFirst}
          onClick={() => setQuery({ first: isOfflineFirst ? undefined : 'offline' })}
        />
        {view === 'cards' && tags.length > 0 && (
          <Button
            kind="quiet"
            icon={GroupIcon}
            label={t.fleet.groupByTag}
            pressed={isGrouped}
            onClick={() => setQuery({ group: isGrouped ? undefined : 'tag' })}
          />
        )}
        {view === 'table' && (
          <Menu
            label={t.fleet.columns}
            icon={Columns3}
            items={columns.map(({ id, label }) => ({
              label,
              checked: !hidden.includes(id),
              onSelect: () =>
                setQuery({
                  hide: (hidden.includes(id)
                    ? hidden.filter((other) => other !== id)
                    : [...hidden, id]
                  ).join(','),
                }),
            }))}
          />
        )}
        <AddMachine />
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
      </div>
    </div>
  );
}
