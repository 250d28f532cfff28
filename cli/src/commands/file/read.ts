import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { Complaint } from '../../io.ts';
import type { Session } from '../../session.ts';
import type { Part } from './part.ts';
import { PARTS } from './parts.ts';
import type { Item } from './step.ts';
import { readTimes } from './times.ts';

/** Reads a file in YAML or JSON. @throws Complaint that names the place */
export async function fileAt(session: Session, path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new Complaint(`${path} cannot be read: ${error.message}`);
  });
  const file = parsedYaml(path, text);
  for (const [name, items] of Object.entries(file)) {
    if (name === 'version' && items !== 1)
      throw new Complaint(`${path}: its version is ${JSON.stringify(items)}; this program reads 1`);
    if (name === 'version') continue;
    if (!Object.hasOwn(PARTS, name))
      throw new Complaint(
        `${path}: '${name}' is none of its lists: ${Object.keys(PARTS).join(', ')}`,
      );
    if (!Array.isArray(items)) throw new Complaint(`${path}: ${name} is no list`);
    const names = items.map((item: Item | null) => item?.name);
    if (names.some((one) => typeof one !== 'string'))
      throw new Complaint(`${path}: each of ${name} needs a name`);
    const twice = names.find((one, at) => names.indexOf(one) !== at);
    if (twice !== undefined) throw new Complaint(`${path}: ${name} has '${twice}' twice`);
    for (const item of items as Item[]) {
      refuseUnknown(path, PARTS[name] as Part, item);
      fillSecrets(session, path, item as { secret?: Record<string, unknown> });
      readTimes(path, item);
    }
  }
  return file;
}

/** @throws Complaint that names a member which an item of this list does not have */
function refuseUnknown(path: string, { word, defaults, hasSecret }: Part, item: Item): void {
  const known = ['name', ...(hasSecret ? ['secret'] : []), ...Object.keys(defaults)];
  const unknown = Object.keys(item).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Complaint(
      `${path}: ${word} ${item.name} has '${unknown}', which is none of ${known.join(', ')}`,
    );
}

function parsedYaml(path: string, text: string): Record<string, unknown> {
  try {
    const file: unknown = parse(text, { maxAliasCount: 0 });
    if (typeof file === 'object' && file !== null && !Array.isArray(file))
      return file as Record<string, unknown>;
  } catch (error) {
    throw new Complaint(`${path}: ${(error as Error).message}`);
  }
  throw new Complaint(
    `${path} holds no lists: svc alerts export and svc monitors export show the form`,
  );
}

/** Puts in secrets that are named, not written: `secret: {token: {env: NTFY_TOKEN}}`. What is `{set: true}` stays as it is. */
function fillSecrets({ io }: Session, path: string, item: { secret?: Record<string, unknown> }) {
  for (const [name, value] of Object.entries(item.secret ?? {})) {
    const { env: variable, set } = (value ?? {}) as { env?: unknown; set?: unknown };
    if (set === true) delete (item.secret as Record<string, unknown>)[name];
    if (typeof variable !== 'string') continue;
    const found = io.env[variable];
    if (found === undefined) throw new Complaint(`${path}: the variable ${variable} is not set`);
    (item.secret as Record<string, unknown>)[name] = found;
  }
}
