import {
  type HoldingKind,
  type HoldingLimit,
  type HoldingLimits,
  OWNER_FULL,
  RpcError,
} from '@svc/plugin-sdk';
import type { Held } from './store.ts';

/** Subject of a count: an owner, the Super Token, or all others together. */
export type Whose = 'own' | 'created' | 'super' | 'shared';

/** One count that a change must stay within. */
export interface Bound {
  readonly whose: Whose;
  readonly limits: Pick<HoldingLimits, 'rows' | 'bytes'>;
}

const HOLDERS: Readonly<Record<Whose, string>> = {
  own: 'this token, with the tokens that it created, holds',
  created: 'the token that created this one, with all that it created, holds',
  super: 'the Super Token holds',
  shared: 'all tokens but the Super Token hold together',
};

/** Tells whether more is held than the bound allows. */
export const isBeyond = ({ limits: { rows, bytes } }: Bound, held: Held): boolean =>
  (rows !== undefined && held.rows > rows.most) || (bytes !== undefined && held.bytes > bytes.most);

/** Demands no growth beyond the bound. @throws RpcError 108 */
export function demandWithin(
  { kind, plural, remedy = 'delete some' }: Pick<HoldingKind, 'kind' | 'plural' | 'remedy'>,
  { whose, limits: { rows, bytes } }: Bound,
  [before, after]: readonly [before: Held, after: Held],
): void {
  const grows = (limit: HoldingLimit | undefined, measure: keyof Held): limit is HoldingLimit =>
    limit !== undefined && after[measure] > limit.most && after[measure] > before[measure];
  if (grows(rows, 'rows')) {
    const many = before.rows === 1 ? `1 ${kind}` : `${count(before.rows)} ${plural}`;
    throw full(
      `${HOLDERS[whose]} ${many}, and ${rows.key} allows ${count(rows.most)}: ${remedy}`,
      rows,
    );
  }
  if (grows(bytes, 'bytes')) {
    const much = `${count(before.bytes)} bytes of ${plural}, and ${count(after.bytes)} with this`;
    throw full(
      `${HOLDERS[whose]} ${much}; ${bytes.key} allows ${count(bytes.most)}: ${remedy} or make them smaller`,
      bytes,
    );
  }
}

const full = (what: string, { key }: HoldingLimit) =>
  RpcError.invalid(`${what}, or have ${key.split(' ')[0]} raised`, { data: OWNER_FULL });

const count = (value: number): string => value.toLocaleString('en-US');
