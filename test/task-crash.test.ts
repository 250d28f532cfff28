// proof only: 15
/** A server that is killed between dispatch and result: the task is neither lost nor told finished. */

import { once } from 'node:events';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { makePlace } from './process/place.ts';
import { rpc as exchange, startServer, superToken } from './process/server.ts';
import { oneDialect } from './runner/proof.ts';
import { suite } from './runner/suite.ts';

const AGENT = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';

/** The result of one call. @throws Error with the message of its error */
async function rpc(url: string, method: string, params: unknown): Promise<any> {
  const { result, error } = await exchange(url, method, params);
  if (error) throw new Error(error.message);
  return result;
}

interface Item {
  readonly task_id: number;
  readonly task_token: string;
}

/** Registers like an agent of the field and waits for one task. */
async function agentThatGets(
  url: string,
  token: string,
  create: () => Promise<unknown>,
): Promise<Item> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  await once(socket, 'open');
  const params = [token, AGENT];
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'task_register_task', params }));
  await once(socket, 'message', { signal: AbortSignal.timeout(40_000) });
  const notified = once(socket, 'message', { signal: AbortSignal.timeout(40_000) });
  await create();
  const [data] = await notified;
  // The server is killed under it.
  socket.on('error', () => {});
  return JSON.parse(String(data)).params.result;
}

for (const dialect of oneDialect) {
  const test = suite(`task: killed server (${dialect})`);

  test('the row is running after kill -9, and the result is taken over a later connection, once', async () => {
    const place = await makePlace(dialect, {
      head: 'plugins = ["server-info", "token", "agent-uuid", "task"]',
    });
    const { url } = place.site;
    try {
      const first = await startServer(place.site);
      const token = superToken(first.output());
      const create = () => rpc(url, 'task_create_task', [token, AGENT, 'ip']);
      const item = await agentThatGets(url, token, create);
      await first.end('SIGKILL');

      const second = await startServer(place.site);
      const query = () =>
        rpc(url, 'task_query', [token, { condition: [{ task_id: item.task_id }] }]);
      assert.equal(
        (await query()).map(({ success }: any) => success),
        [null],
      );
      const upload = () =>
        rpc(url, 'task_upload_task_result', [
          token,
          {
            ...item,
            agent_uuid: AGENT,
            timestamp: 1_781_000_000_000,
            success: true,
            error_message: null,
            task_event_result: { ip: ['198.51.100.23', null] },
          },
        ]);
      assert.equal(await upload(), { id: item.task_id });
      const [row] = await query();
      assert.is(row.success, true);
      assert.equal(row.task_event_result, { ip: ['198.51.100.23', null] });
      const again = await upload().catch((error: Error) => error);
      assert.match(String((again as Error).message), 'already been uploaded');
      await second.end('SIGTERM');
    } finally {
      await place.remove();
    }
  });

  test.run();
}
