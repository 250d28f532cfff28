import type { Language } from './kinds/index.ts';
import { type Sealed, type SecretPlace, unseal, type Values } from './secrets.ts';

/** A row of the table `channel`. Times are Unix ms. */
export interface ChannelRow extends SecretPlace {
  readonly name: string;
  readonly config: Values;
  readonly sealed: Sealed;
  readonly language: Language;
  readonly zone: string;
  readonly enable: boolean;
  /** Key of the token that wrote it last; null: the Super Token. */
  readonly owner: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly failing_since: number | null;
  /** Nothing is sent before: the receiver was away, or asked for it. */
  readonly retry_at: number;
  /** Failures since the last message that was taken. */
  readonly tries: number;
  readonly last_ok_at: number | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly sent: number;
  readonly failed: number;
  readonly dropped: number;
}

/** Settings of a channel, which callers decide. */
export type Settings = Pick<
  ChannelRow,
  'name' | 'kind' | 'config' | 'language' | 'zone' | 'enable' | 'owner'
>;

/** Returns all values of a channel. @throws Error for another key than they were sealed with */
export const valuesOf = (row: ChannelRow, key: Buffer): { config: Values; secret: Values } => ({
  config: row.config,
  secret: unseal(key, row, row.sealed),
});
