import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useMachines } from '../../frame/index.ts';
import { format } from '../../parts/index.ts';
import { type Answer, isBad, type Probe, type Reading } from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { Away } from './away.tsx';
import { groupsOf, isWaiting } from './model.ts';
import { Rows } from './rows.tsx';

interface Props {
  readonly probe: Probe;
  readonly answer: Answer;
  /** UUID of the machine whose curve is open. */
  readonly chosen: string | undefined;
}

/** Number of machines that need no folding. */
const FEW = 8;

/** The machines of a target: those that need attention, then the others by tag, folded, the slowest first. */
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

/** Section that folds; its content is drawn while it is open. */
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
