/** Kind execute of the agent program, with real programs (clients.md §2.8, task.md §6). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { systemClock } from '../agent/src/clock.ts';
import { CapturedOutput, composeOutput } from '../agent/src/tasks/captured-output.ts';
import { FakeClock } from './agent-program-kit.ts';
import { gone, isAlive, written } from './agent-program-programs.ts';
import { failureOf, resultOf, runtimeFor } from './agent-program-task-kit.ts';
import { heldBytes } from './memory.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: execute');
const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

const node = (script: string, ...args: string[]) => ({
  cmd: process.execPath,
  args: ['-e', script, ...args],
});
const run = (content: unknown, exec_max_character = 10_000) =>
  resultOf('execute', content, { runtime: runtimeFor(systemClock, { exec_max_character }) });

// [what, script, output]
const OUTPUTS: [string, string, string][] = [
  ['nothing', '', ''],
  ['standard output as it is', 'process.stdout.write("a\\nb")', 'a\nb'],
  ['standard error alone', 'process.stderr.write("e")', '--- STDERR ---\ne'],
  [
    'both, in this order',
    'process.stderr.write("e\\n"); process.stdout.write("o")',
    'o\n--- STDERR ---\ne\n',
  ],
  ['an exit code', 'console.log("o"); process.exitCode = 3', 'o\n[Process exited with code 3]'],
  ['an exit code alone', 'process.exitCode = 1', '[Process exited with code 1]'],
  [
    'an exit code behind standard error',
    'process.stderr.write("e"); process.exitCode = 2',
    '--- STDERR ---\ne\n[Process exited with code 2]',
  ],
  ['a signal', 'process.kill(process.pid, "SIGKILL")', '[Process ended by signal SIGKILL]'],
  ['bytes that are no text', 'process.stdout.write(Buffer.from([0x61, 0xff]))', 'a\ufffd'],
  ['no input', 'process.stdin.on("data", () => {}).on("end", () => console.log("end"))', 'end\n'],
];

for (const [what, script, output] of OUTPUTS) {
  test(`gives ${what}`, async () => {
    assert.is(await run(node(script)), output);
  });
}

test('uses no shell: arguments arrive as they are', async () => {
  const args = ['$HOME', '*', '; echo x', '', 'a b', '"', '`id`'];
  const output = await run(node('console.log(JSON.stringify(process.argv.slice(1)))', ...args));
  assert.equal(JSON.parse(output), args);
});

test('cuts out the middle of more than exec_max_character bytes, and keeps the exit code', async () => {
  const script = 'process.stdout.write("a".repeat(5000) + "b".repeat(5000)); process.exitCode = 4';
  assert.is(
    await run(node(script), 100),
    `${'a'.repeat(50)}\n... [9900 bytes left out] ...\n${'b'.repeat(50)}\n[Process exited with code 4]`,
  );
});

// [stdout, stderr, limit, output]
const CUTS: [string, string, number, string][] = [
  ['0123456789', '', 10, '0123456789'],
  ['0123456789x', '', 10, '01234\n... [1 bytes left out] ...\n6789x'],
  ['01234', 'abcde', 10, '01234\n--- STDERR ---\nabcde'],
  ['01', 'abcdefghijk', 10, '01\n--- STDERR ---\nabcd\n... [3 bytes left out] ...\nhijk'],
  ['0123456789x', 'ab', 10, '0123\n... [3 bytes left out] ...\n789x\n--- STDERR ---\nab'],
  [
    '0123456789',
    'abcdefghij',
    8,
    '01\n... [6 bytes left out] ...\n89\n--- STDERR ---\nab\n... [6 bytes left out] ...\nij',
  ],
  ['abc', '', 0, '\n... [3 bytes left out] ...\n'],
  ['äöüß', '', 5, 'ä\n... [4 bytes left out] ...\nß'],
];

for (const [stdout, stderr, limit, expected] of CUTS) {
  test(`keeps ${limit} bytes of "${stdout}" and "${stderr}"`, () => {
    const streams = [stdout, stderr].map((text) => {
      const captured = new CapturedOutput(limit);
      for (const byte of Buffer.from(text)) captured.add(Buffer.from([byte]));
      return captured;
    });
    assert.is(composeOutput(streams[0]!, streams[1]!, limit), expected);
  });
}

test('keeps head and tail of any stream in any pieces, whole characters only', async () => {
  await fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 8 }),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 5 }),
      (parts, limit, piece) => {
        const all = Buffer.from(parts.join(''));
        const captured = new CapturedOutput(limit);
        for (let at = 0; at < all.length; at += piece) captured.add(all.subarray(at, at + piece));
        const text = captured.text(limit);
        if (all.length <= limit) return assert.is(text, all.toString());
        const [, head = '', missing, tail = ''] =
          /^([\s\S]*)\n\.\.\. \[(\d+) bytes left out\] \.\.\.\n([\s\S]*)$/.exec(text) ?? [];
        assert.ok(all.toString().startsWith(head) && all.toString().endsWith(tail));
        const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
        assert.is(kept + Number(missing), all.length);
        assert.ok(kept <= limit && kept >= limit - 6, `${kept} of ${limit}`);
      },
    ),
  );
});

test('holds a flood of output in little memory', async () => {
  const flooded = join(dir, 'flooded');
  const script = `const { existsSync, writeFileSync } = require('fs');
    const [path] = process.argv.slice(1);
    const c = 'x'.repeat(1 << 20);
    for (let n = 0; n < 99; n++) process.stdout.write(c);
    process.stdout.write(c, () => {
      writeFileSync(path, 'x');
      const end = setInterval(() => existsSync(path) || clearInterval(end), 10);
    });`;
  const before = heldBytes();
  const output = run(node(script, flooded), 1000);
  await written(flooded);
  const grown = heldBytes() - before;
  rmSync(flooded);
  assert.match(await output, `[${100 * 1024 * 1024 - 1000} bytes left out]`);
  assert.ok(grown < 16 * 1024 * 1024, `${grown} bytes more`);
});

// [what, content, words]
const REFUSED: [string, unknown, RegExp][] = [
  ['no object', 'df', /^malformed task: execute must be an object$/],
  ['no cmd', { args: [] }, /^malformed task: cmd must be a string$/],
  ['no args', { cmd: 'df' }, /^malformed task: args must be a list of strings$/],
  ['args in a text', { cmd: 'df', args: '-h' }, /^malformed task: args must be a list/],
  ['a number among args', { cmd: 'df', args: [1] }, /^malformed task: each of args/],
  ['a program that is not there', { cmd: '/no/such/program', args: [] }, /^cannot start .*ENOENT$/],
  ['a file that is no program', { cmd: '/', args: [] }, /^cannot start \/: EACCES$/],
  ['an empty program', { cmd: '', args: [] }, /cannot be empty/],
  ['a NUL in an argument', { cmd: 'df', args: ['a\0b'] }, /null bytes/],
];

for (const [what, content, words] of REFUSED) {
  test(`fails for ${what}`, async () => {
    assert.match(await failureOf('execute', content), words);
  });
}

if (process.platform === 'linux') {
  test('ends a program after 60 s with TERM, and what it had started', async () => {
    const clock = new FakeClock();
    const pids = join(dir, 'pids');
    // What it starts ignores TERM.
    const script = `(trap '' TERM; exec sleep 300) & echo $! $$ > ${pids}; wait`;
    const failed = failureOf(
      'execute',
      { cmd: 'sh', args: ['-c', script] },
      { runtime: runtimeFor(clock) },
    );
    assert.is(await clock.timer('execute'), 60_000);
    const [child = '', leader = ''] = (await written(pids, /\n/)).trim().split(' ');
    await clock.advance(59_999);
    assert.ok(isAlive(child) && isAlive(leader));
    await clock.advance(1);
    assert.is(await failed, 'the command ran longer than 60 s and was ended');
    await gone(child);
    await gone(leader);
    assert.equal(clock.labels(), []);
  });

  test('kills a program that ignores TERM 2 s later', async () => {
    const clock = new FakeClock();
    const ready = join(dir, 'ready');
    const script = `process.on('SIGTERM', () => require('fs').appendFileSync(${JSON.stringify(ready)}, ' term'));
      require('fs').writeFileSync(${JSON.stringify(ready)}, String(process.pid)); setInterval(() => {}, 1000)`;
    const failed = failureOf('execute', node(script), { runtime: runtimeFor(clock) });
    await clock.timer('execute');
    const pid = await written(ready);
    await clock.advance(60_000);
    assert.is(await clock.timer('execute kill'), 2000);
    await written(ready, / term$/);
    await clock.advance(1999);
    assert.ok(isAlive(pid));
    await clock.advance(1);
    assert.is(await failed, 'the command ran longer than 60 s and was ended');
    await gone(pid);
  });

  test('ends a program when the task is ended, soon', async () => {
    const stop = new AbortController();
    const pids = join(dir, 'pids2');
    const script = `echo $$ > ${pids}; exec sleep 300`;
    const failed = failureOf(
      'execute',
      { cmd: 'sh', args: ['-c', script] },
      { signal: stop.signal },
    );
    const pid = (await written(pids, /\n/)).trim();
    stop.abort(new Error('the agent stops'));
    assert.is(await failed, 'the agent stops');
    await gone(pid);
  });

  test('waits no longer than 1 s for a program left in the background, and leaves it alone', async () => {
    const pids = join(dir, 'pids3');
    const script = `sleep 300 & echo $! > ${pids}; echo started`;
    const begun = performance.now();
    assert.is(await run({ cmd: 'sh', args: ['-c', script] }), 'started\n');
    // Far below the 60 s that the program itself may take.
    assert.ok(performance.now() - begun < 30_000);
    const pid = (await written(pids, /\n/)).trim();
    assert.ok(isAlive(pid));
    process.kill(Number(pid), 'SIGKILL');
    await gone(pid);
  });
}

test.run();
