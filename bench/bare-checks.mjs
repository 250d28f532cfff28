/**
 * The yardstick of the scenario `monitors`: bare requests, each with a connection of its own, so many begun once a second.
 * Arguments: port, hosts, requests a second, seconds. Sends the processor time of one, µs, after two seconds of warming up.
 */
import { request } from 'node:http';

const [port, hosts, rate, seconds] = process.argv.slice(2).map(Number);
const WARM_S = 2;
let [begun, before, counted] = [0, process.cpuUsage(), 0];

function check() {
  const host = `127.1.0.${(begun++ % hosts) + 1}`;
  const asked = request({ host, port, path: '/health', agent: false }, (response) => {
    let bytes = 0;
    response.on('data', (part) => {
      bytes += part.length;
    });
    response.on('end', () => {
      if (response.statusCode !== 200 || bytes === 0) throw new Error('a target does not answer');
      counted++;
    });
  });
  asked.end();
}

let passed = 0;
const timer = setInterval(() => {
  if (passed++ === WARM_S) [before, counted] = [process.cpuUsage(), 0];
  if (passed <= WARM_S + seconds) {
    for (let n = 0; n < rate; n++) check();
    return;
  }
  clearInterval(timer);
  const { user, system } = process.cpuUsage(before);
  process.send?.((user + system) / counted);
  process.disconnect?.();
}, 1_000);
