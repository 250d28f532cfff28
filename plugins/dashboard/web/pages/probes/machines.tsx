import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Machine, setQuery, useMachines } from '../../frame/index.ts';
import { HowToAllow } from '../../parts/allow.tsx';
import { Amount, Bar, format } from '../../parts/index.ts';
import {
  type Answer,
  isBad,
  keyOfProbe,
  lossFigure,
  type Probe,
  type Reading,
} from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';

interface Props {
  readonly probe: Probe;
  readonly answer: Answer;
  readonly chosen: string | undefined;
}

/** So few need no folding. */
const FEW = 8;

/** The machines of a target: those that need a look, then the others by tag, folded, the slowest first. */
export function Machines({ probe, answer, chosen }: Props) {
  const { of } = useMachines();
  const { readings } = answer;
  const fine = readings.filter(({ mood }) => mood === 'fine');
  const bad = readings.filter(isBad);
  const unmeasured = readings.filter(({ mood }) => mood === 'away');
  const waiting = unmeasured.filter(({ uuid }) => isWaiting(of(uuid)));
  const away = unmeasured.filter((one) => !waiting.includes(one));
  const groups = groupsOf(fine, (uuid) => of(uuid)?.tags?.[0]);
  const common = { probe, answer, chosen };
  return (
    <div class="probes-groups">
      {bad.length > 0 && (
        <Group {...common} title={t.probes.look(bad.length)} readings={bad} isOpen />
      )}
      {groups.map(([tag, list]) => (
        <Group
          key={tag ?? ''}
          {...common}
          title={tag ?? (groups.length > 1 ? t.probes.untagged : t.probes.others)}
          readings={list}
          isOpen={fine.length <= FEW}
        />
      ))}
      {waiting.length > 0 && (
        <Fold title={t.probes.notYet} note={t.probes.group(waiting.length)}>
          <Away kind={probe.kind} readings={waiting} />
        </Fold>
      )}
      {away.length > 0 && (
        <Fold title={t.probes.away} note={t.probes.group(away.length)}>
          <Away kind={probe.kind} readings={away} />
        </Fold>
      )}
    </div>
  );
}

type Groups = readonly (readonly [tag: string | undefined, readonly Reading[]])[];

/** By the first tag of each machine, the group with the slowest machine first; those without a tag last. */
function groupsOf(
  readings: readonly Reading[],
  tagOf: (uuid: string) => string | undefined,
): Groups {
  const found = new Map<string | undefined, Reading[]>();
  for (const one of readings) {
    const tag = tagOf(one.uuid);
    found.set(tag, [...(found.get(tag) ?? []), one]);
  }
  return [...found].sort(([a], [b]) => Number(a === undefined) - Number(b === undefined));
}

interface GroupProps extends Props {
  readonly title: string;
  readonly readings: readonly Reading[];
  readonly isOpen: boolean;
}

function Group({ title, readings, isOpen, ...rest }: GroupProps) {
  const medians = readings.flatMap(({ of }) => of?.p50 ?? []).sort((a, b) => a - b);
  const figure = format.millisecondsOf(medians);
  const [least, most] = [medians[0], medians.at(-1)];
  const span =
    least === undefined || most === undefined
      ? ''
      : least === most
        ? format.text(figure(least))
        : `${figure(least).value} – ${format.text(figure(most))}`;
  return (
    <Fold
      title={title}
      note={readings.some(isBad) ? '' : t.probes.group(readings.length)}
      end={span}
      isOpen={isOpen}
    >
      <Rows {...rest} readings={readings} />
    </Fold>
  );
}

interface FoldProps {
  readonly title: string;
  readonly note: string;
  readonly end?: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

/** What is folded is not drawn. */
function Fold({ title, note, end, isOpen = false, children }: FoldProps) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <details open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        <strong>{title}</strong>
        <span class="muted small">{note}</span>
        <span class="grow" />
        {end && <span class="muted small num">{end}</span>}
      </summary>
      {isShown && children}
    </details>
  );
}

function Rows({
  probe,
  answer,
  readings,
  chosen,
}: Props & { readonly readings: readonly Reading[] }) {
  const { nameOf } = useMachines();
  // One unit for all groups.
  const figure = format.millisecondsOf(
    answer.readings.flatMap(({ of, usual }) => [of?.p50, of?.p95, usual]),
  );
  const most = answer.slowest?.of?.p50 ?? 0;
  const cell = (ms: number | null | undefined) => (
    <Amount of={ms == null ? undefined : figure(ms)} />
  );
  return (
    <table class="probes-table">
      <thead>
        <tr>
          <th scope="col">{t.probes.machine}</th>
          <th scope="col" class="num">
            {t.probes.median}
          </th>
          <th scope="col" class="num probes-wide" title={t.probes.usualHint}>
            {t.probes.usual}
          </th>
          <th scope="col" class="num probes-wide">
            p95
          </th>
          <th scope="col" class="num">
            {t.probes.loss}
          </th>
        </tr>
      </thead>
      <tbody>
        {readings.map(({ uuid, of, usual, mood }) => (
          <tr key={uuid} class={uuid === chosen ? 'open' : ''}>
            <th scope="row">
              <button
                type="button"
                class="probes-machine ellipsis"
                title={t.probes.openMachine(nameOf(uuid))}
                aria-pressed={uuid === chosen}
                onClick={() =>
                  setQuery({ probe: keyOfProbe(probe), machine: uuid }, { replace: false })
                }
              >
                {nameOf(uuid)}
              </button>
              {of?.p50 != null && (
                <Bar value={of.p50 / most} warn={2} bad={2} label={nameOf(uuid)} />
              )}
            </th>
            <td class={mood === 'slow' ? 'num probes-slow' : 'num'}>{cell(of?.p50)}</td>
            <td class="num probes-wide">{cell(usual)}</td>
            <td class="num probes-wide">{cell(of?.p95)}</td>
            <td class={mood === 'lossy' || mood === 'silent' ? 'num probes-slow' : 'num'}>
              <Amount of={of && lossFigure(of.loss ?? 0)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface AwayProps {
  readonly kind: Probe['kind'];
  readonly readings: readonly Reading[];
}

/** Machines that measured nothing, by the reason that is known of each. */
export function Away({ kind, readings }: AwayProps) {
  const { nameOf, of } = useMachines();
  const groups = new Map<string, string[]>();
  for (const { uuid } of readings) {
    const why = awayOf(of(uuid));
    groups.set(why, [...(groups.get(why) ?? []), nameOf(uuid)]);
  }
  return (
    <>
      {[...groups].map(([why, names]) => (
        <div key={why}>
          <p class="muted">
            {why}{' '}
            {names.sort((a, b) => a.localeCompare(b, undefined, { numeric: true })).join(', ')}
          </p>
          {why === t.probes.awayTasksOff && <HowToAllow kind={kind} />}
        </div>
      ))}
    </>
  );
}

/** It takes tasks now, so what it measures is on its way. */
export const isWaiting = (machine: Machine | undefined): boolean =>
  machine?.connected_for_tasks === true && machine.tasks_allowed !== false;

function awayOf(machine: Machine | undefined): string {
  if (machine?.tasks_allowed === false) return t.probes.awayTasksOff;
  if (isWaiting(machine)) return `${t.probes.notYet}:`;
  return machine?.connected_for_tasks === false ? t.probes.awayOffline : t.probes.awayHint;
}
