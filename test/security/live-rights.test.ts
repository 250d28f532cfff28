/** Rights that end, end: whatever goes on after its call ends with its credential, and with the right that it lives on. */
import type { App } from '@svc/kernel';
import { bootForTest, type TestApp, type TestSocket } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { report } from '../process/reports.ts';
import { A, ABSENT } from '../protocol/task-kit.ts';
import { eventually, keyOf } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';

const PLUGINS = ['server-info', 'token', 'agent', 'agent-uuid', 'task', 'alert', 'monitor'];
const HOUR = 3_600_000;

interface Stream {
  readonly params: (token: string) => unknown;
  readonly unsubscribe: string;
  /** One right of these is enough. */
  readonly lives: readonly unknown[];
}

const read = { dynamic_monitoring_summary: 'read' };
/** Every subscription that a token without the Super Token may have. */
const streams: { readonly [method: string]: Stream } = {
  task_register_task: {
    params: (token) => ({ token, uuid: A }),
    unsubscribe: 'task_unregister_task',
    lives: [{ task: 'listen' }],
  },
  agent_subscribe: {
    params: (token) => ({ token, interval_ms: HOUR }),
    unsubscribe: 'agent_unsubscribe',
    lives: [read],
  },
  'agent_subscribe of a named agent': {
    params: (token) => ({ token, interval_ms: HOUR, agents: [A] }),
    unsubscribe: 'agent_unsubscribe',
    lives: [read],
  },
  monitor_register: {
    params: (token) => ({ token, uuid: A }),
    unsubscribe: 'monitor_unregister',
    lives: [{ monitor: 'report' }],
  },
  alert_subscribe: {
    params: (token) => ({ token }),
    unsubscribe: 'alert_unsubscribe',
    lives: [{ alert: 'read' }],
  },
};
/** Only the Super Token has these, which keeps its rights: they end with its sessions. */
const ofSuper = ['svc-server_stream_log'];

const on = (uuid: string, permissions: readonly unknown[]) => [
  { scopes: [{ agent_uuid: uuid }], permissions },
];
const nameOf = (stream: string) => stream.split(' ')[0] as string;

/** Opens the stream; the returned function says once whether it is still open, and closes it. */
async function open(socket: TestSocket, name: string, token: string) {
  const { params, unsubscribe } = streams[name] as Stream;
  const id = await socket.call(nameOf(name), params(token));
  return (): Promise<boolean> => socket.call(unsubscribe, [id]);
}
const rightsOf = (name: string) => on(A, (streams[name] as Stream).lives);

interface Ending {
  readonly name: string;
  readonly isOpen: boolean;
  /** `top` calls as the Super Token; `token` is what the stream lives on. */
  readonly change: (top: Top, token: string, stream: string) => Promise<unknown>;
}
type Top = (method: string, ...params: unknown[]) => Promise<any>;

// biome-ignore format: one case per line
const endings: readonly Ending[] = [
  { name: 'lost all rights', isOpen: false, change: (top, token) => top('token_edit', keyOf(token), []) },
  { name: 'kept the right to another agent only', isOpen: false, change: (top, token, stream) => top('token_edit', keyOf(token), on(ABSENT, streams[stream]!.lives)) },
  { name: 'kept other rights to the agent only', isOpen: false, change: (top, token) => top('token_edit', keyOf(token), on(A, [{ task: { read: 'ping' } }])) },
  { name: 'was deleted', isOpen: false, change: (top, token) => top('token_delete', keyOf(token)) },
  { name: 'got another secret', isOpen: false, change: (top, token) => top('token_roll_token_secret', keyOf(token)) },
  { name: 'got more rights', isOpen: true, change: (top, token, stream) => top('token_edit', keyOf(token), [...on(ABSENT, [read]), ...rightsOf(stream)]) },
  { name: 'got the right everywhere', isOpen: true, change: (top, token, stream) => top('token_edit', keyOf(token), [{ scopes: ['global'], permissions: streams[stream]!.lives }]) },
];

const topOf =
  (app: TestApp, superToken: string): Top =>
  (method, ...params) =>
    app.call(method, [superToken, ...params]);
/** What the server heard before has been dealt with. */
async function turns(app: TestApp): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await app.call('svc-server_hello', []);
}
const appear = (app: TestApp, superToken: string) =>
  app.call('agent_report_dynamic_summary', [superToken, report('summary', A, app.clock.now())]);

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`rights that end (${dialect})`);
  let app: TestApp;
  let socket: TestSocket;
  let top: Top;

  test.before(async () => {
    app = await bootForTest(PLUGINS, { token: { on_delete: 'suspend' } }, { dialect, clock: true });
    top = topOf(app, app.superToken);
    socket = await app.connect();
    await appear(app, app.superToken);
  });
  test.after(() => app?.stop());

  test('the table has every subscription of a server', async () => {
    const whole = await bootForTest(undefined, {}, { dialect });
    const { methods } = whole.kernel as App;
    const all = [...methods.values()].filter(({ definition }) => definition.open);
    await whole.stop();
    const known = new Set([...Object.keys(streams).map(nameOf), ...ofSuper]);
    assert.equal(all.map(({ name }) => name).sort(), [...known].sort());
  });

  for (const stream of Object.keys(streams)) {
    for (const { name, isOpen, change } of endings)
      test(`${stream} ${isOpen ? 'goes on' : 'ends'} when its token ${name}`, async () => {
        const token = await app.token(rightsOf(stream));
        const isStillOpen = await open(socket, stream, token);
        await change(top, token, stream);
        await turns(app);
        assert.is(await isStillOpen(), isOpen);
      });

    test(`${stream} of a session ends when its token loses the right, or with the session`, async () => {
      const token = await app.token(rightsOf(stream));
      const session = async () => {
        const { key, secret } = await app.call('session_create', { token });
        return `${key}:${secret}`;
      };
      const first = await session();
      const ended = await open(socket, stream, first);
      await app.call('session_revoke', { token, key: keyOf(first) });
      await turns(app);
      assert.is(await ended(), false);
      const lost = await open(socket, stream, await session());
      await top('token_edit', keyOf(token), []);
      await turns(app);
      assert.is(await lost(), false);
    });

    test(`${stream} ends with the time of its token`, async () => {
      const timestamp_to = app.clock.now() + 10_000;
      const token = await app.token(rightsOf(stream), { timestamp_to });
      const isStillOpen = await open(socket, stream, token);
      await app.clock.advance(10_001);
      await turns(app);
      assert.is(await isStillOpen(), false);
    });

    const children: readonly (readonly [
      name: string,
      end: (parent: string) => Promise<unknown>,
    ])[] = [
      ['is deleted', (parent) => top('token_delete', keyOf(parent))],
      ['expires', () => app.clock.advance(21_000)],
    ];
    for (const [name, end] of children)
      test(`${stream} ends when the parent of its token ${name}`, async () => {
        const rights = streams[stream]!.lives;
        const timestamp_to = app.clock.now() + 20_000;
        const parent = await app.token(on(A, [...rights, { token: 'create' }]), { timestamp_to });
        const made = await app.call('token_create', [
          parent,
          { token_limit: on(A, rights), timestamp_to },
        ]);
        // A child of an earlier version may outlive its parent.
        await app.sql(`update token set time_stamp_to = null where token_key = '${made.key}'`);
        // It gives up the connections.
        await app.reload();
        socket = await app.connect();
        const isStillOpen = await open(socket, stream, `${made.key}:${made.secret}`);
        await end(parent);
        await app.clock.advance(1_000);
        await turns(app);
        assert.is(await isStillOpen(), false);
      });
  }

  test('a log feed ends with the session of the Super Token', async () => {
    const { key, secret } = await app.call('session_create', { token: app.superToken });
    const id = await socket.call('svc-server_stream_log', {
      token: `${key}:${secret}`,
      log_filter: 'off',
    });
    await app.call('session_revoke', { token: app.superToken, key });
    await turns(app);
    assert.is(await socket.call('svc-server_unsubscribe_stream_log', [id]), false);
  });

  test.run();
}

const several = suite('rights that end: several servers (postgres)');
let here: TestApp;
let there: TestApp;
let servers: Awaited<ReturnType<typeof sharedServers>>;
let far: TestSocket;

several.before(async () => {
  servers = await sharedServers(2, PLUGINS);
  [here, there] = servers.apps as [TestApp, TestApp];
  far = await there.connect();
  await appear(there, servers.superToken);
});
several.after(() => servers?.stop());

for (const stream of Object.keys(streams))
  for (const { name, isOpen, change } of endings)
    several(
      `${stream} at one server ${isOpen ? 'goes on' : 'ends'} when at another one its token ${name}`,
      async () => {
        const token = await here.token(rightsOf(stream));
        await eventually(() => there.call('token_get', [token]));
        const isStillOpen = await open(far, stream, token);
        const seen = () =>
          there.call('token_get', [token]).then(
            ({ token_limit }) => JSON.stringify(token_limit),
            ({ code }) => String(code),
          );
        const before = await seen();
        await change(topOf(here, servers.superToken), token, stream);
        await eventually(async () => assert.is.not(await seen(), before));
        await turns(there);
        assert.is(await isStillOpen(), isOpen);
      },
    );

several.run();
