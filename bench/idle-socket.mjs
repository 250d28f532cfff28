/** The yardstick of the scenario `agent`: this Node with `ws`, connected over TLS, doing nothing. Argument: the address. */
import WebSocket from 'ws';

const [address = ''] = process.argv.slice(2);
const socket = new WebSocket(address, { rejectUnauthorized: false, perMessageDeflate: false });
socket.on('open', () => process.send?.('open'));
