import { useState } from 'preact/hooks';
import { beginningOf, namesMonitor } from '../../../parts/alert/index.ts';
import { Card, Select } from '../../../parts/index.ts';
import { type ListedMonitor, useListedMonitors } from '../../../parts/monitor/listed.ts';
import { t } from '../../../strings/index.ts';
import { Choice } from '../choice.tsx';
import type { Scope } from '../model.ts';
import { MonitorPicker } from '../silences/monitor-picker.tsx';
import { TagChoice, tagsOf } from '../tags.tsx';
import type { CardProps } from './condition-card.tsx';
import { groupedText, readGrouped, readNamed } from './named.ts';

const WAYS = ['all', 'monitors', 'groups', 'tags'] as const;
type Way = (typeof WAYS)[number];

const wayOf = ({ monitors, tags }: Scope, group: string): Way => {
  if (monitors && monitors.length > 0) return 'monitors';
  if (tags) return 'tags';
  return group === '' ? 'all' : 'groups';
};

const SCOPES: { readonly [way in Way]: Scope } = {
  all: { all: true },
  monitors: { monitors: [] },
  groups: { all: true },
  tags: { tags: [] },
};

/** Monitors that a rule is about: all, by name, by group, or by tag. */
export function MonitorScope({ draft, onChange }: CardProps) {
  const list = useListedMonitors();
  const { scope } = draft;
  const grouped = readGrouped(draft.condition);
  const [way, setWay] = useState<Way>(() => wayOf(scope, grouped.group));
  const tags = tagsOf(list);
  const choose = (next: Way) => {
    setWay(next);
    onChange({ scope: SCOPES[next], condition: grouped.condition });
  };
  return (
    <Card class="stack" title={t.alerts.monitorScope}>
      <Choice words={WAYS} chosen={way} labels={t.alerts.monitorWays} onChoose={choose} />
      {way === 'groups' && (
        <GroupChoice
          list={list}
          group={grouped.group}
          onChange={(group) => onChange({ condition: groupedText({ ...grouped, group }) })}
        />
      )}
      {way === 'tags' && tags.length === 0 && <p class="hint">{t.alerts.noMonitorTags}</p>}
      {(way === 'tags' || scope.tags) && (
        <TagChoice
          label={t.alerts.whichTags}
          all={tags}
          chosen={scope.tags ?? []}
          onChange={(tags) => onChange({ scope: { ...scope, tags: [...tags] } })}
        />
      )}
      {(way === 'monitors' || scope.monitors) && (
        <MonitorPicker
          monitors={list}
          chosen={scope.monitors ?? []}
          onChange={(monitors) => onChange({ scope: { ...scope, monitors: [...monitors] } })}
        />
      )}
      <Hits hits={monitorHits(draft, list)} />
    </Card>
  );
}

interface GroupProps {
  readonly list: readonly ListedMonitor[];
  readonly group: string;
  readonly onChange: (group: string) => void;
}

function GroupChoice({ list, group, onChange }: GroupProps) {
  const groups = [...new Set(list.map((one) => one.group ?? ''))].filter((one) => one !== '');
  if (groups.length === 0 && group === '') return <p class="hint">{t.alerts.noGroups}</p>;
  const names = [...new Set([...(group === '' ? [] : [group]), ...groups.sort()])];
  return (
    <Select
      label={t.alerts.whichGroup}
      value={group}
      options={[
        { value: '', label: t.alerts.anyGroup },
        ...names.map((value) => ({ value, label: value })),
      ]}
      onChange={onChange}
    />
  );
}

type Meant = Pick<CardProps['draft'], 'scope' | 'condition'>;

/** Monitors that a rule looks at: those that are on, that its scope names, and that are in the group of its condition. */
export function monitorHits({ scope, condition }: Meant, list: readonly ListedMonitor[]) {
  const { condition: own, prefix } = readNamed(condition);
  const { group } = readGrouped(own);
  return list.filter(
    (one) =>
      one.enable &&
      one.name.startsWith(prefix) &&
      (group === '' || one.group === group) &&
      (scope.all === true ||
        namesMonitor(scope.monitors ?? [], one.name) ||
        one.tags.some((tag) => scope.tags?.includes(tag))),
  );
}

const MOST = 12;

function Hits({ hits }: { readonly hits: readonly ListedMonitor[] }) {
  const names = hits.slice(0, MOST).map(({ name }) => name);
  return (
    <p class="hint" aria-live="polite">
      {t.alerts.monitorHits(hits.length)}
      {names.length > 0 && `: ${names.join(t.alerts.comma)}`}
      {hits.length > MOST && ` ${t.alerts.andMore(hits.length - MOST)}`}
    </p>
  );
}

/** "all monitors", "shop…, mail", "tagged web", "group Customers" */
export function monitorScopeText(
  { scope, condition }: Meant,
  listed: (names: readonly string[]) => string,
): string {
  const { group } = readGrouped(readNamed(condition).condition);
  const { monitors = [], tags = [] } = scope;
  const isAny = scope.all === true || (monitors ?? []).includes('*');
  const words = (name: string) => {
    const beginning = beginningOf(name);
    return beginning === undefined ? name : `${beginning}…`;
  };
  const named = isAny
    ? group === '' && t.alerts.allMonitors
    : [
        monitors && monitors.length > 0 && listed(monitors.map(words)),
        tags && tags.length > 0 && t.alerts.matcher.tags(listed(tags)),
      ]
        .filter((part) => typeof part === 'string')
        .join(` ${t.alerts.or} `) || t.alerts.noMonitors;
  return [named, group !== '' && t.alerts.inGroup(group)]
    .filter((part) => typeof part === 'string')
    .join(' · ');
}
