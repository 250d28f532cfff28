import type { TSchema } from 'typebox';
import { withMembers } from './schemas.ts';

/** Marks of one key of the configuration in its schema, besides its type. */
export interface KeyMarks {
  /** Tells whether it may be changed over the wire too, no matter what its name looks like; false: in the file on the machine only. */
  readonly wire?: boolean;
  /** Tells whether its text is a secret, or holds one. */
  readonly secret?: boolean;
  /** Tells whether a reload changes it; otherwise its new value needs a restart. On a whole section it holds for each of its keys. */
  readonly reload?: boolean;
}

/**
 * A key, or a whole section, that names what others execute or trust: paths, addresses, keys, outlets. `svc-server_edit_config`
 * changes it for no caller (svc-server.md §7).
 */
export const fileOnly = <T extends TSchema>(schema: T): T => marked(schema, { wire: false });

/** A key whose text, or a text of whose list, is a secret or holds one: it is masked in logs, backups and the audit. */
export const secretKey = <T extends TSchema>(schema: T): T => marked(schema, { secret: true });

/** Marks a key, or each key of a section, as one that a reload may change: `kernel.config` then has the new value. */
export const reload = <T extends TSchema>(schema: T): T => marked(schema, { reload: true });

const marked = <T extends TSchema>(schema: T, marks: KeyMarks): T => withMembers(schema, marks);

/** Names of texts that say what is executed, opened, reached or trusted. */
const NAMES_PLACE =
  /(?:^|_)(?:path|file|dir|directory|folder|url|uri|address|endpoint|host|proxy|proxies|origin|command|cmd|exec|program|executable|binary|script|module|library|listener|socket|server|upstream|webhook|pin|cert|certificate|ca|key)(?:s|es)?$|^(?:tls|ssl)(?:_|$)/i;

/** `scriptPath` and `script-path` as `script_path`. */
const underscored = (name: string): string =>
  name.replace(/([a-z0-9])(?=[A-Z])/g, '$1_').replaceAll('-', '_');

const isText = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.some(isText));

/**
 * Tells whether a key is changed in the file only: as its schema says, else where its name ends like that of a path, an
 * address or a command and `values` hold a text. That is the rule for plugins from elsewhere, whose authors need not know
 * the mark.
 */
export function isFileOnly(
  name: string,
  marks: KeyMarks = {},
  values: readonly unknown[],
): boolean {
  if (marks.wire !== undefined) return !marks.wire;
  return NAMES_PLACE.test(underscored(name)) && values.some(isText);
}

/** Names of texts that are secrets; texts that name files are none. */
const SECRET_NAME =
  /(?:secret|password|passphrase|token|credential|authorization|api_?key|bearer)s?$/i;

/** Tells whether the text of a key is a secret or holds one: as its schema says, else by its name. */
export const isSecretKey = (name: string, { secret }: KeyMarks = {}): boolean =>
  secret ?? SECRET_NAME.test(name);
