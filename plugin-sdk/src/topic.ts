import type { TSchema } from 'typebox';
import { Errors, Type } from './typebox.ts';

/** A kind of message between plugins: a fact in the past tense, published after the commit. */
export interface Topic<S extends TSchema = TSchema> {
  /** Unique, begins with the plugin's name: `agent.last-values`. */
  readonly name: string;
  /** JSON; `Bytes` is allowed at the top and one level deep. Checked in tests. */
  readonly payload: S;
  /** Tells whether it stays in this process; otherwise it goes to all servers. */
  readonly local: boolean;
}

/** `export const NoteChanged = topic('note.changed', Type.Object({ key: Type.String() }));` */
export const topic = <S extends TSchema>(
  name: string,
  payload: S,
  { local = false }: { readonly local?: boolean } = {},
): Topic<S> => ({ name, payload, local });

/** Listeners share one payload, so none may change it. */
export type Payload<T> = T extends Uint8Array
  ? T
  : T extends object
    ? { readonly [Key in keyof T]: Payload<T[Key]> }
    : T;

/** Reason why a payload does not fit the schema of its topic; undefined: it fits. */
export function misfit({ name, payload: schema }: Topic, payload: unknown): string | undefined {
  const [wrong] = Errors(schema, payload);
  if (!wrong) return undefined;
  return `message '${name}' does not fit its topic: ${wrong.instancePath || 'payload'} ${wrong.message}`;
}

/** Bytes as the payload or as one of its members. */
export const Bytes = Type.Unsafe<Uint8Array>({});

/**
 * Rows of any table may have changed without a message of their own: SQL was run by a caller, or messages of another
 * server were lost. A plugin that keeps a copy of rows reads them again.
 */
export const DatabaseChanged = topic(
  'database.changed',
  Type.Object({ gap: Type.Optional(Type.Boolean()) }),
);
