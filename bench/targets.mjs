/** Targets of the scenario `monitors`: one port on many addresses of loopback. Argument: how many. Sends the port. */
import { once } from 'node:events';
import { createServer } from 'node:http';

const count = Number(process.argv[2]);
const body = JSON.stringify({ ok: true, version: '1.2.3' });
let port = 0;
for (let n = 1; n <= count; n++) {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
  await once(server.listen(port, `127.1.0.${n}`), 'listening');
  port = server.address().port;
}
process.send?.(port);
process.on('disconnect', () => process.exit());
