import type { Finding } from '@svc/plugin-sdk';
import { EXAMINED } from '@svc/plugin-sdk/kernel';

export interface Report {
  /** Tells whether no problem was found. */
  readonly ok: boolean;
  readonly version: string;
  readonly configuration: string;
  readonly findings: readonly Finding[];
}

/** Worst first. */
const LEVELS = ['problem', 'advice', 'ok'] as const;
const SHOWN = { problem: 'PROBLEM', advice: 'advice', ok: 'ok' };

const AREA_WIDTH = 15;
const LEVEL_WIDTH = 9;
const MOST_COLUMNS = 110;

/** The report for a person: an area a block, its faults first, below each what to do. */
export function write(command: string, { version, configuration, findings }: Report): string {
  const columns = Math.min(process.stdout.columns ?? MOST_COLUMNS, MOST_COLUMNS);
  const width = Math.max(columns - AREA_WIDTH - LEVEL_WIDTH, 30);
  const shown = merged(findings);
  const lines = EXAMINED.flatMap((area) =>
    LEVELS.flatMap((level) => shown.filter((f) => f.area === area && f.level === level)).flatMap(
      (finding, at) => block(finding, at === 0 ? area : '', width),
    ),
  );
  return [
    `svc-server ${version} ${command}: ${configuration}`,
    '',
    ...lines,
    '',
    sum(findings),
  ].join('\n');
}

/** Merges findings that say the same of several keys (`db_path: …`). */
function merged(findings: readonly Finding[]): Finding[] {
  const keys = new Map<string, { readonly finding: Finding; readonly names: string[] }>();
  for (const finding of findings) {
    const [, name = '', rest = finding.message] = /^([\w.]+): (.*)$/.exec(finding.message) ?? [];
    const id = `${finding.area} ${finding.level} ${rest}`;
    const earlier = keys.get(id);
    if (earlier) earlier.names.push(name);
    else keys.set(id, { finding, names: [name] });
  }
  return [...keys.values()].map(({ finding, names }) => ({
    ...finding,
    message: finding.message.replace(names[0] as string, [...new Set(names)].join(', ')),
  }));
}

function block({ level, message, advice }: Finding, area: string, width: number): string[] {
  const texts = [
    ...wrap(message, width),
    ...(advice === undefined
      ? []
      : wrap(advice, width - 2).map((line, at) => (at ? '  ' : '→ ') + line)),
  ];
  return texts.map((text, at) => {
    const label = at === 0 ? area.padEnd(AREA_WIDTH) + SHOWN[level] : '';
    return label.padEnd(AREA_WIDTH + LEVEL_WIDTH) + text;
  });
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

function sum(findings: readonly Finding[]): string {
  const count = (wanted: Finding['level']) =>
    findings.filter(({ level }) => level === wanted).length;
  const [problems, advice] = [count('problem'), count('advice')];
  if (problems + advice === 0) return 'Nothing is wrong.';
  const named = (n: number, word: string) => (n === 1 ? `1 ${word}` : `${n} ${word}s`);
  return `${[
    ...(problems > 0 ? [named(problems, 'problem')] : []),
    ...(advice > 0 ? [advice === 1 ? '1 piece of advice' : `${advice} pieces of advice`] : []),
  ].join(', ')}.`;
}
