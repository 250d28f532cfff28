/**
 * Repeats one GET over kept connections, one request at a time on each: `http-load.mjs URL CONNECTIONS SECONDS`. Reads
 * only what it must of the answers, so that little of the processors goes here.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

const [address, connections, seconds] = process.argv.slice(2);
const { host, hostname, port, pathname } = new URL(address);
const request = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
const times = [];
let failed = 0;
let first = null;
let stopping = false;

/** Bytes of the first answer in `text`; undefined while it is not whole. */
function lengthOf(text) {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1]);
  const whole = head + 4 + length;
  return text.length < whole ? undefined : whole;
}

async function open() {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.setEncoding('latin1');
  await once(socket, 'connect');
  let text = '';
  let sent = 0;
  const send = () => {
    if (stopping) return socket.destroy();
    sent = performance.now();
    socket.write(request);
  };
  socket.on('data', (piece) => {
    text += piece;
    const whole = lengthOf(text);
    if (whole === undefined) return;
    if (text.startsWith('HTTP/1.1 200')) times.push(performance.now() - sent);
    else {
      failed++;
      first ??= text.slice(0, 200);
    }
    text = text.slice(whole);
    send();
  });
  return send;
}

const starts = await Promise.all(Array.from({ length: Number(connections) }, open));
for (const start of starts) start();
await new Promise((done) => setTimeout(done, Number(seconds) * 1000));
stopping = true;
times.sort((a, b) => a - b);
const at = (share) => times[Math.floor(share * (times.length - 1))] ?? -1;
const line = { ok: times.length, failed, rate: times.length / Number(seconds) };
const result = { ...line, p50_ms: at(0.5), p99_ms: at(0.99), first_error: first };
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
