import type { Node } from './engine.ts';
import type { Value } from './types.ts';

/** Chain of a variable and members: `json.items[0]` is `['json', 'items', 0]`. */
export type Way = readonly (string | number)[];

/** Returns the chain that a node is; undefined: it is none. */
export function wayOf({ op, args }: Node): Way | undefined {
  if (op === 'id') return [args as string];
  if (op !== '.' && op !== '[]') return undefined;
  const [target, last] = args as [Node, Node | string];
  const way = wayOf(target);
  const member = typeof last === 'string' ? last : last.args;
  if (typeof member === 'string') return way && [...way, member];
  return typeof member === 'bigint' ? way && [...way, Number(member)] : undefined;
}

/** Returns the value at the end of a way into an object; undefined: there is none. */
export function valueAt(values: object, way: Way): Value {
  let found: unknown = values;
  for (const member of way) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, member))
      return undefined;
    found = (found as Readonly<Record<string | number, unknown>>)[member];
  }
  return found as Value;
}
