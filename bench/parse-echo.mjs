/** The yardstick for reports: a `ws` server that parses each message and answers as if it were stored. Prints its port. */
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('error', () => socket.terminate());
  socket.on('message', (data) => {
    const { id } = JSON.parse(data);
    socket.send(`{"jsonrpc":"2.0","id":${id},"result":{"status":"buffered"}}`);
  });
});
server.on('listening', () => process.stdout.write(`${server.address().port}\n`));
