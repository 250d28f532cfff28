import { History, SearchX } from 'lucide';
import {
  Link,
  Loaded,
  setQuery,
  to,
  useAlertWords,
  useMachines,
  useSubjects,
} from '../../../frame/index.ts';
import { type AlertEvent, ruleTitle, SeverityIcon } from '../../../parts/alert/index.ts';
import { Button, Empty, format, Select } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { eventText } from '../event-text.ts';
import { useRules } from '../model.ts';
import { TimesNote } from '../times-note.tsx';
import { type Filters, KINDS, RANGES, setFilter, useFilters, useHistory } from './model.ts';

/** Everything that happened to alerts, the newest first; filters stand in the address. */
export function HistoryTab() {
  const filters = useFilters();
  const { events, limit } = useHistory(filters);
  return (
    <div class="stack">
      <FilterBar filters={filters} />
      <Loaded of={events} what={t.alerts.unreadable}>
        {(list) =>
          list.length === 0 ? (
            <Nothing filters={filters} />
          ) : (
            <>
              <ul class="alerts-events card flush">
                {list.map((event) => (
                  <Line key={event.id} event={event} />
                ))}
              </ul>
              <TimesNote />
              {list.length >= limit && (
                <p class="row">
                  <span class="muted">{t.alerts.shownOf(list.length)}</span>
                  {!filters.isLong && (
                    <Button onClick={() => setQuery({ long: '1' })}>{t.alerts.showMore}</Button>
                  )}
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function Nothing({ filters }: { readonly filters: Filters }) {
  const isFiltered = filters.machine !== '' || filters.rule !== '' || filters.kind !== '';
  const all = () =>
    setQuery({ machine: undefined, rule: undefined, kind: undefined, range: 'all' });
  return (
    <Empty icon={isFiltered ? SearchX : History} title={t.alerts.noEvents}>
      {(isFiltered || filters.range !== 'all') && <Button onClick={all}>{t.alerts.showAll}</Button>}
    </Empty>
  );
}

function FilterBar({ filters }: { readonly filters: Filters }) {
  const { list = [] } = useMachines();
  const rules = useRules();
  const any = (label: string) => ({ value: '', label });
  return (
    <div class="row wrap alerts-filters">
      <Select
        bare
        label={t.alerts.machine}
        value={filters.machine}
        options={[
          any(t.alerts.anyMachine),
          ...list.map(({ uuid, name }) => ({ value: uuid, label: name })),
        ]}
        onChange={(value) => setFilter('machine', value)}
      />
      <Select
        bare
        label={t.alerts.rule}
        value={filters.rule}
        options={[
          any(t.alerts.anyRule),
          ...(rules.data ?? []).map((rule) => ({ value: rule.name, label: ruleTitle(rule) })),
        ]}
        onChange={(value) => setFilter('rule', value)}
      />
      <Select
        bare
        label={t.alerts.kind}
        value={filters.kind}
        options={[
          any(t.alerts.anyKind),
          ...KINDS.map((kind) => ({ value: kind, label: t.alerts.kinds[kind] })),
        ]}
        onChange={(value) => setFilter('kind', value)}
      />
      <Select
        bare
        label={t.chart.range.label}
        value={filters.range}
        options={[
          ...(Object.keys(RANGES) as (keyof typeof RANGES)[]).map((range) => ({
            value: range,
            label: t.chart.range.last(t.chart.range.presets[range]),
          })),
          { value: 'all' as const, label: t.alerts.anyTime },
        ]}
        onChange={(value) => setFilter('range', value)}
      />
    </div>
  );
}

function Line({ event }: { readonly event: AlertEvent }) {
  const { at, kind, severity, rule, alert_id } = event;
  const { placeOf } = useSubjects();
  const { titleOf } = useAlertWords();
  return (
    <li class={`alerts-event ${kind}`}>
      <time class="muted small" dateTime={new Date(at).toISOString()} title={format.dateTime(at)}>
        {format.when(at)}
      </time>
      <SeverityIcon of={severity} />
      <div class="alerts-event-what">
        <Link to={to('alerts', String(alert_id))}>{titleOf(rule)}</Link>
        <span class="muted"> · {placeOf(event)}</span>
      </div>
      <div class="alerts-event-text">{eventText(event)}</div>
    </li>
  );
}
