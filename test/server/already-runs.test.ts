/** Whom a second start tells people to end: nobody but the process that has its address. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as assert from 'uvu/assert';
import { processAt } from '../../server/src/already-runs.ts';
import { freePort } from '../ports.ts';
import { killAtExit } from '../process/server.ts';
import { suite } from '../runner/suite.ts';

const test = suite('the process at an address');
const linux = process.platform === 'linux' ? test : test.skip;

async function listening(host: string, port: number): Promise<number> {
  const source = `require('net').createServer().listen(${port}, '${host}', () => console.log('ready'))`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  killAtExit(child);
  await once(child.stdout, 'data');
  children.push(child);
  return child.pid as number;
}
const children: ReturnType<typeof spawn>[] = [];
test.after.each(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
});

linux('of two programs on one port it is the one with the address', async () => {
  const port = await freePort();
  const other = await listening('127.0.0.2', port);
  const own = await listening('127.0.0.1', port);
  assert.is(await processAt({ host: '127.0.0.1', port }), own);
  assert.is(await processAt({ host: '127.0.0.2', port }), other);
  assert.is(await processAt({ host: '127.0.0.3', port }), undefined);
});

for (const [all, one] of [
  ['0.0.0.0', '127.0.0.1'],
  ['::', '127.0.0.1'],
  ['::', '::1'],
  ['::1', '::1'],
] as const)
  linux(`a program on ${all} has ${one}`, async () => {
    const port = await freePort();
    const pid = await listening(all, port);
    assert.is(await processAt({ host: one, port }), pid);
    assert.is(await processAt({ host: all, port }), pid);
  });
test.run();
