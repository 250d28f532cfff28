// proof only: 5
/** The terminal package behaves as agent/src/quirks.ts expects, is loaded late, and may be missing. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Pty } from '@lydell/node-pty';
import * as assert from 'uvu/assert';
import { ignoreReadErrors, inputDescriptor, keepOutputUntilExit } from '../agent/src/quirks.ts';
import { hasPty, loadPty, openPty } from '../agent/src/terminal/pty.ts';
import { soon } from './agent-program-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: quirks of the terminal package');
const isHere = process.platform === 'linux' && hasPty();
if (!isHere) process.stdout.write('  skipped: needs Linux and the package @lydell/node-pty\n');
const ptyTest = isHere ? test : test.skip;

const OPTIONS = { name: 'xterm', cols: 80, rows: 24, cwd: '/', env: {}, encoding: null };
const spawn = async (program: string, ...args: string[]) =>
  (await loadPty()).spawn(program, args, OPTIONS);
const exitOf = (pty: Pty) =>
  soon('the exit', new Promise<void>((resolve) => void pty.onExit(() => resolve())));
const emitError = (pty: Pty, error: Error) =>
  (pty as unknown as { emit(event: string, error: Error): void }).emit('error', error);

ptyTest('tells its descriptor and its path, and gives output as bytes', async () => {
  const pty = await spawn('/bin/echo', 'hello');
  const chunks: Buffer[] = [];
  pty.onData((data) => void chunks.push(data));
  assert.ok(Number.isInteger(inputDescriptor(pty)));
  assert.match((pty as unknown as { ptsName: string }).ptsName, /^\/dev\/pts\/\d+$/);
  void keepOutputUntilExit(pty);
  await exitOf(pty);
  assert.is(Buffer.concat(chunks).toString(), 'hello\r\n');
});

ptyTest('throws a read error from its own listener unless another listener is there', async () => {
  const bare = await spawn('/bin/sleep', '60');
  const exited = exitOf(bare);
  assert.throws(() => emitError(bare, new Error('broken')), 'broken');
  process.kill(bare.pid, 'SIGKILL');
  await exited;
  const guarded = await spawn('/bin/sleep', '60');
  const ended = exitOf(guarded);
  ignoreReadErrors(guarded);
  emitError(guarded, new Error('broken'));
  process.kill(guarded.pid, 'SIGKILL');
  await ended;
});

ptyTest('brings the last output of a program that ends', async () => {
  // The package closes the terminal 200 ms after the end: more output than this needs an idle machine.
  const pty = await spawn('/usr/bin/seq', '1', '2000');
  let text = '';
  pty.onData((data) => {
    text += data;
  });
  void keepOutputUntilExit(pty);
  await exitOf(pty);
  assert.match(text, /\r\n2000\r\n$/);
});

ptyTest('a terminal that is paused and read on loses nothing', async () => {
  const pty = openPty(await loadPty(), '/bin/sh', '/');
  let text = '';
  pty.onData((data) => {
    text += data;
    pty.pause();
    setTimeout(() => pty.resume(), 1);
  });
  const exited = exitOf(pty);
  pty.resize(100, 30);
  pty.write(Buffer.from('stty size; seq 1 9999; echo end; read wait; exit\r'));
  while (!/9999\r\nend\r\n/.test(text)) await new Promise((wake) => setTimeout(wake, 10));
  assert.match(text, '30 100\r\n1\r\n2\r\n');
  pty.write(Buffer.from('\r'));
  await exited;
});

/** Runs one `web_shell` task in a process in which the package `name` cannot be found. */
async function failureWithout(name: string): Promise<string> {
  const url = (path: string) => pathToFileURL(join(import.meta.dirname, path)).href;
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (!specifier.startsWith('${name}')) return next(specifier, context);
        throw Object.assign(new Error("Cannot find package '${name}'"), { code: 'MODULE_NOT_FOUND' });
      },
    });
    const { failureOf } = await import('${url('agent-program-task-kit.ts')}');
    const content = { url: 'ws://127.0.0.1:9/', terminal_id: '${crypto.randomUUID()}' };
    process.stdout.write(await failureOf('web_shell', content));`;
  const args = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout;
}

test('without the package the task fails with a sentence', async () => {
  const failure = await failureWithout('@lydell/node-pty');
  const sentence = "web_shell needs the optional package @lydell/node-pty: Cannot find package '";
  assert.ok(failure.startsWith(sentence), failure);
});

ptyTest('so it does without the addon of the platform', async () => {
  const failure = await failureWithout(`@lydell/node-pty-${process.platform}`);
  const sentence = 'web_shell needs the optional package @lydell/node-pty: The @lydell/node-pty ';
  assert.ok(failure.startsWith(sentence), failure);
  assert.not.match(failure, '\n');
});

test.run();
