import { isDeepStrictEqual } from 'node:util';
import { RpcError } from '@svc/plugin-sdk';
import { isFileOnly, isSecretKey, type KeyMarks } from '@svc/plugin-sdk/kernel';

type Table = Readonly<Record<string, unknown>>;

/** The parts of a schema that say which keys there are, and what is so of them. */
interface Known extends KeyMarks {
  readonly default?: unknown;
  readonly properties?: { readonly [key: string]: Known };
  readonly items?: Known;
}

/** One key that differs between two configurations; a default that is written out differs in nothing. */
export interface Change {
  /** `enrol.url` */
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Reason why it is changed in the file on the machine only; undefined: it may change over the wire. */
  readonly fileOnly: string | undefined;
  /** Its values may be told: they are no secret, and a schema knows the key. */
  readonly tellable: boolean;
}

const MARKED = 'what is run, opened or trusted does not change over the wire';
const UNKNOWN = 'no plugin here knows this section';

/** The keys that differ, in the order of the two tables. @param schema of the whole file */
export function changesOf(schema: Known, before: Table, after: Table): Change[] {
  return inTable(schema, before, after, []);
}

/** The keys of a table that are changed in the file on the machine only; of a section that no schema knows its name. */
export const fileOnlyKeys = (schema: Known, table: Table): string[] =>
  changesOf(schema, different(table), table)
    .filter(({ fileOnly }) => fileOnly !== undefined)
    .map(({ key }) => key);

/** The same keys with values that no configuration has. */
const different = (table: Table): Table =>
  Object.fromEntries(
    Object.entries(table).map(([name, value]) => [
      name,
      isTable(value) ? different(value) : Symbol(name),
    ]),
  );

function inTable(schema: Known, before: Table, after: Table, at: readonly string[]): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    inKey(partOf(schema, name), before[name], after[name], [...at, name]),
  );
}

/** The schema of a member; the mark of a section holds for what is in it. */
function partOf({ properties = {}, wire }: Known, name: string): Known | undefined {
  const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
  // What no schema knows may be a secret.
  return wire === undefined ? part : { wire, ...(part ?? { secret: true }) };
}

function inKey(
  schema: Known | undefined,
  was: unknown,
  is: unknown,
  path: readonly string[],
): Change[] {
  const before = was ?? schema?.default;
  const after = is ?? schema?.default;
  if (isDeepStrictEqual(before, after)) return [];
  const tables = [before, after].filter((value) => value !== undefined).every(isTable);
  const isSection = path.length === 1 && (isTable(before) || isTable(after));
  if (tables && (schema?.properties || !isSection))
    return inTable(schema ?? {}, (before ?? {}) as Table, (after ?? {}) as Table, path);
  const name = path.at(-1) ?? '';
  const values = [before, after];
  const isMarked =
    isFileOnly(name, schema, values) ||
    holdsMark(schema) ||
    values.some((value) => holdsPlace(schema, value));
  const fileOnly = isMarked ? MARKED : isSection && !schema?.properties ? UNKNOWN : undefined;
  const tellable = schema !== undefined && !holdsSecret(name, schema);
  return [{ key: path.join('.'), before, after, fileOnly, tellable }];
}

/** Tables of a list change with it: a key in one of them names a place. */
function holdsPlace(schema: Known | undefined, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => holdsPlace(itemOf(schema), item));
  if (!isTable(value)) return false;
  return Object.entries(value).some(([name, inner]) => {
    const part = partOf(schema ?? {}, name);
    return isFileOnly(name, part, [inner]) || holdsPlace(part, inner);
  });
}

const itemOf = ({ wire, items }: Known = {}): Known => ({
  ...(wire === undefined ? {} : { wire }),
  ...items,
});

/** A table in the place of a value, or the other way round, touches whatever may stand in the table. */
const holdsMark = (schema: Known | undefined): boolean =>
  schema !== undefined &&
  (schema.wire === false ||
    [...Object.values(schema.properties ?? {}), schema.items].some(holdsMark));

const holdsSecret = (name: string, { items, properties = {}, ...marks }: Known): boolean =>
  isSecretKey(name, marks) ||
  Object.entries({ ...properties, ...(items && { [name]: items }) }).some(([inner, part]) =>
    holdsSecret(inner, part),
  );

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Keys that an error names. */
const MOST_NAMED = 8;

/** @throws RpcError 107 that names the keys which are changed in the file only */
export function refuseFileOnly(changes: readonly Change[]): void {
  const refused = changes.filter(({ fileOnly }) => fileOnly !== undefined);
  if (refused.length === 0) return;
  const named = refused.slice(0, MOST_NAMED).map(({ key }) => key);
  const more = refused.length > MOST_NAMED ? ` and ${refused.length - MOST_NAMED} more` : '';
  const why = [...new Set(refused.map(({ fileOnly }) => fileOnly))].join('; ');
  throw RpcError.config(
    `${named.join(', ')}${more}: change it in the file on the machine (${why})`,
  );
}

/** Characters of one value in the audit. */
const MOST_SHOWN = 200;

/** Returns the target in a record of the audit: `kv.max_items 100000 → 5, metrics.otlp_headers`; values of secrets, and of keys that no schema knows, never. */
export function changesText(changes: readonly Change[]): string {
  if (changes.length === 0) return 'no key';
  return changes
    .map(({ key, before, after, tellable }) =>
      tellable ? `${key} ${shown(before)} → ${shown(after)}` : key,
    )
    .join(', ');
}

function shown(value: unknown): string {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
