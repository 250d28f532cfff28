import { parse } from 'smol-toml';

/** Returns those of these keys that have another value in the draft; none where one of the two is no TOML. */
export function changedOf(keys: readonly string[], text: string, draft: string): string[] {
  try {
    const [before, after] = [parse(text), parse(draft)];
    return keys.filter((key) => valueAt(before, key) !== valueAt(after, key));
  } catch {
    // The server says at which line.
    return [];
  }
}

function valueAt(tree: unknown, key: string): string | undefined {
  let value: unknown = tree;
  for (const name of key.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return JSON.stringify(value);
}
