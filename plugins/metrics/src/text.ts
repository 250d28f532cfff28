import type { Distribution, Family, Labels, Sample } from './api.ts';

export const CONTENT_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
export const END = '# EOF\n';

const escaped = (text: string): string =>
  /[\\"\n]/.test(text)
    ? text.replace(/[\\"\n]/g, (mark) => (mark === '\n' ? '\\n' : `\\${mark}`))
    : text;

/** `{a="b",c="d"}`; empty without labels. */
export function labelText(labels: Labels | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Returns the header of the samples of a family. */
export const headText = (name: string, { type, unit, help }: Omit<Family, 'read'>): string =>
  `# TYPE ${name} ${type}\n${unit ? `# UNIT ${name} ${unit}\n` : ''}# HELP ${name} ${escaped(help)}\n`;

/** One family in the OpenMetrics text format 1.0. */
export function familyText(prefix: string, family: Family): string {
  const name = `${prefix}_${family.name}`;
  const lines = [headText(name, family)];
  const suffix = family.type === 'counter' ? '_total' : '';
  for (const { labels, value } of family.read()) {
    if (typeof value === 'number') lines.push(`${name}${suffix}${labelText(labels)} ${value}\n`);
    else lines.push(...distributionLines(name, labels, value));
  }
  return lines.join('');
}

function distributionLines(
  name: string,
  labels: Sample['labels'],
  { bounds, counts, sum }: Distribution,
): string[] {
  let count = 0;
  const lines: string[] = [];
  for (let at = 0; at < counts.length; at++) {
    count += counts[at] as number;
    const le = at < bounds.length ? Number(bounds[at]).toString() : '+Inf';
    lines.push(`${name}_bucket${labelText({ ...labels, le: decimal(le) })} ${count}\n`);
  }
  const all = labelText(labels);
  lines.push(`${name}_count${all} ${count}\n`, `${name}_sum${all} ${sum}\n`);
  return lines;
}

/** Bounds are written as floating point numbers everywhere, so that they compare as texts. */
const decimal = (text: string): string => (/^\d+$/.test(text) ? `${text}.0` : text);
