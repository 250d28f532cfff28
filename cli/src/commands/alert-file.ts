import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { RpcError } from '@svc/client';
import { Document, parse, visit } from 'yaml';
import { Complaint } from '../io.ts';
import { machines } from '../machines.ts';
import type { Session } from '../session.ts';
import { clean, shown } from '../text.ts';
import { dryRun } from './alert-dry-run.ts';
import { type Item, reasonOf, type Step } from './alert-step.ts';
import { readTimes, writtenTimes } from './alert-times.ts';

/** One list of the file: how its items are read, written and removed, and their values where the file has none. */
interface Part {
  /** Singular, for what is printed. */
  readonly word: string;
  readonly list: string;
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Members that cannot change. */
  readonly fixed: readonly string[];
  readonly create: (item: Item) => readonly [method: string, params: object];
  readonly update: (item: Item) => readonly [method: string, params: object];
  readonly remove: (name: string) => readonly [method: string, params: object];
  /** Tells whether an item stays when the file has none of its name. */
  readonly stays?: (item: Item) => boolean;
}

const without = (item: Item, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

/** The lists of a file, in the order in which they are applied: a rule names a policy, a policy channels. */
const PARTS: Readonly<Record<string, Part>> = {
  channels: {
    word: 'channel',
    list: 'channel_list',
    defaults: { kind: '', config: {}, language: 'en', zone: 'UTC', enable: true },
    fixed: ['kind'],
    create: (item) => ['channel_create', { channel: item }],
    update: (item) => [
      'channel_update',
      { name: item.name, change: without(item, 'name', 'kind') },
    ],
    remove: (name) => ['channel_delete', { name }],
  },
  policies: {
    word: 'policy',
    list: 'alert_policy_list',
    defaults: {
      steps: [],
      group_by: 'rule',
      wait_s: 10,
      interval_s: 60,
      repeat_s: { critical: 14_400 },
      quiet: null,
      send_close: true,
    },
    fixed: [],
    create: (item) => ['alert_policy_set', { policy: item }],
    update: (item) => ['alert_policy_set', { policy: item }],
    remove: (name) => ['alert_policy_delete', { name }],
    stays: ({ name }) => name === 'default',
  },
  rules: {
    word: 'rule',
    list: 'alert_rule_list',
    defaults: {
      source: '',
      scope: {},
      condition: '',
      clear: null,
      for_s: 0,
      clear_for_s: 0,
      severity: 'warning',
      enable: true,
      notify: true,
      policy: null,
      repeat_s: null,
      summary: '',
      runbook: '',
      labels: {},
    },
    fixed: ['source'],
    create: (item) => ['alert_rule_create', { rule: item }],
    update: (item) => [
      'alert_rule_update',
      { name: item.name, change: without(item, 'name', 'source') },
    ],
    remove: (name) => ['alert_rule_delete', { name }],
    stays: ({ shipped }) => shipped !== null,
  },
  windows: {
    word: 'window',
    list: 'alert_window_list',
    defaults: {
      scope: {},
      zone: 'UTC',
      once: null,
      cron: null,
      duration_s: null,
      effect: 'quiet',
      public: [],
      enable: true,
    },
    fixed: [],
    create: (item) => ['alert_window_create', { window: item }],
    update: (item) => ['alert_window_update', { name: item.name, change: without(item, 'name') }],
    remove: (name) => ['alert_window_delete', { name }],
  },
};

/** `svc alerts export`: channels without their secrets, policies, rules and windows, as YAML. */
export async function exportAll(session: Session): Promise<void> {
  const file: Record<string, unknown> = { version: 1 };
  for (const [name, part] of Object.entries(PARTS)) {
    const items = await current(session, part);
    file[name] = items.map((item) => writtenTimes({ name: item.name, ...changedOf(item, part) }));
  }
  if (session.flags.json) return session.printJson(file);
  const document = new Document(file, { aliasDuplicateObjects: false });
  const names = await machineNames(session);
  visit(document, {
    Scalar(_key, node) {
      const name = names.get(String(node.value));
      if (name !== undefined) node.comment = ` ${clean(name)}`;
    },
  });
  await session.printOn(document.toString({ lineWidth: 0 }));
}

/** Names of machines by UUID; none where the caller may not list them. */
async function machineNames(session: Session): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map((await machines(session)).map(({ uuid, label }) => [uuid, label]));
  } catch (error) {
    if (error instanceof RpcError && error.code === DENIED) return new Map();
    throw error;
  }
}

const DENIED = 102;

/** Members of an item that differ from what they are without being set. */
const changedOf = (item: Item, { defaults }: Part) =>
  Object.fromEntries(
    Object.entries(defaults)
      .map(([name, value]) => [name, item[name] ?? value, value] as const)
      .filter(([, value, default_]) => !isDeepStrictEqual(value, default_))
      .map(([name, value]) => [name, value]),
  );

const current = async (session: Session, { list }: Part) =>
  (await session.anyMethod.call(list, {})) as Item[];

/** `svc alerts apply FILE`: makes the server's channels, policies, rules and windows those of the file. A second time nothing changes. */
export async function applyFile(session: Session, path: string): Promise<void> {
  const file = await fileAt(session, path);
  const steps: Step[] = [];
  const removals: Step[] = [];
  let same = 0;
  for (const [name, part] of Object.entries(PARTS)) {
    if (!(name in file)) continue;
    const present = new Map((await current(session, part)).map((item) => [item.name, item]));
    const wanted = file[name] as readonly Item[];
    for (const item of wanted) {
      const step = stepFor(part, item, present.get(item.name));
      if (step) steps.push(step);
      else same++;
    }
    const names = new Set(wanted.map((item) => item.name));
    for (const item of present.values())
      if (!names.has(item.name) && !part.stays?.(item) && session.flags.prune)
        removals.unshift({
          title: `${part.word} ${item.name}`,
          text: `- ${part.word} ${item.name}`,
          call: part.remove(item.name),
        });
  }
  const all = [...steps, ...removals];
  if (session.flags.dryRun) await dryRun(session, all);
  for (const [made, step] of all.entries()) {
    if (!session.flags.dryRun) await change(session, step, `${made} of ${all.length}`);
    session.print(`${shown(step.text)}\n`);
  }
  const done = session.flags.dryRun ? 'would change' : 'changed';
  session.print(`${all.length} ${done}, ${same} as in the file\n`);
}

/** Makes one change. @throws Complaint that names the item, and how many changes are made already */
async function change(session: Session, { title, call }: Step, made: string): Promise<void> {
  try {
    await session.anyMethod.call(call[0], call[1] as never);
  } catch (error) {
    throw new Complaint(`${title}: ${reasonOf(error)} (${made} changes were made before)`);
  }
}

function stepFor(part: Part, item: Item, before: Item | undefined): Step | undefined {
  const title = `${part.word} ${item.name}`;
  if (!before) return { title, text: `+ ${title}`, call: part.create(item) };
  const whole = { ...part.defaults, ...item };
  const lines = Object.keys(part.defaults).flatMap((name) => {
    const [old, now] = [before[name] ?? part.defaults[name], whole[name as never] as unknown];
    if (isDeepStrictEqual(old, now)) return [];
    if (part.fixed.includes(name))
      throw new Complaint(`${title}: its ${name} cannot change; give it another name`);
    return [`    ${name}: ${JSON.stringify(old)} → ${JSON.stringify(now)}`];
  });
  const secrets = Object.keys((item['secret'] ?? {}) as object);
  const isSecretMissing = secrets.some(
    (name) => !(before['secret'] as Record<string, { set: boolean }> | undefined)?.[name]?.set,
  );
  if (lines.length === 0 && !isSecretMissing) return undefined;
  // Members that the file leaves out go back to their defaults.
  return { title, text: [`~ ${title}`, ...lines].join('\n'), call: part.update({ ...whole }) };
}

/** Reads a file in YAML or JSON. @throws Complaint that names the place */
async function fileAt(session: Session, path: string): Promise<Record<string, unknown>> {
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
function refuseUnknown(path: string, { word, defaults }: Part, item: Item): void {
  const known = ['name', ...(word === 'channel' ? ['secret'] : []), ...Object.keys(defaults)];
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
  throw new Complaint(`${path} holds no lists: svc alerts export shows the form`);
}

/** Secrets are named, not written: `secret: {token: {env: NTFY_TOKEN}}`. */
function fillSecrets({ io }: Session, path: string, item: { secret?: Record<string, unknown> }) {
  for (const [name, value] of Object.entries(item.secret ?? {})) {
    const variable = (value as { env?: unknown } | null)?.env;
    if (typeof variable !== 'string') continue;
    const found = io.env[variable];
    if (found === undefined) throw new Complaint(`${path}: the variable ${variable} is not set`);
    (item.secret as Record<string, unknown>)[name] = found;
  }
}
