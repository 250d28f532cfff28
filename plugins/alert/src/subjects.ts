import type { MonitorNames } from './monitors.ts';
import type { Machines, Placed } from './types.ts';

/** Returns the name of what an alert is about, as it is now. */
export function nameOfSubject(
  alert: Pick<Placed, 'subject_kind' | 'subject_id' | 'detail'>,
  { machines, monitors }: { machines: Pick<Machines, 'nameOf'>; monitors: MonitorNames },
): string {
  const { subject_kind, subject_id, detail } = alert;
  if (subject_kind === 'agent') return machines.nameOf(subject_id);
  if (subject_kind === 'monitor') return monitors.nameOf(alert) || subject_id;
  return detail.name ?? subject_id;
}
