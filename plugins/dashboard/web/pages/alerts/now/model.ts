import { type Alert, inOrder, isBelow, toldFirst } from '../../../parts/alert/index.ts';

/** An alert with those that it explains. */
export interface Group {
  readonly alert: Alert;
  readonly below: readonly Alert[];
}

/** Open alerts in their order; those that another one explains stand below it. Without their cause they stand alone. */
export function groupsOf(alerts: readonly Alert[]): readonly Group[] {
  const tops = inOrder(alerts.filter((alert) => !isBelow(alert)));
  const below = new Map<number, Alert[]>();
  const alone: Alert[] = [];
  for (const alert of inOrder(alerts.filter(isBelow))) {
    const cause = causeOf(alert, tops);
    if (cause) below.set(cause.id, [...(below.get(cause.id) ?? []), alert]);
    else alone.push(alert);
  }
  return toldFirst([...tops, ...alone]).map((alert) => ({
    alert,
    below: below.get(alert.id) ?? [],
  }));
}

function causeOf({ subject, hidden_by }: Alert, tops: readonly Alert[]): Alert | undefined {
  const isNamed = ({ rule, subject: of }: Alert) =>
    hidden_by !== null && (hidden_by.name === rule || hidden_by.name === of.name);
  const isSame = ({ subject: of }: Alert) => of.kind === subject.kind && of.id === subject.id;
  return tops.find((top) => isSame(top) && isNamed(top)) ?? tops.find(isNamed) ?? tops.find(isSame);
}
