import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import { isSecretKey, type KeyMarks } from '@svc/plugin-sdk/kernel';
import { codeOf, hideSecret } from '@svc/plugin-sdk/util';
import { parse, stringify } from 'smol-toml';

const REMOVED = 'removed-by-backup';
/** Keys that sign the audit and what machines are given, and that seals secrets of channels; they lie next to the configuration. */
const KEYS = ['audit.key', 'signing.key', 'secrets.key'];

/** The parts of a schema that say which keys are known, and which are secret. */
interface Known extends KeyMarks {
  readonly properties?: { readonly [key: string]: Known };
  readonly items?: Known;
}

/**
 * A configuration without its secrets, and without comments, which may hold some.
 * @param schema of the whole file: texts of a key that it does not know go too, because a misspelt `password` holds one
 */
export const withoutSecrets = (text: string, schema: Known): string =>
  `# The configuration of a backup: secrets say ${REMOVED}.\n${stringify(redacted(parse(text), schema, '') as object)}`;

function redacted(value: unknown, schema: Known | undefined, name: string): unknown {
  const { items, properties = {}, ...marks } = schema ?? {};
  if (Array.isArray(value))
    return value.map((item) => redacted(item, items && { ...marks, ...items }, name));
  if (typeof value === 'string') {
    if (schema && !isSecretKey(name, marks)) return value;
    return schema ? hideSecret(value, REMOVED) : REMOVED;
  }
  // Times of TOML are objects, too.
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      redacted(member, Object.hasOwn(properties, key) ? properties[key] : undefined, key),
    ]),
  );
}

/** Texts by the names of their files. */
type Files = Record<string, string>;

/** The configuration as it stands, and the keys that belong to it, as one text. */
export async function secretFiles(path: string): Promise<Buffer> {
  const text = await readFile(path, 'utf8');
  const files: Files = { [CONFIGURATION]: text };
  const { tls_cert, tls_key, notify } = parse(text);
  const named = [tls_cert, tls_key].filter((file) => typeof file === 'string');
  const keyFile = (notify as { key_file?: unknown } | undefined)?.key_file;
  const names = typeof keyFile === 'string' ? [...KEYS, keyFile] : KEYS;
  const keys = names.map((name) => resolve(dirname(path), name));
  for (const file of [...keys, ...named.map((name) => resolve(name))]) {
    const content = await readFile(file, 'utf8').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (content !== undefined) files[basename(file)] = content;
  }
  return Buffer.from(JSON.stringify(files));
}

const CONFIGURATION = 'configuration';

/** Texts by the paths where a restore writes them. */
export type Targets = ReadonlyMap<string, string>;

/** Puts what `secretFiles` gave in its place: the configuration under this name, the rest in the same folder. */
export function targetsOf(target: string, content: Buffer): Targets {
  const files = JSON.parse(content.toString()) as Files;
  const pathOf = (name: string) =>
    name === CONFIGURATION ? target : join(dirname(target), basename(name));
  return new Map(Object.entries(files).map(([name, text]) => [pathOf(name), text]));
}

/** @throws UserError when one of the files is there already */
export function refuseExisting(targets: Targets): void {
  const there = [...targets.keys()].filter((file) => existsSync(file));
  if (there.length > 0)
    throw new UserError(
      `--configuration: ${there.join(', ')} is there already, and nothing was restored: name a file in another folder, which takes the keys as well`,
    );
}

/** Makes the folder, too. @throws Error for a file that is there already */
export async function writeTargets(targets: Targets): Promise<void> {
  for (const [file, text] of targets) {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  }
}
