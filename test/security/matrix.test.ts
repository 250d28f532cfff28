// proof: 40
/**
 * The matrix of authorisation: every method × kinds of callers, generated from what the methods and the plugins declare. A method
 * that is added stands in it by itself. What a call may do is worked out here a second time, from its declared rights and the
 * limits of the caller alone.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { App } from '@svc/kernel';
import {
  type Permission,
  type PermissionKind,
  type Plugin,
  type Requirement,
  RpcError,
  type Scope,
} from '@svc/plugin-sdk';
import type { RegisteredMethod, ScopeMatch } from '@svc/plugin-sdk/kernel';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';

/** Past authorisation: the tap of `admitted` stops the call there, so that nothing is ever changed. */
const PAST = -1;
const OTHER = '99999999-7a35-4d0e-9c1b-52d3a8e0f411';
/** Of so many limits one is tried; each permission in some scopes, each scope with some permissions. */
const isWriting = process.env['SVC_WRITE_GOLDEN'] === '1';
const EVERY = isWriting ? 1 : loop(4, 1);
/** Which limits open methods whose rule is code. Written with SVC_WRITE_GOLDEN=1; a change of it shows up in review. */
const GOLDEN = new URL('../golden/custom-access.txt', import.meta.url);
/** Their pages say so. */
const OF_ITS_OWN: { readonly [method: string]: number } = { 'static-bucket_list': 102 };

interface Limit {
  readonly scope: Scope;
  readonly permission: Permission;
}

/** Every permission that a limit may hold, alone; patterns as `*` and as another name. */
function permissionsOf(kinds: { readonly [kind: string]: PermissionKind }): Permission[] {
  return Object.entries(kinds).flatMap(([kind, { words = [], choices = {}, patterns = [] }]) => [
    ...words.map((word) => ({ [kind]: word })),
    ...Object.entries(choices).flatMap(([verb, values]) =>
      values.map((value) => ({ [kind]: { [verb]: value } })),
    ),
    ...patterns.flatMap((verb) => [{ [kind]: { [verb]: '*' } }, { [kind]: { [verb]: 'zz' } }]),
  ]);
}

const matches = (granted: string, wanted: string): boolean =>
  granted.endsWith('*') ? wanted.startsWith(granted.slice(0, -1)) : granted === wanted;

/** auth.md §6.1, §6.2. */
function gives({ scope, permission }: Limit, on: Scope, wanted: Permission, tags: Tags): boolean {
  const [[kind, granted] = ['', '']] = Object.entries(permission);
  const asked = wanted[kind];
  if (asked === undefined) return false;
  if (typeof granted === 'string' || typeof asked === 'string') {
    if (granted !== asked) return false;
  } else {
    const [[verb, pattern] = ['', '']] = Object.entries(granted);
    if (asked[verb] === undefined || !matches(pattern, asked[verb])) return false;
  }
  if (scope === 'global') return true;
  if (on === 'global') return false;
  const [[tag, name] = ['', '']] = Object.entries(scope);
  const other = on[tag];
  if (other === undefined) return false;
  return tags[tag] === 'prefix' ? matches(name, other) : name.toLowerCase() === other;
}
type Tags = { readonly [tag: string]: ScopeMatch };

const isAllowed = (limits: readonly Limit[], requirements: readonly Requirement[], tags: Tags) =>
  requirements.some(({ scopes, permissions }) =>
    scopes.every((scope) =>
      permissions.every((permission) =>
        limits.some((limit) => gives(limit, scope, permission, tags)),
      ),
    ),
  );

/** Hears which rights the rules of the methods ask for. */
function listenToRules(methods: Iterable<RegisteredMethod>) {
  const heard = new Map<string, readonly Requirement[]>();
  for (const { name, definition } of methods) {
    const access = definition.access as Record<string, unknown>;
    for (const rule of ['needs', 'anyOf']) {
      const ask = access[rule] as ((input: unknown) => unknown) | undefined;
      if (typeof ask !== 'function') continue;
      access[rule] = (input: unknown) => {
        const found = ask(input);
        heard.set(name, (rule === 'needs' ? [found] : found) as readonly Requirement[]);
        return found;
      };
    }
  }
  return heard;
}

function samplesOf(plugins: readonly Plugin[], word: string): Map<string, object> {
  const samples = new Map<string, object>();
  const all = plugins.flatMap(({ examples = [] }) => examples);
  // An example of something that is not there has its parameters, too.
  const missing = all.filter(({ error }) => error?.code === 105);
  for (const { method, params } of [...all.filter(({ error }) => !error), ...missing]) {
    const name = method.replace(/^svc-server/, `${word}-server`);
    if (!samples.has(name)) samples.set(name, params);
  }
  return samples;
}

const test = suite('the matrix of authorisation');
let app: TestApp;
let methods: RegisteredMethod[];
let samples: Map<string, object>;
let heard: Map<string, readonly Requirement[]>;
let tags: Tags;
let permissions: Permission[];
/** One call in-process, through the whole pipeline. */
let request: (request: unknown) => Promise<any>;
let isShut = false;
let before = '';

const codeOf = async ({ name, credential }: RegisteredMethod, token?: string): Promise<number> => {
  const carried = token === undefined || credential === undefined ? {} : { [credential]: token };
  const params = { ...samples.get(name), ...carried };
  // Each call in a turn of its own, as calls of clients are.
  await setImmediate();
  const { error } = await request({ jsonrpc: '2.0', id: 1, method: name, params });
  return error?.code ?? 0;
};
const ruleOf = ({ definition: { access } }: RegisteredMethod) =>
  typeof access === 'string' ? access : (Object.keys(access)[0] as string);
const stored = async (): Promise<string> =>
  JSON.stringify([
    await app.sql('select * from token order by id'),
    await app.sql('select count(*) as n from js_worker'),
    await app.sql('select count(*) as n from kv'),
    await app.sql('select count(*) as n from crontab'),
    await app.sql('select count(*) as n from task'),
    await app.sql('select count(*) as n from monitoring_uuid'),
  ]);

test.before(async () => {
  app = await bootForTest(undefined, {}, { dialect: 'sqlite' });
  const kernel = app.kernel as App;
  const face = (kernel as any).kernelOf('token');
  kernel.hooks.admitted.tap('gate', () => {
    if (isShut) throw new RpcError(PAST, 'past authorisation');
  });
  request = face.request;
  methods = [...kernel.methods.values()];
  samples = samplesOf(face.plugins, face.brand.word);
  heard = listenToRules(methods);
  const plugins: readonly Plugin[] = face.plugins;
  tags = Object.assign({ agent_uuid: 'uuid' }, ...plugins.map(({ scopes = {} }) => scopes));
  const kinds = Object.assign({}, ...plugins.map(({ permissions: some = {} }) => some));
  const { svc: own, ...others } = kinds;
  permissions = permissionsOf({
    ...others,
    [face.brand.permission]: own,
    token: { words: ['create'] },
  });
});
test.after(() => app?.stop());

/** Every limit of one permission in one scope. `names`: those that the samples name, by tag. */
function limitsOf(names: ReadonlyMap<string, ReadonlySet<string>>): Limit[] {
  const scopes: Scope[] = ['global', { agent_uuid: OTHER }];
  for (const [tag, own] of names) for (const name of own) scopes.push({ [tag]: name });
  return scopes.flatMap((scope, row) =>
    permissions
      .filter((_permission, column) => (row + column) % EVERY === 0)
      .map((permission) => ({ scope, permission })),
  );
}

const creation = (limits: readonly Limit[]) =>
  limits.map(({ scope, permission }) => ({ scopes: [scope], permissions: [permission] }));

test('every method with a declared right has an example that reaches its rule', async () => {
  const token = await app.token([]);
  before = await stored();
  isShut = true;
  const silent: string[] = [];
  for (const method of methods) {
    const code = await codeOf(method, token);
    const isDeclared = ['needs', 'anyOf'].includes(ruleOf(method));
    if (isDeclared && !heard.has(method.name)) silent.push(`${method.name}: ${code}`);
  }
  assert.equal(silent, []);
});

// biome-ignore format: one case per line
const credentials: readonly (readonly [name: string, credential: (valid: string) => string | undefined, code: number])[] = [
  ['no credential', () => undefined, -32602],
  ['a text that is none', () => 'none', 101],
  ['an unknown key', () => 'AbcdEfgh12345678:none', 102],
  ['a wrong secret', (valid) => `${valid.slice(0, 17)}wrong`, 102],
  ['an unknown account', () => 'nobody|none', 102],
];
for (const [name, credential, code] of credentials)
  test(`${name} gets ${code} from every method that is not public`, async () => {
    isShut = false;
    const valid = await app.token([]);
    isShut = true;
    const wrong: string[] = [];
    for (const method of methods) {
      if (method.credential === undefined) continue;
      const found = await codeOf(method, credential(valid));
      // Subscriptions and rules that look at the transport first refuse in-process calls with an error of their own.
      const expected = code === 101 ? (OF_ITS_OWN[method.name] ?? code) : code;
      if (found !== expected && found !== -32603) wrong.push(`${method.name}: ${found}`);
    }
    assert.equal(wrong, []);
  });

const times: readonly (readonly [name: string, time: Record<string, unknown>])[] = [
  ['has expired', { timestamp_to: 1 }],
  ['is not valid yet', { timestamp_from: 4_102_444_800_000 }],
];
for (const [name, time] of times)
  test(`a token that ${name} is refused wherever a right is declared, whatever its limits`, async () => {
    isShut = false;
    const all = [{ scopes: ['global'], permissions }];
    const token = await app.token(all, time);
    isShut = true;
    const wrong: string[] = [];
    for (const method of methods) {
      if (['public', 'custom'].includes(ruleOf(method))) continue;
      const found = await codeOf(method, token);
      if (found !== 102 && found !== -32603) wrong.push(`${method.name}: ${found}`);
    }
    assert.equal(wrong, []);
  });

test('the Super Token and its session get past every rule', async () => {
  isShut = false;
  const { key, secret } = await app.call('session_create', [app.superToken]);
  isShut = true;
  const wrong: string[] = [];
  for (const token of [app.superToken, `${key}:${secret}`])
    for (const method of methods) {
      if (['public', 'custom'].includes(ruleOf(method))) continue;
      const found = await codeOf(method, token);
      if (found !== PAST && found !== -32603) wrong.push(`${method.name}: ${found}`);
    }
  assert.equal(wrong, []);
});

/** In turn a token, a session of one, and a child of a token that has the right as well. */
async function callerWith(limit: Limit, turn: number): Promise<string> {
  const credentialOf = ({ key, secret }: { key: string; secret: string }) => `${key}:${secret}`;
  const mayCreate: Limit = { scope: 'global', permission: { token: 'create' } };
  if (turn % 3 === 2 && !('token' in limit.permission)) {
    const parent = await app.token(creation([limit, mayCreate]));
    const child = { token_limit: creation([limit]) };
    return credentialOf(await app.call('token_create', [parent, child]));
  }
  const token = await app.token(creation([limit]));
  return turn % 3 === 1 ? credentialOf(await app.call('session_create', [token])) : token;
}

/** One line for each limit; one for a method that every limit opens. */
function goldenText(open: ReadonlySet<string>, all: number): string {
  const ofMethod = Map.groupBy(open, (line) => line.split(' ')[0] as string);
  const lines = [...ofMethod].flatMap(([method, some]) =>
    some.length === all ? [`${method} by any`] : some,
  );
  return `${lines.sort().join('\n')}\n`;
}

const goldenLines = async () => new Set((await readFile(GOLDEN, 'utf8')).split('\n'));

test('each single permission in each scope opens what the methods declare, and nothing else', async () => {
  const names = new Map<string, Set<string>>();
  for (const { scopes } of [...heard.values()].flat())
    for (const scope of scopes)
      for (const [tag, name] of scope === 'global' ? [] : Object.entries(scope))
        names.set(tag, (names.get(tag) ?? new Set()).add(name));
  const limits = limitsOf(names);
  const golden = await goldenLines();
  const open = new Set<string>();
  const wrong: string[] = [];
  let cases = 0;
  let caller = 0;
  for (const limit of limits) {
    isShut = false;
    const token = await callerWith(limit, caller++);
    isShut = true;
    for (const method of methods) {
      const rule = ruleOf(method);
      if (rule === 'public') continue;
      const found = await codeOf(method, token);
      cases++;
      const isPast = found === PAST;
      if (rule === 'custom') {
        const { permission, scope } = limit;
        const line = `${method.name} ${JSON.stringify(permission)} in ${JSON.stringify(scope)}`;
        if (isPast) open.add(line);
        if (isPast !== (golden.has(line) || golden.has(`${method.name} by any`)))
          wrong.push(`${line}: ${found}`);
        continue;
      }
      const requirements = heard.get(method.name);
      const may =
        rule === 'authenticated' ||
        (requirements !== undefined && isAllowed([limit], requirements, tags));
      if (found === -32603) continue;
      if (isPast !== may || !(isPast || found === 102))
        wrong.push(`${method.name} with ${JSON.stringify(limit)}: ${found}, may: ${may}`);
    }
  }
  if (isWriting) await writeFile(GOLDEN, goldenText(open, limits.length));
  process.stdout.write(`  ${cases} cases, ${limits.length} limits\n`);
  assert.equal(wrong.slice(0, 20), []);
  assert.ok(cases > loop(20_000, 80_000), `${cases} cases`);
});

test('nothing that was refused or stopped has changed anything', async () => {
  isShut = false;
  const [tokens, ...others] = JSON.parse(await stored());
  const [first, ...same] = JSON.parse(before);
  assert.equal(others, same);
  assert.equal(tokens.slice(0, first.length), first);
});

test.run();
