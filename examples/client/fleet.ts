/** Lists the agents, shows their CPU live, then runs a command on the first one: `node fleet.ts URL CMD ARGS…` */
import { createClient } from '@svc/client';

const [url = 'http://127.0.0.1:2211', cmd = 'uname', ...args] = process.argv.slice(2);
const client = createClient(url, { token: process.env['SVC_TOKEN'] ?? '' });

const agents = await client.call('agent-uuid_list_all');
console.log(`${agents.length} agents: ${agents.join(' ')}`);

let left = 3;
for await (const item of client.subscribe('agent_subscribe', { fields: ['cpu_usage'] })) {
  for (const row of item.agents)
    if ('cpu_usage' in row) console.log(`${row.uuid} ${row.cpu_usage} % of CPU`);
  if (--left === 0) break;
}

const [target_uuid] = agents;
if (target_uuid !== undefined) {
  const done = await client.call('task_create_task_blocking', {
    target_uuid,
    task_type: { execute: { cmd, args } },
    timeout_ms: 10_000,
  });
  const result = done.task_event_result as { execute: string } | null;
  console.log(result?.execute ?? done.error_message);
}
client.close();
