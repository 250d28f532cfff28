import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, UserError } from '@svc/plugin-sdk';
import { parse, stringify } from 'smol-toml';

/** Names of keys whose texts are secrets; texts that name files are none. */
const SECRET = /(?:secret|password|passphrase|token|credential|authorization|api_?key|bearer)s?$/i;
/** The password of an address. */
const PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#@]*?:)[^@/?#]*(@)/i;
const REMOVED = 'removed-by-backup';
/** Signs the audit; it lies beside the configuration. */
const AUDIT_KEY = 'audit.key';

/** A configuration without its secrets, and without comments, which may hold some. */
export const withoutSecrets = (text: string): string =>
  `# The configuration of a backup: secrets say ${REMOVED}.\n${stringify(redacted(parse(text), '') as object)}`;

function redacted(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => redacted(item, name));
  if (typeof value === 'string')
    return SECRET.test(name) ? REMOVED : value.replace(PASSWORD, `$1${REMOVED}$2`);
  // Times of TOML are objects, too.
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, member]) => [key, redacted(member, key)]));
}

/** Texts by the names of their files. */
type Files = Record<string, string>;

/** The configuration as it stands, and the keys that belong to it, as one text. */
export async function secretFiles(path: string): Promise<Buffer> {
  const text = await readFile(path, 'utf8');
  const files: Files = { [CONFIGURATION]: text };
  const { tls_cert, tls_key } = parse(text);
  const named = [tls_cert, tls_key].filter((file) => typeof file === 'string');
  for (const file of [join(dirname(path), AUDIT_KEY), ...named.map((name) => resolve(name))]) {
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

/** What `secretFiles` gave: the configuration under this name, the rest beside it. */
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
