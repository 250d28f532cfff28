import { isDeepStrictEqual } from 'node:util';
import { parse as parsePatchable, patch } from '@decimalturn/toml-patch';
import { UserError } from '@svc/plugin-sdk';
import { parseToml } from './parse.ts';
import { isTable } from './section.ts';

/**
 * Sets one key and keeps comments, order and layout; `undefined` removes the key. Missing tables are made.
 * @throws UserError for a text that is not TOML, and where a part of the path is no table
 */
export function setKey(text: string, path: readonly string[], value: unknown): string {
  const expected = parseToml(text);
  put(expected, path, value);
  const updated: Record<string, unknown> = parsePatchable(text);
  put(updated, path, value);
  const edited = patch(text, updated);
  // The patcher is young: a wrong edit must never reach the file.
  // The two parsers' tables differ in their prototype, which a clone does not have.
  if (!isDeepStrictEqual(structuredClone(parseToml(edited)), structuredClone(expected))) {
    throw new UserError(
      `${path.join('.')}: this file cannot be edited while keeping its layout; edit it by hand`,
    );
  }
  return edited;
}

function put(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const key = path.at(-1);
  if (key === undefined) throw new UserError('a key is needed');
  let table = tree;
  for (const name of path.slice(0, -1)) {
    table[name] ??= {};
    const inner = table[name];
    if (!isTable(inner)) throw new UserError(`${name}: is not a table`);
    table = inner;
  }
  if (value === undefined) delete table[key];
  else table[key] = value;
}
