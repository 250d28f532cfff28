// kv.md §2 and §4.8: who may do what. Tables read: [what holds, limits, method, parameters, allowed or the denial].

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { DONE, type KvServer, kvServer, MARKER } from './kv-kit.ts';

const entry = (scopes: unknown[], ...permissions: unknown[]) => ({ scopes, permissions });
const ns = (name: string) => ({ kv_namespace: name });
const kv = (permission: unknown) => ({ kv: permission });
const item = (namespace: string, key: string) => ({ namespace, key });
const denied = (text: string) => `102 Permission denied: ${text}`;
const noRead = (key: string, name = 'notes') =>
  denied(`No read permission for key '${key}' in namespace '${name}'`);
const noWrite = (key: string) =>
  denied(`No write permission for key '${key}' in namespace 'notes'`);
const noDelete = (key: string) =>
  denied(`No delete permission for key '${key}' in namespace 'notes'`);

type Case = [name: string, limits: unknown[], method: string, params: unknown[], expected: unknown];

/** On the namespaces `notes` {cpu_load: 1, cpu_temp: 2} and `other` {x: 3}. Allowed writes store what is there. */
const cases: Case[] = [
  [
    'an exact grant reads its key',
    [entry([ns('notes')], kv({ read: 'cpu_load' }))],
    'kv_get_value',
    ['notes', 'cpu_load'],
    1,
  ],
  [
    'an exact grant reads no other key',
    [entry([ns('notes')], kv({ read: 'cpu_load' }))],
    'kv_get_value',
    ['notes', 'cpu_temp'],
    noRead('cpu_temp'),
  ],
  [
    'a prefix grant reads what begins so',
    [entry([ns('notes')], kv({ read: 'cpu_*' }))],
    'kv_get_value',
    ['notes', 'cpu_temp'],
    2,
  ],
  [
    'a star in the middle of a grant is a plain character',
    [entry([ns('notes')], kv({ read: 'c*u_temp' }))],
    'kv_get_value',
    ['notes', 'cpu_temp'],
    noRead('cpu_temp'),
  ],
  [
    'global scope covers every namespace',
    [entry(['global'], kv({ read: '*' }))],
    'kv_get_value',
    ['other', 'x'],
    3,
  ],
  [
    'a namespace scope has no wildcard',
    [entry([ns('not*')], kv({ read: '*' }))],
    'kv_get_value',
    ['notes', 'cpu_load'],
    noRead('cpu_load'),
  ],
  [
    'a namespace scope covers no other namespace',
    [entry([ns('other')], kv({ read: '*' }))],
    'kv_get_value',
    ['notes', 'cpu_load'],
    noRead('cpu_load'),
  ],
  [
    'scope and permission of two entries do not add up',
    [entry([ns('notes')], kv({ write: '*' })), entry([ns('other')], kv({ read: '*' }))],
    'kv_get_value',
    ['notes', 'cpu_load'],
    noRead('cpu_load'),
  ],
  [
    'several entries are alternatives',
    [entry([ns('other')], kv({ read: '*' })), entry([ns('notes')], kv({ read: 'cpu*' }))],
    'kv_get_value',
    ['notes', 'cpu_load'],
    1,
  ],
  [
    'write does not imply read',
    [entry(['global'], kv({ write: '*' }), kv({ delete: '*' }))],
    'kv_get_value',
    ['notes', 'cpu_load'],
    noRead('cpu_load'),
  ],
  [
    'read does not imply write',
    [entry(['global'], kv({ read: '*' }))],
    'kv_set_value',
    ['notes', 'cpu_load', 1],
    noWrite('cpu_load'),
  ],
  [
    'a write grant writes',
    [entry([ns('notes')], kv({ write: 'cpu_*' }))],
    'kv_set_value',
    ['notes', 'cpu_load', 1],
    DONE,
  ],
  [
    'write does not imply delete',
    [entry(['global'], kv({ write: '*' }))],
    'kv_delete_key',
    ['notes', 'cpu_load'],
    noDelete('cpu_load'),
  ],
  [
    'a delete grant deletes, also what is not there',
    [entry([ns('notes')], kv({ delete: 'no*' }))],
    'kv_delete_key',
    ['notes', 'nothing'],
    DONE,
  ],
  [
    'permission comes before the namespace',
    [entry([ns('notes')], kv({ read: '*' }))],
    'kv_get_value',
    ['none', 'a'],
    noRead('a', 'none'),
  ],
  [
    'deleting a namespace needs exactly the star',
    [entry([ns('notes')], kv({ delete: 'cpu_*' }), kv({ delete: '__*' }))],
    'kv_delete_namespace',
    ['notes'],
    denied("No permission to delete namespace 'notes'"),
  ],
  [
    'listing keys has its own permission',
    [entry([ns('notes')], kv({ read: '*' }))],
    'kv_get_all_keys',
    ['notes'],
    denied("No permission to list keys in namespace 'notes'"),
  ],
  [
    'list_all_keys lists keys',
    [entry([ns('notes')], kv('list_all_keys'))],
    'kv_get_all_keys',
    ['notes'],
    [MARKER, 'cpu_load', 'cpu_temp'],
  ],
  [
    'only the Super Token creates',
    [entry(['global'], kv({ write: '*' }), kv('list_all_namespace'))],
    'kv_create',
    ['new'],
    denied('Only SuperToken can create KV namespace'),
  ],
  [
    'a wildcard request is compared as text: the same',
    [entry([ns('notes')], kv({ read: 'cpu_*' }))],
    'kv_get_multi_value',
    [[item('notes', 'cpu_*')]],
    [
      { ...item('notes', 'cpu_load'), value: 1 },
      { ...item('notes', 'cpu_temp'), value: 2 },
    ],
  ],
  [
    'a wildcard request is compared as text: wider grant',
    [entry([ns('notes')], kv({ read: 'c*' }))],
    'kv_get_multi_value',
    [[item('notes', 'cpu_t*')]],
    [{ ...item('notes', 'cpu_temp'), value: 2 }],
  ],
  [
    'a wildcard request is compared as text: narrower grant',
    [entry([ns('notes')], kv({ read: 'cpu_l*' }))],
    'kv_get_multi_value',
    [[item('notes', 'cpu_*')]],
    noRead('cpu_*'),
  ],
  [
    'a wildcard request is compared as text: exact grant',
    [entry([ns('notes')], kv({ read: 'cpu_load' }))],
    'kv_get_multi_value',
    [[item('notes', 'cpu_*')]],
    noRead('cpu_*'),
  ],
  [
    'one item without permission fails the call',
    [entry([ns('notes')], kv({ read: 'cpu_*' }))],
    'kv_get_multi_value',
    [[item('notes', 'cpu_*'), item('other', 'x')]],
    noRead('x', 'other'),
  ],
  [
    'an item without permission comes before a later malformed one',
    [entry([ns('notes')], kv({ read: 'cpu_*' }))],
    'kv_get_multi_value',
    [[item('other', 'x'), item('', 'x')]],
    noRead('x', 'other'),
  ],
  [
    'a malformed item comes before a later one without permission',
    [entry([ns('notes')], kv({ read: 'cpu_*' }))],
    'kv_get_multi_value',
    [[item('notes', 'cpu_*'), item('notes', 'a*b'), item('other', 'x')]],
    "108 Invalid input: Wildcard key must contain exactly one '*' and it must be at the end",
  ],
  [
    'items of two entries each with its own right are read',
    [entry([ns('notes')], kv({ read: 'cpu_load' })), entry([ns('other')], kv({ read: 'x' }))],
    'kv_get_multi_value',
    [[item('other', 'x'), item('notes', 'cpu_load')]],
    [
      { ...item('other', 'x'), value: 3 },
      { ...item('notes', 'cpu_load'), value: 1 },
    ],
  ],
  [
    'list_all_namespace in global scope shows all',
    [entry(['global'], kv('list_all_namespace'))],
    'kv_list_all_namespace',
    [],
    ['notes', 'other'],
  ],
  [
    'scoped, it shows those names that exist',
    [
      entry([ns('other'), ns('none')], kv('list_all_namespace')),
      entry([ns('notes')], kv({ read: '*' })),
    ],
    'kv_list_all_namespace',
    [],
    ['other'],
  ],
  [
    'names of several entries are joined',
    [
      entry([ns('other')], kv('list_all_namespace')),
      entry([ns('notes'), ns('other')], kv('list_all_namespace')),
    ],
    'kv_list_all_namespace',
    [],
    ['notes', 'other'],
  ],
  [
    'scoped to names that do not exist, it shows none',
    [entry([ns('none')], kv('list_all_namespace'))],
    'kv_list_all_namespace',
    [],
    [],
  ],
  [
    'other scopes do not count',
    [entry([{ db: '*' }, { js_worker: '*' }], kv('list_all_namespace'))],
    'kv_list_all_namespace',
    [],
    denied('No permission to list KV namespaces'),
  ],
  [
    'without the permission nothing is listed',
    [entry(['global'], kv('list_all_keys'))],
    'kv_list_all_namespace',
    [],
    denied('No permission to list KV namespaces'),
  ],
];

const everything = [
  entry(
    ['global'],
    ...['read', 'write', 'delete'].map((verb) => kv({ [verb]: '*' })),
    kv('list_all_keys'),
    kv('list_all_namespace'),
  ),
];

/** [method, parameters, denial outside the validity window]; `list` has texts of its own. */
const windows: [string, unknown[], string][] = [
  ['kv_get_value', ['notes', 'cpu_load'], noRead('cpu_load')],
  ['kv_set_value', ['notes', 'cpu_load', 1], noWrite('cpu_load')],
  ['kv_delete_key', ['notes', 'nothing'], noDelete('nothing')],
  ['kv_get_multi_value', [[item('notes', 'cpu_*')]], noRead('cpu_*')],
  ['kv_get_all_keys', ['notes'], denied("No permission to list keys in namespace 'notes'")],
  ['kv_delete_namespace', ['notes'], denied("No permission to delete namespace 'notes'")],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`kv: permissions (${dialect})`);
  let server: KvServer;

  test.before(async () => {
    server = await kvServer({}, { dialect, clock: true });
    await server.fill('notes', { cpu_load: 1, cpu_temp: 2 });
    await server.fill('other', { x: 3 });
  });
  test.after(() => server.app.stop());

  for (const [name, limits, method, params, expected] of cases) {
    test(name, async () => {
      const before = await server.rows();
      const token = await server.app.token(limits);
      assert.equal(await server.outcome(method, [token, ...params]), expected);
      assert.equal(await server.rows(), before);
    });
  }

  test('the validity window holds at both ends, with texts of its own for the list', async () => {
    const now = server.app.clock.now();
    const window = (from: number, to: number) =>
      server.app.token(everything, { timestamp_from: from, timestamp_to: to });
    const inside = await window(now, now);
    const early = await window(now + 1, now + 1000);
    const late = await window(now - 1000, now - 1);
    for (const [method, params, text] of windows) {
      assert.is(await server.outcome(method, [early, ...params]), text, method);
      assert.is(await server.outcome(method, [late, ...params]), text, method);
      if (method === 'kv_delete_namespace') continue;
      assert.not.type(await server.outcome(method, [inside, ...params]), 'string', method);
    }
    const list = (token: string) => server.outcome('kv_list_all_namespace', [token]);
    assert.equal(await list(inside), ['notes', 'other']);
    assert.is(await list(early), denied('Token is not yet valid for listing KV namespaces'));
    assert.is(await list(late), denied('Token has expired for listing KV namespaces'));
  });

  test.run();
}
