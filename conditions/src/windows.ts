import { nearest } from '@svc/plugin-sdk/util';
import type { Node } from './engine.ts';
import type { Vocabulary, WindowFunction, WindowUse } from './types.ts';

interface Refusal {
  readonly message: string;
  readonly node?: Node;
  readonly nearest?: string | undefined;
}

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const LEAST_MS = 10_000;
const MOST_MS = 31 * 86_400_000;

/** Reads a use of a window function; its arguments are texts as they are written. */
export function readWindow(
  name: string,
  args: readonly Node[],
  vocabulary: Vocabulary,
): { readonly use: WindowUse } | Refusal {
  const texts = args.map(({ op, args: text }) =>
    op === 'value' && typeof text === 'string' ? text : undefined,
  );
  if (name === 'traffic') return readTraffic(texts[0], args);
  const example = `${name}("${vocabulary.windows?.[0] ?? 'cpu_usage'}", "5m")`;
  const [variable, span] = texts;
  if (args.length !== 2 || variable === undefined || span === undefined) {
    return { message: `${name} takes a variable and a span, both as texts: ${example}` };
  }
  if (!vocabulary.windows?.includes(variable)) {
    return {
      message: `${name} has no variable ${variable}`,
      node: args[0] as Node,
      nearest: nearest(variable, vocabulary.windows ?? []),
    };
  }
  const ms = spanOf(span);
  if (ms === undefined) {
    return {
      message: 'a span is a number and s, m, h or d, from "10s" to "31d"',
      node: args[1] as Node,
    };
  }
  return {
    use: { function: name as WindowFunction, variable, span: ms, key: keyOf(name, variable, ms) },
  };
}

function readTraffic(
  span: string | undefined,
  args: readonly Node[],
): { readonly use: WindowUse } | Refusal {
  if (args.length !== 1 || (span !== 'day' && span !== 'month')) {
    return { message: 'traffic takes "day" or "month"' };
  }
  return { use: { function: 'traffic', variable: '', span, key: keyOf('traffic', '', span) } };
}

const keyOf = (name: string, variable: string, span: number | string) =>
  `${name}(${variable},${span})`;

/** Key of a use by its arguments as they are written. */
export const keyOfTexts = (name: string, variable: string, span: string): string =>
  keyOf(name, variable, name === 'traffic' ? span : (spanOf(span) ?? span));

/** Reads `5m` as ms. */
function spanOf(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,4})([smhd])$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * SECONDS[unit as keyof typeof SECONDS] * 1_000;
  return ms >= LEAST_MS && ms <= MOST_MS ? ms : undefined;
}
