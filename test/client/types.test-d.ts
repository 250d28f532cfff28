/** What the types of `@svc/client` accept and refuse; `npm run check` compiles it. */
import { type Client, createClient, type Methods, type Subscriptions } from '@svc/client';

const client: Client<Methods, Subscriptions> = createClient('http://127.0.0.1:2211');

const text: string = await client.call('svc-server_hello');
const { id }: { id: number } = await client.call('task_create_task', {
  target_uuid: 'x',
  task_type: { execute: { cmd: 'df', args: [] } },
});
// @ts-expect-error no such method
await client.call('kv_nothing');
// @ts-expect-error `key` is missing
await client.call('kv_get_value', { namespace: 'notes' });
// @ts-expect-error parameters are missing
await client.call('kv_get_value');
// @ts-expect-error no such task
await client.call('task_create_task', { target_uuid: 'x', task_type: 'nothing' });
// @ts-expect-error the result is an array of text
const wrong: number = await client.call('kv_list_all_namespace');

const [keys, uuid] = await client.batch([
  ['kv_get_all_keys', { namespace: 'notes' }],
  ['svc-server_uuid'],
]);
if (keys.status === 'fulfilled') keys.value.map((key) => key.length);
if (uuid.status === 'rejected') uuid.reason.code.toFixed();
// @ts-expect-error the second is one text
if (uuid.status === 'fulfilled') uuid.value.map(String);

const query = { fields: ['cpu_usage' as const], condition: [] };
for await (const row of client.rows('agent_query_dynamic_summary', { query }, { from: 0 }))
  row.timestamp.toFixed();

for await (const item of client.subscribe('agent_subscribe'))
  for (const row of item.agents) row.timestamp.toFixed();
// @ts-expect-error a call is no subscription
client.subscribe('kv_get_value', { namespace: 'a', key: 'b' });

interface Own {
  weather_get: { params: { city: string; days?: number }; result: { degrees: number } };
}
const own = createClient<Own, Record<never, never>>('https://svc.example.net');
const { degrees } = await own.call('weather_get', { city: 'Kiel' });
// @ts-expect-error of the built-in plugins, not of this server
await own.call('svc-server_hello');

export { degrees, id, text, wrong };
