import { massOf } from './mass.ts';
import type { DispatchParts } from './parts.ts';
import { type Due, groupOf, massKeyOf } from './work.ts';

/** Events that are told together. */
export interface Group {
  readonly key: string;
  readonly openings: Due[];
  readonly ends: Due[];
  title: string | undefined;
}

interface Events {
  readonly openings: readonly Due[];
  readonly ends: readonly Due[];
}

/** Returns events by the group in which they are told; machines, or monitors, that went together are one. */
export function groupsOf(
  { openings, ends }: Events,
  parts: Pick<DispatchParts, 'fleet' | 'monitors'>,
): Group[] {
  const groups = new Map<string, Group>();
  const groupFor = (key: string): Group => {
    const group = groups.get(key) ?? { key, openings: [], ends: [], title: undefined };
    groups.set(key, group);
    return group;
  };
  const masses = massesOf(openings, parts);
  for (const due of openings) {
    const mass = masses.get(due.event.id);
    const { group_by } = due.policy;
    const isSplit = group_by === 'subject' || group_by === 'group';
    const key = mass && isSplit ? mass.key : groupOf(due.policy, due.rule, due.alert);
    const group = groupFor(key);
    group.openings.push(due);
    if (mass) group.title = mass.title;
  }
  for (const due of ends) {
    const key = due.told?.opening?.group ?? groupOf(due.policy, due.rule, due.alert);
    groupFor(key).ends.push(due);
  }
  return [...groups.values()];
}

/** Masses by the events that are in them. */
function massesOf(
  openings: readonly Due[],
  { fleet, monitors }: Pick<DispatchParts, 'fleet' | 'monitors'>,
): ReadonlyMap<number, { readonly key: string; readonly title: string }> {
  const found = new Map<number, { readonly key: string; readonly title: string }>();
  const kinds = [
    { is: isSilent, all: () => fleet.count(), what: 'machines fell silent', word: '' },
    { is: isDown, all: () => monitors.count, what: 'monitors went down', word: 'monitors:' },
  ];
  for (const { is, all, what, word } of kinds)
    for (const some of Map.groupBy(openings.filter(is), ({ policy }) => policy.id).values()) {
      const mass = massOf(some, all(), what);
      const policy = some[0]?.policy;
      if (!mass || !policy) continue;
      const { events, title } = mass;
      for (const id of events) found.set(id, { key: massKeyOf(policy, word), title });
    }
  return found;
}

const isSilent = ({ rule }: Due): boolean => rule.source === 'presence';
const isDown = ({ rule, alert }: Due): boolean =>
  rule.source === 'monitor' && alert.detail.values?.['state'] === 'down';
