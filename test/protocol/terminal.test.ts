// proof: 6
// terminal.md §2 to §4, §8: the handshake, the query, who may join, and who has to wait.

import { once } from 'node:events';
import { connect } from 'node:net';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { Tasks } from '@svc/plugin-task/api';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { A, B, type Item, RESULTS, readyAgent, type SimAgent, taskToken } from './task-kit.ts';
import {
  agentQuery,
  agentRefusal,
  PLUGINS,
  type Query,
  queryOf,
  rawRequest,
  roundTrip,
  shellSide,
  shellTask,
  side,
  T,
  T2,
  userQuery,
  userRefusal,
} from './terminal-kit.ts';
import { eventually } from './token-kit.ts';

const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
};
const without = (name: keyof typeof handshake) => {
  const { [name]: _gone, ...rest } = handshake;
  return rest;
};
const USER = `agent_uuid=${A}&terminal_id=${T}&token=x`;

// biome-ignore format: one case per line
const requests: [name: string, method: string, path: string, headers: Record<string, string>, status: number, body: RegExp][] = [
  ['a handshake', 'GET', `/terminal?${USER}`, handshake, 101, /^$/],
  ['words in any case, among others', 'GET', `/terminal?${USER}`, { ...handshake, connection: 'keep-alive, UPGRADE', upgrade: 'WebSocket' }, 101, /^$/],
  ['POST', 'POST', '/terminal', {}, 405, /^$/],
  ['POST with a handshake', 'POST', '/terminal', handshake, 405, /^$/],
  ['OPTIONS', 'OPTIONS', '/terminal', {}, 405, /^$/],
  ['HEAD', 'HEAD', '/terminal', {}, 405, /^$/],
  ['no Connection', 'GET', `/terminal?${USER}`, without('connection'), 400, /./],
  ['another Connection', 'GET', '/terminal', { ...handshake, connection: 'close' }, 400, /./],
  ['no Upgrade', 'GET', '/terminal', without('upgrade'), 400, /./],
  ['another Upgrade', 'GET', '/terminal', { ...handshake, upgrade: 'h2c' }, 400, /./],
  ['no key', 'GET', `/terminal?${USER}`, without('sec-websocket-key'), 400, /./],
  ['a malformed key', 'GET', `/terminal?${USER}`, { ...handshake, 'sec-websocket-key': 'x' }, 400, /./],
  ['no version', 'GET', `/terminal?${USER}`, without('sec-websocket-version'), 400, /./],
  ['version 8', 'GET', `/terminal?${USER}`, { ...handshake, 'sec-websocket-version': '8' }, 400, /./],
  ['a plain GET', 'GET', '/terminal', {}, 400, /./],
  ['no query', 'GET', '/terminal', handshake, 400, /^Failed to deserialize query string: /],
];

// biome-ignore format: one case per line
const queries: [name: string, query: string, ok: boolean][] = [
  ['unknown names, twice', `${USER}&x=1&x=2`, true],
  ['agent_uuid that is no UUID', `agent_uuid=x&terminal_id=${T}`, true],
  ['agent_uuid alone', `agent_uuid=${A}`, true],
  ['task_id without task_token', `${USER}&task_id=1`, true],
  ['the largest task_id', `${USER}&task_id=18446744073709551615`, true],
  ['a terminal_id without hyphens', `agent_uuid=${A}&terminal_id=${T.replaceAll('-', '')}`, true],
  ['no agent_uuid', `terminal_id=${T}&token=x`, false],
  ['agent_uuid twice', `${USER}&agent_uuid=${A}`, false],
  ['token twice', `${USER}&token=y`, false],
  ['task_token twice', `${USER}&task_token=a&task_token=a`, false],
  ['task_id negative', `${USER}&task_id=-1`, false],
  ['task_id fractional', `${USER}&task_id=1.0`, false],
  ['task_id empty', `${USER}&task_id=`, false],
  ['task_id as hexadecimal', `${USER}&task_id=0x1`, false],
  ['task_id above 2^64-1', `${USER}&task_id=18446744073709551616`, false],
  ['terminal_id empty', `agent_uuid=${A}&terminal_id=`, false],
  ['terminal_id no UUID', `agent_uuid=${A}&terminal_id=x`, false],
];

for (const dialect of oneDialect) {
  const test = suite(`terminal: joining (${dialect})`);
  let app: TestApp;
  let agent: SimAgent;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    agent = await readyAgent(app);
  });
  test.after(() => app.stop());
  // The agent is ready for ten tasks at once again.
  test.after.each(() => app.clock.advance(1_000));

  const user = (over = {}) => side(app, userQuery(app, over));
  const connectToken = (scope: unknown = { agent_uuid: A }, extra = {}) =>
    app.token([{ scopes: [scope], permissions: [{ terminal: 'connect' }] }], extra);
  /** A terminal with both sides, closed by `end`. */
  const joined = async (terminal = T) => {
    const item = await shellTask(app, agent, terminal);
    const shell = await side(app, agentQuery(item, { terminal_id: terminal }));
    const person = await user({ terminal_id: terminal });
    shell.socket.send('hello');
    await person.received(1);
    const end = async () => {
      person.socket.close();
      await shell.closed;
      await agent.answer(item, RESULTS['web_shell']);
    };
    return { item, shell, person, end };
  };

  for (const [name, method, path, headers, status, body] of requests) {
    test(`${name}: ${status}`, async () => {
      const answer = await rawRequest(app, method, path, headers);
      assert.is(answer.status, status);
      assert.match(answer.body, body);
      if (status === 405 && method !== 'HEAD') assert.is(answer.headers['allow'], 'GET,HEAD');
      if (status === 400) assert.is(answer.headers['content-type'], 'text/plain; charset=utf-8');
      if (status === 101) {
        assert.is(answer.headers['sec-websocket-accept'], 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
        assert.is(answer.headers['sec-websocket-protocol'], undefined);
        assert.is(answer.headers['sec-websocket-extensions'], undefined);
      }
    });
  }

  test('no subprotocol and no extension is ever selected', async () => {
    const asked = {
      'sec-websocket-protocol': 'a, b',
      'sec-websocket-extensions': 'permessage-deflate',
    };
    for (const path of [`/terminal?${USER}`, '/']) {
      const { status, headers } = await rawRequest(app, 'GET', path, { ...handshake, ...asked });
      assert.is(status, 101);
      assert.is(headers['sec-websocket-protocol'], undefined);
      assert.is(headers['sec-websocket-extensions'], undefined);
    }
  });

  test('HTTP/1.0 cannot be upgraded: 426', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    const lines = Object.entries(handshake).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET /terminal?${USER} HTTP/1.0\r\n${lines.join('')}\r\n`);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 426 /);
    socket.destroy();
  });

  test('/terminal/ is not this route', async () => {
    const answer = await rawRequest(app, 'GET', `/terminal/?${USER}`, {});
    assert.is(answer.status, 405);
    assert.match(answer.body, /POST is required/);
  });

  for (const [name, query, ok] of queries) {
    test(`query: ${name} is ${ok ? 'read' : '400'}`, async () => {
      const { status, body } = await rawRequest(app, 'GET', `/terminal?${query}`, handshake);
      assert.is(status, ok ? 101 : 400);
      if (!ok) assert.match(body, /^Failed to deserialize query string: ./);
    });
  }

  test('the agent is refused before the upgrade, with the message as body', async () => {
    const item = await shellTask(app, agent);
    const ping = await (async () => {
      const { length } = agent.items;
      await app.call('task_create_task', [app.superToken, A, { ping: 'x' }]);
      await agent.received(length + 1);
      return agent.items.at(-1)!;
    })();
    const asked = (over = {}, of = item) => agentRefusal(app, agentQuery(of, over));
    // biome-ignore format: one case per line
    const cases: [string, Promise<string>, string][] = [
      ['no terminal_id', asked({ terminal_id: undefined }), '400 108'],
      ['no terminal_id comes before a bad UUID', asked({ terminal_id: undefined, agent_uuid: 'x' }), '400 108'],
      ['agent_uuid no UUID', asked({ agent_uuid: 'x' }), '400 101'],
      ['another id', asked({ task_id: 99_999 }), '403 102'],
      ['the largest id', asked({ task_id: '18446744073709551615' }), '403 102'],
      ['another agent', asked({ agent_uuid: B }), '403 102'],
      ['another token', asked({ task_token: 'xxxxxxxxxx' }), '403 102'],
      ['an empty token', asked({ task_token: '' }), '403 102'],
      ['another type', asked({}, ping), '403 102'],
      ['another terminal than the task says', asked({ terminal_id: T2 }), '403 102'],
    ];
    for (const [name, refusal, expected] of cases) assert.is(await refusal, expected, name);
    const shell = await side(
      app,
      agentQuery(item, { agent_uuid: A.toUpperCase(), token: 'ignored' }),
    );
    assert.is(await asked(), '409 108', 'a session is open');
    shell.socket.close();
    await shell.closed;
    await agent.answer(item, RESULTS['web_shell']);
    assert.is(await asked(), '403 102', 'the task has ended');
    await agent.answer(ping, RESULTS['ping']);
    // The server may notice the end of the socket later than the agent does.
    await eventually(async () => assert.is(await userRefusal(app, userQuery(app)), '108 1013'));
  });

  test('a task that failed does not open a terminal', async () => {
    const item = await shellTask(app, agent);
    await agent.answer(item, null, { success: false, error_message: 'Other error: x' });
    assert.is(await agentRefusal(app, agentQuery(item)), '403 102');
  });

  test('the user is refused with one message and a close frame', async () => {
    const expired = await connectToken('global', { timestamp_to: app.clock.now() - 1 });
    const other = await connectToken({ agent_uuid: B });
    const tasks = await taskToken(app, [{ create: '*' }]);
    // biome-ignore format: one case per line
    const cases: [string, Query, string][] = [
      ['no terminal_id', { terminal_id: undefined }, '108 1000'],
      ['no terminal_id comes before no token', { terminal_id: undefined, token: undefined }, '108 1000'],
      ['no token', { token: undefined }, '108 1000'],
      ['a malformed credential', { token: 'x' }, '102 1008'],
      ['a wrong credential', { token: 'a:b' }, '102 1008'],
      ['agent_uuid no UUID', { agent_uuid: 'x' }, '102 1008'],
      ['a right for another agent', { token: other }, '102 1008'],
      ['no right', { token: tasks }, '102 1008'],
      ['an expired token', { token: expired }, '102 1008'],
      ['no such session', {}, '108 1013'],
    ];
    for (const [name, over, expected] of cases) {
      assert.is(await userRefusal(app, userQuery(app, over)), expected, name);
    }
  });

  test('all denials look the same', async () => {
    const texts = new Set<string>();
    for (const over of [
      { token: 'x' },
      { token: 'a:b' },
      { agent_uuid: 'x' },
      { token: await connectToken({ agent_uuid: B }) },
    ]) {
      const refused = await user(over);
      await refused.closed;
      texts.add(String(refused.messages[0]));
    }
    assert.is(texts.size, 1);
  });

  test('rights for the agent, globally, and by account', async () => {
    const account = { username: 'person', password: 'long p w+%&' };
    for (const token of [
      await connectToken(),
      await connectToken('global', account),
      'person|long p w+%&',
      `root|${app.rootPassword}`,
    ]) {
      const item = await shellTask(app, agent);
      const shell = await side(app, agentQuery(item));
      const person = await user({ token });
      shell.socket.send('prompt');
      assert.equal(await person.received(1), ['prompt']);
      person.socket.close();
      await shell.closed;
      await agent.answer(item, RESULTS['web_shell']);
    }
  });

  test('one user, one session per task and terminal; afterwards the id is free again', async () => {
    const { item, end, shell } = await joined();
    assert.is(await userRefusal(app, userQuery(app)), '108 1013');
    shell.socket.send('still there');
    const again = await shellTask(app, agent);
    assert.is(await agentRefusal(app, agentQuery(again)), '409 108', 'the same terminal');
    await end();
    const next = await side(app, agentQuery(again));
    const person = await user();
    next.socket.send('second');
    assert.equal(await person.received(1), ['second']);
    person.socket.close();
    await next.closed;
    await agent.answer(again, RESULTS['web_shell']);
    assert.ok(item.task_id < again.task_id);
  });

  test('eight terminals of one agent, the ninth is refused', async () => {
    const terminals = Array.from({ length: 9 }, (_, n) => `${T.slice(0, -1)}${n}`);
    const open = [];
    for (const terminal of terminals.slice(0, 8)) open.push(await joined(terminal));
    const ninth = await shellTask(app, agent, terminals[8]);
    const query = agentQuery(ninth, { terminal_id: terminals[8]! });
    assert.is(await agentRefusal(app, query), '429 108');
    await open[0]!.end();
    const shell = await side(app, query);
    shell.socket.close();
    for (const { end } of open.slice(1)) await end();
    await agent.answer(ninth, RESULTS['web_shell']);
  });

  test('a user who comes first waits for the agent, and what he typed is not lost', async () => {
    const item = await shellTask(app, agent);
    const person = await user();
    person.socket.send('{"type":"resize","cols":132,"rows":43}');
    person.socket.send(Buffer.from('typed'));
    await app.clock.advance(9_999);
    const shell = await side(app, agentQuery(item));
    assert.equal(await shell.received(2), [
      '{"type":"resize","cols":132,"rows":43}',
      Buffer.from('typed'),
    ]);
    shell.socket.send('prompt');
    assert.equal(await person.received(1), ['prompt']);
    person.socket.close();
    await shell.closed;
    await agent.answer(item, RESULTS['web_shell']);
  });

  test('after ten seconds he is refused; with no task for this terminal at once', async () => {
    const item = await shellTask(app, agent);
    const person = await user();
    await app.clock.advance(9_999);
    await roundTrip(person);
    assert.is(person.messages.length, 0);
    await app.clock.advance(1);
    assert.is((await person.closed).code, 1013);
    assert.is(JSON.parse(String(person.messages[0])).error_id, 108);
    assert.is(await userRefusal(app, userQuery(app, { terminal_id: T2 })), '108 1013');
    await agent.answer(item, RESULTS['web_shell']);
    assert.is(await userRefusal(app, userQuery(app)), '108 1013', 'the task has ended');
  });

  test('a user is refused at once when the task ends while he waits, and when it has ended before', async () => {
    // biome-ignore format: one end per line
    const ends: [name: string, end: (item: Item) => Promise<unknown>][] = [
      ['the agent cannot open the terminal', (item) => agent.answer(item, null, { success: false, error_message: 'no shell' })],
      ['the row is deleted', ({ task_id }) => app.call('task_delete', [app.superToken, [{ task_id }]])],
    ];
    for (const [name, end] of ends) {
      const item = await shellTask(app, agent);
      const person = await user();
      await roundTrip(person);
      assert.is(person.messages.length, 0, name);
      await end(item);
      assert.is((await person.closed).code, 1013, name);
      assert.is(JSON.parse(String(person.messages[0])).error_id, 108, name);
      assert.is(await userRefusal(app, userQuery(app)), '108 1013', name);
    }
  });

  test('the end of one of two tasks for a terminal leaves the user waiting for the other', async () => {
    const first = await shellTask(app, agent);
    const second = await shellTask(app, agent);
    const person = await user();
    await roundTrip(person);
    await agent.answer(first, RESULTS['web_shell']);
    const shell = await side(app, agentQuery(second));
    shell.socket.send('prompt');
    assert.equal(await person.received(1), ['prompt']);
    person.socket.close();
    await shell.closed;
    await agent.answer(second, RESULTS['web_shell']);
  });

  test('a user whose agent has been there and left is refused at once, although the task still runs', async () => {
    const { item, shell, person } = await joined();
    shell.socket.close();
    await person.closed;
    assert.is(await userRefusal(app, userQuery(app)), '108 1013');
    const again = await shellSide(app, agentQuery(item));
    const next = await user();
    again.socket.send('again');
    assert.equal(await next.received(1), ['again'], 'the same task may attach again');
    next.socket.close();
    await again.closed;
    await agent.answer(item, RESULTS['web_shell']);
  });

  test('of two users who wait the first one gets the terminal, even when the database answers him last', async () => {
    const tasks = (app.kernel as any).service(Tasks);
    const { awaitedShells } = tasks;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    tasks.awaitedShells = async (...asked: unknown[]) => {
      tasks.awaitedShells = awaitedShells;
      await answered;
      return awaitedShells(...asked);
    };
    const item = await shellTask(app, agent);
    const first = await user();
    const second = await user();
    // Both wait when the answer to a later message of each is there.
    for (const person of [first, second]) await roundTrip(person);
    const shell = await side(app, agentQuery(item));
    await second.received(1);
    assert.is((await second.closed).code, 1013);
    shell.socket.send('prompt');
    assert.equal(await first.received(1), ['prompt']);
    answer();
    first.socket.close();
    await shell.closed;
    await agent.answer(item, RESULTS['web_shell']);
  });

  test('a user whose token ends, or who leaves, while he waits is forgotten', async () => {
    const item = await shellTask(app, agent);
    const token = await connectToken();
    const person = await user({ token });
    await roundTrip(person);
    await app.call('token_delete', [app.superToken, token.slice(0, 16)]);
    assert.is((await person.closed).code, 1008);
    const other = await user();
    other.socket.terminate();
    await other.closed;
    const shell = await side(app, agentQuery(item));
    shell.socket.send('kept');
    const last = await eventuallyUser();
    assert.equal(await last.received(1), ['kept']);
    last.socket.close();
    await shell.closed;
    await agent.answer(item, RESULTS['web_shell']);
  });
  /** Another user may still hold the terminal until the end of its socket has been noticed. */
  const eventuallyUser = async () => {
    const person = await user();
    await eventually(() => assert.ok(person.messages.length > 0));
    return person;
  };

  test('terminals take no place of jsonrpc_max_connections', async () => {
    const small = await bootForTest(
      PLUGINS,
      { jsonrpc_max_connections: 2 },
      { dialect, clock: true },
    );
    const one = await readyAgent(small);
    for (const terminal_id of [T, T2]) {
      const item = await shellTask(small, one, terminal_id);
      const shell = await side(small, agentQuery(item, { terminal_id }));
      const person = await side(small, userQuery(small, { terminal_id }));
      shell.socket.send('prompt');
      await person.received(1);
    }
    const [row] = await small.call('task_query', [small.superToken, { condition: ['last'] }]);
    assert.is(row.success, null);
    await small.stop();
  });

  test('neither token is ever logged', async () => {
    const { item, end } = await joined();
    await end();
    const log = JSON.stringify(await app.call('svc-server_log', [app.superToken]).catch(() => []));
    const recent = JSON.stringify(app.records());
    for (const text of [log, recent]) {
      assert.not(text.includes(item.task_token));
      assert.not(text.includes(app.superToken));
    }
    assert.ok(recent.includes('terminal: user came'));
  });

  test('the query may be written in any form', async () => {
    const item = await shellTask(app, agent);
    const query = queryOf(agentQuery(item, { agent_uuid: `urn:uuid:${A}` }));
    const shell = await side(app, query.replace(T, `%7B${T.toUpperCase()}%7D`));
    shell.socket.close();
    await shell.closed;
  });

  test.run();
}
