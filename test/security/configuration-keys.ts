/** The keys of a configuration's schema, one by one. */
export interface Key {
  readonly path: readonly string[];
  readonly schema: Part;
  /** As the key or a table around it is marked. */
  readonly wire: boolean | undefined;
}

export interface Part {
  readonly type?: string;
  readonly enum?: unknown;
  readonly default?: unknown;
  readonly wire?: boolean;
  readonly secret?: boolean;
  readonly pattern?: string;
  readonly items?: Part;
  readonly properties?: { readonly [name: string]: Part };
}

/** All keys below a schema that are no tables themselves. */
export function keysOf(
  schema: Part,
  path: readonly string[] = [],
  wire: boolean | undefined = undefined,
): Key[] {
  const mark = schema.wire ?? wire;
  if (!schema.properties) return [{ path, schema, wire: mark }];
  return Object.entries(schema.properties).flatMap(([name, part]) =>
    keysOf(part, [...path, name], mark),
  );
}
