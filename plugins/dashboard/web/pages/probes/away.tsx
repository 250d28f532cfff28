import { useMachines } from '../../frame/index.ts';
import { HowToAllow } from '../../parts/allow.tsx';
import type { Probe, Reading } from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { awayOf } from './model.ts';

interface Props {
  readonly kind: Probe['kind'];
  readonly readings: readonly Reading[];
}

/** Machines that measured nothing, by the reason of each. */
export function Away({ kind, readings }: Props) {
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
