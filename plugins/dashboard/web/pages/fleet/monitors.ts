import { useAlertWords, useOpenAlerts } from '../../frame/index.ts';
import { inOrder } from '../../parts/alert/index.ts';
import { ofAlert, type Problem } from './problems.ts';

/** Monitor that asks for a look, by its name. */
export interface Troubled {
  readonly name: string;
  readonly problems: readonly Problem[];
}

/** Monitors with open alerts that nothing explains, the worst first. */
export function useMonitorsInTrouble(): readonly Troubled[] {
  const { list = [] } = useOpenAlerts();
  const words = useAlertWords();
  const found = new Map<string, Problem[]>();
  for (const alert of inOrder(list)) {
    const { subject, severity, hidden_by } = alert;
    if (subject.kind !== 'monitor' || severity === 'info') continue;
    if (hidden_by !== null) continue;
    const name = subject.id;
    found.set(name, [...(found.get(name) ?? []), ofAlert(alert, words)]);
  }
  return [...found].map(([name, problems]) => ({ name, problems }));
}
