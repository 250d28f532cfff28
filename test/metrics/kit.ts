/** A strict reader of the OpenMetrics text format 1.0, written from its specification. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly unit: string | undefined;
  readonly samples: Sample[];
}

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum'],
};

/** @throws Error at the first line that breaks the format */
export function parseMetrics(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current: { name: string; family: Family } | undefined;
  if (!text.endsWith('\n# EOF\n')) throw new Error('no # EOF at the end');
  for (const line of text.slice(0, -'# EOF\n'.length).trimEnd().split('\n')) {
    const [, word, name = '', rest = ''] =
      /^# (TYPE|UNIT|HELP) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (word === 'TYPE') {
      if (families.has(name)) throw new Error(`${name} begins twice`);
      current = { name, family: { type: rest, unit: undefined, samples: [] } };
      families.set(name, current.family);
    } else if (word === 'UNIT') {
      if (current?.name !== name || !name.endsWith(`_${rest}`)) throw new Error(line);
    } else if (word === 'HELP') {
      if (current?.name !== name) throw new Error(line);
    } else {
      const sample = parseSample(line);
      const suffixes = SUFFIXES[current?.family.type ?? ''] ?? [];
      if (!suffixes.some((suffix) => sample.name === `${current?.name}${suffix}`))
        throw new Error(`${line}: belongs to no family`);
      current?.family.samples.push(sample);
    }
  }
  return families;
}

function parseSample(line: string): Sample {
  const [, name, inner, value] =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)$/.exec(
      line,
    ) ?? [];
  if (!name) throw new Error(`no sample: ${line}`);
  const pairs = [...(inner ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  const plain = (escaped: string) =>
    escaped.replace(/\\(.)/g, (_all, mark) => (mark === 'n' ? '\n' : mark));
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
  if (Number.isNaN(number)) throw new Error(`no number: ${line}`);
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, key, text]) => [key, plain(text as string)])),
    value: number,
  };
}

/** The value of the sample with this name and these labels, whatever others it has. */
export function sampleValue(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels);
  for (const { samples } of families.values()) {
    const found = samples.find(
      (sample) =>
        sample.name === name && wanted.every(([key, value]) => sample.labels[key] === value),
    );
    if (found) return found.value;
  }
  return undefined;
}
