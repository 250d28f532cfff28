/** One line of a result; lines with a label are compared with those of the same label. */
export interface Line {
  readonly label?: string;
  readonly text: string;
  /** Value of figures, in the unit of the text. */
  readonly value?: number;
}

/** A result as lines, whatever its kind. `figure` writes milliseconds. */
export function linesOf(kind: string, result: unknown, figure: (ms: number) => string): Line[] {
  if (typeof result === 'number') return [{ text: figure(result), value: result }];
  if (typeof result === 'boolean') return [{ label: kind, text: String(result) }];
  if (typeof result === 'string') return textLines(result);
  if (kind === 'ip' && Array.isArray(result))
    return ['IPv4', 'IPv6'].map((label, at) => ({ label, text: String(result[at] ?? '–') }));
  if (kind === 'dns' && Array.isArray(result))
    return (result as { record_type: string; data: string }[]).map(({ record_type, data }) => ({
      text: `${record_type.toUpperCase()}  ${data}`,
    }));
  if (kind === 'http_request') return httpLines(result as HttpResult);
  return Object.entries((result ?? {}) as object).map(([label, one]) => ({
    label,
    text: typeof one === 'string' ? one : JSON.stringify(one),
  }));
}

interface HttpResult {
  readonly status: number;
  readonly headers: readonly { readonly [name: string]: string }[];
  readonly body: string | null;
  readonly body_base64: string | null;
}

const httpLines = ({ status, headers, body, body_base64 }: HttpResult): Line[] => [
  { label: 'status', text: String(status) },
  ...headers.flatMap((header) => Object.entries(header).map(([label, text]) => ({ label, text }))),
  ...textLines(body ?? body_base64 ?? ''),
];

const textLines = (text: string): Line[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => ({ text: line }));

/** Difference of one machine's result from what most say. */
export interface Difference {
  /** Answer for each line. */
  readonly differs: readonly boolean[];
  /** Lines that most have and this one lacks. */
  readonly lacks: readonly string[];
  readonly isSame: boolean;
}

/** Multiple of the median above which an answer counts as slow. */
const MUCH = 2;
/** ms; smaller differences do not matter. */
const LEAST = 5;

/** Compares results, by machine. A single one differs from nothing. */
export function compare(
  results: ReadonlyMap<string, readonly Line[]>,
): ReadonlyMap<string, Difference> {
  const all = [...results.values()];
  const figures = all
    .flatMap((lines) => lines.flatMap(({ value }) => value ?? []))
    .sort((a, b) => a - b);
  const median = figures[Math.floor((figures.length - 1) / 2)] ?? 0;
  const usual = usualOf(all);
  const isAlone = all.length < 2;
  return new Map(
    [...results].map(([uuid, lines]) => {
      const own = new Set(lines.map(keyOf));
      const differs = lines.map((line) => {
        if (isAlone) return false;
        if (line.value !== undefined) return line.value > Math.max(median * MUCH, LEAST);
        return !usual.has(keyOf(line));
      });
      const isFigure = lines.some(({ value }) => value !== undefined);
      const labels = new Set(lines.map(({ label }) => label));
      const missing = [...usual].filter((key) => !own.has(key) && !labels.has(labelIn(key) ?? key));
      const lacks = isAlone || isFigure ? [] : missing.map((key) => key.replace('\0', ' '));
      return [uuid, { differs, lacks, isSame: !differs.includes(true) && lacks.length === 0 }];
    }),
  );
}

/** Undefined for a line without a label. */
const labelIn = (key: string) => (key.includes('\0') ? key.split('\0', 1)[0] : undefined);
const keyOf = ({ label, text }: Line): string => (label === undefined ? text : `${label}\0${text}`);

/** The lines of the result that most machines have; labelled ones are counted one by one. */
function usualOf(all: readonly (readonly Line[])[]): ReadonlySet<string> {
  const texts = commonest(all.map((lines) => JSON.stringify(plain(lines))));
  const usual = new Set<string>(texts === undefined ? [] : (JSON.parse(texts) as string[]));
  const labels = new Set(all.flatMap((lines) => lines.flatMap(({ label }) => label ?? [])));
  for (const label of labels) {
    const found = commonest(
      all.flatMap((lines) => lines.filter((line) => line.label === label).map(keyOf)),
    );
    if (found !== undefined) usual.add(found);
  }
  return usual;
}

const plain = (lines: readonly Line[]) =>
  lines.filter(({ label }) => label === undefined).map(({ text }) => text);

/** The most frequent, the first among equals. */
function commonest(list: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  let [best, most]: [string | undefined, number] = [undefined, 0];
  for (const [one, count] of counts) if (count > most) [best, most] = [one, count];
  return best;
}
