/** The yardstick for files: a bare `node:http` handler that answers the same bytes from memory. Prints its port. */
import { createServer } from 'node:http';

const body = Buffer.alloc(Number(process.argv[2]), 'x');
const headers = {
  'content-type': 'application/javascript; charset=utf-8',
  'content-length': body.length,
};
const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
