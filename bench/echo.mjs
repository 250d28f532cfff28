/** The yardstick for calls: a `ws` server that sends every message back. Prints its port. */
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('error', () => socket.terminate());
  socket.on('message', (data) => socket.send(data, { binary: false }));
});
server.on('listening', () => process.stdout.write(`${server.address().port}\n`));
