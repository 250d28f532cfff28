import { Refusal } from './answers.ts';

/** One state token or entity tag of a list. */
export interface Condition {
  readonly not: boolean;
  readonly kind: 'token' | 'etag';
  readonly value: string;
}

/** Conditions that must all hold, about the resource of `tag`, or of the request without one. */
export interface ConditionList {
  readonly tag: string | undefined;
  readonly conditions: readonly Condition[];
}

const lexeme = /\s*(?:<([^<>]*)>|\[((?:W\/)?"[^"]*")\]|([()])|(not)\b)/iy;

/** The lists of an `If` field (RFC 4918 §10.4). @throws Refusal 400 */
export function parseIf(field: string): ConditionList[] {
  const lists: ConditionList[] = [];
  const text = field.trim();
  let tag: string | undefined;
  let open: Condition[] | undefined;
  let not = false;
  lexeme.lastIndex = 0;
  for (let at = 0; at < text.length; at = lexeme.lastIndex) {
    lexeme.lastIndex = at;
    const found = lexeme.exec(text);
    if (!found) throw new Refusal(400);
    const [, angle, etag, bracket, negation] = found;
    if (bracket === '(' && !open) open = [];
    else if (bracket === ')' && open && open.length > 0 && !not) {
      lists.push({ tag, conditions: open });
      open = undefined;
    } else if (negation !== undefined && open && !not) not = true;
    else if (angle !== undefined && !open) tag = angle;
    else if (open && (angle ?? etag) !== undefined) {
      const kind = angle === undefined ? 'etag' : 'token';
      open.push({ not, kind, value: (angle ?? etag) as string });
      not = false;
    } else throw new Refusal(400);
  }
  if (open || lists.length === 0) throw new Refusal(400);
  return lists;
}

/** Every state token in the lists counts as submitted (RFC 4918 §10.4.1). */
export const tokensOf = (lists: readonly ConditionList[]): Set<string> =>
  new Set(
    lists
      .flatMap(({ conditions }) => conditions)
      .filter(({ kind }) => kind === 'token')
      .map(({ value }) => value),
  );

/** The state of a resource that a list is compared with. */
export interface ResourceState {
  readonly etag: string | undefined;
  readonly tokens: ReadonlySet<string>;
}

export const holds = ({ conditions }: ConditionList, state: ResourceState): boolean =>
  conditions.every(({ not, kind, value }) => {
    const isTrue = kind === 'etag' ? value === state.etag : state.tokens.has(value);
    return isTrue !== not;
  });
