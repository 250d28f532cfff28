import type { Methods } from '@svc/client';
import { usePoll, useServer } from '../../../frame/index.ts';
import { t } from '../../../strings/index.ts';
import type { Source } from '../model.ts';

export type Variable = Methods['alert_rule_variables']['result'][number];
export type UnitKind =
  | 'percent'
  | 'bytes'
  | 'rate'
  | 'seconds'
  | 'ms'
  | 'degrees'
  | 'days'
  | 'plain';

/** Units of variables as the server names them. */
const KINDS: { readonly [unit: string]: UnitKind } = {
  '%': 'percent',
  percent: 'percent',
  bytes: 'bytes',
  B: 'bytes',
  'bytes/s': 'rate',
  'B/s': 'rate',
  s: 'seconds',
  seconds: 'seconds',
  ms: 'ms',
  '°C': 'degrees',
  celsius: 'degrees',
  d: 'days',
  days: 'days',
};

/** Unit of a variable by its name, for lists that have not asked the server. */
function guessed(name: string): UnitKind {
  if (/percent|_usage$|^percent/.test(name)) return 'percent';
  if (/_speed$/.test(name)) return 'rate';
  if (/memory|space|swap|\.free$|\.total$|total_/.test(name)) return 'bytes';
  if (/_s$|silent_for|_for$/.test(name)) return 'seconds';
  if (/^ms$|_ms$/.test(name)) return 'ms';
  if (/temperature/.test(name)) return 'degrees';
  return /_days$|days_left$/.test(name) ? 'days' : 'plain';
}

export const unitOf = (name: string, known?: Variable): UnitKind =>
  KINDS[known?.unit ?? ''] ?? guessed(name);

/** Name of a variable for people: ours, then the server's, then its own. */
export const titleOf = (name: string, known?: Variable): string => {
  const titles = t.alerts.variables as { readonly [name: string]: string };
  return titles[name.replace('.', '_')] ?? known?.title ?? name;
};

/** Units that tell two values of one name apart. */
const UNIT_NAMES: { readonly [kind in UnitKind]?: string } = {
  percent: '%',
  bytes: 'GiB',
  rate: 'MB/s',
  degrees: '°C',
  seconds: 's',
  ms: 'ms',
};

/** Names to choose from; equal ones show their units. */
export function titlesOf(names: readonly string[], known: readonly Variable[]) {
  const all = names.map((value) => {
    const one = known.find(({ name }) => name === value);
    return { value, label: titleOf(value, one), unit: UNIT_NAMES[unitOf(value, one)] ?? value };
  });
  const isDouble = (label: string) => all.filter((one) => one.label === label).length > 1;
  return all.map(({ value, label, unit }) => ({
    value,
    label: isDouble(label) ? `${label} (${unit})` : label,
  }));
}

export function useVariables(source: Source) {
  const { call } = useServer();
  return usePoll(`alert variables ${source}`, () => call('alert_rule_variables', { source }));
}
