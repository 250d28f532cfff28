import { parse } from 'smol-toml';

type Value = string | number;

/** Value of the configuration under `[section] key`; undefined: nothing, or no text and no number. */
export function valueIn(text: string, section: string, key: string): Value | undefined {
  const found = (parse(text)[section] as { readonly [key: string]: unknown } | undefined)?.[key];
  return typeof found === 'string' || typeof found === 'number' ? found : undefined;
}

/**
 * The text with another value; undefined takes it out. Comments and all other lines stay.
 * @throws Error where the value stands in a form that one changed line cannot hold, such as an inline table
 */
export function withValue(
  text: string,
  section: string,
  key: string,
  value: Value | undefined,
): string {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => line.replace(/#.*/, '').trim() === `[${section}]`);
  const after = lines.findIndex((line, at) => at > head && /^\s*\[/.test(line));
  const end = after < 0 ? lines.length : after;
  const isOld = (line: string) => line.split('=')[0]?.trim() === key && line.includes('=');
  const at = head < 0 ? -1 : lines.findIndex((line, n) => n > head && n < end && isOld(line));
  const made = value === undefined ? [] : [`${key} = ${JSON.stringify(value)}`];
  if (at >= 0) lines.splice(at, 1, ...made);
  else if (head >= 0) lines.splice(head + 1, 0, ...made);
  else if (made.length > 0)
    lines.push(...(lines.at(-1) === '' ? [] : ['']), `[${section}]`, ...made, '');
  const changed = lines.join('\n');
  if (valueIn(changed, section, key) !== value) throw new Error(`[${section}] ${key}`);
  return changed;
}
