/** Members of JSON Schema that bounds use. */
interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: { readonly [name: string]: Schema };
  /** Schema of a record's members. */
  readonly patternProperties?: { readonly [pattern: string]: Schema };
  readonly maxProperties?: number;
  /** A list: the elements of a tuple. */
  readonly items?: Schema | readonly Schema[];
  readonly maxItems?: number;
}

/** Length beyond its bound, and where it stands: `.condition`, `.headers`; empty for the value itself. */
interface TooLong {
  readonly at: string;
  readonly text: string;
}

/** Finds a list or record that is longer than its schema allows. */
export type Bounds = (value: unknown) => TooLong | undefined;

/**
 * Looks at the lengths alone, because the check of a schema looks at every element before it counts them.
 * @returns undefined for a schema without lists
 */
export function boundsOf(schema: Schema): Bounds | undefined {
  const { type, anyOf, properties, patternProperties, items } = schema;
  if (anyOf) return firstOf(anyOf.map(boundsOf));
  if (type === 'array') return Array.isArray(items) ? ofTuple(items) : ofList(schema);
  if (patternProperties) return ofRecord(schema, Object.values(patternProperties)[0] ?? {});
  return properties && ofMembers(Object.entries(properties));
}

function firstOf(all: readonly (Bounds | undefined)[]): Bounds | undefined {
  const some = all.filter((bounds) => bounds !== undefined);
  if (some.length < 2) return some[0];
  return (value) => {
    for (const bounds of some) {
      const found = bounds(value);
      if (found) return found;
    }
    return undefined;
  };
}

function ofMembers(members: readonly (readonly [string | number, Schema])[]): Bounds | undefined {
  return firstOf(
    members.map(([name, schema]) => {
      const inner = boundsOf(schema);
      return inner && ((value) => below(name, inner((value as never)?.[name])));
    }),
  );
}

const ofTuple = (items: readonly Schema[]) => ofMembers([...items.entries()]);

function ofList({ maxItems = Number.POSITIVE_INFINITY, items }: Schema): Bounds {
  const inner = boundsOf(items as Schema);
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    if (value.length > maxItems) return tooLong(value.length, maxItems);
    if (inner)
      for (const [at, element] of value.entries()) {
        const found = inner(element);
        if (found) return below(at, found);
      }
    return undefined;
  };
}

function ofRecord({ maxProperties = Number.POSITIVE_INFINITY }: Schema, member: Schema): Bounds {
  const inner = boundsOf(member);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const names = Object.keys(value);
    if (names.length > maxProperties) return tooLong(names.length, maxProperties);
    for (const name of inner ? names : []) {
      const found = inner?.((value as never)[name]);
      if (found) return below(name, found);
    }
    return undefined;
  };
}

const tooLong = (count: number, most: number): TooLong => ({
  at: '',
  text: `invalid length: ${count} entries, expected at most ${most} entries`,
});

const below = (name: string | number, found: TooLong | undefined): TooLong | undefined =>
  found && { ...found, at: `.${name}${found.at}` };
