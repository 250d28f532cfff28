// proof only: 8
/** The four sinks of configuration.md §5: console, JSON file, memory ring, live streams. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Level, LogRecord } from '@svc/plugin-sdk/kernel';
import * as assert from 'uvu/assert';
import { type LoggingConfig, type LogOptions, openLog } from '../../server/src/log/index.ts';
import { suite } from '../runner/suite.ts';

const test = suite<{ dir: string }>('log sinks');

test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), 'svc-log-'));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const LEVELS: Level[] = ['error', 'warn', 'info', 'debug', 'trace'];
const messages = (records: readonly LogRecord[]) => records.map(({ message }) => message);

/** What a call writes to standard error. */
function complaintsOf(run: () => void): string[] {
  const lines: string[] = [];
  const write = process.stderr.write;
  process.stderr.write = (text: string | Uint8Array) => {
    lines.push(...String(text).trimEnd().split('\n'));
    return true;
  };
  try {
    run();
  } finally {
    process.stderr.write = write;
  }
  return lines;
}

/** Which levels reach console, file and ring when each level is logged once on `server`. */
async function taken(dir: string, config: Partial<LoggingConfig>, env?: string) {
  const lines: string[] = [];
  const file = join(dir, 'log.jsonl');
  const options: LogOptions = { env, console: (line) => lines.push(line) };
  const log = openLog({ memory_log_capacity: 99, json_log_file: file, ...config }, options);
  for (const level of LEVELS) log.logger[level](level);
  await log.close();
  const records = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return {
    console: lines.map((line) => line.split(': ')[1]).join(' '),
    file: messages(records).join(' '),
    ring: messages(log.sinks.recent()).join(' '),
  };
}

const upTo = (level: Level) => LEVELS.slice(0, LEVELS.indexOf(level) + 1).join(' ');

/** [name, configuration, RUST_LOG, highest level on console, in the file, in the ring] */
const precedence: [string, Partial<LoggingConfig>, string | undefined, Level, Level, Level][] = [
  ['the default is info everywhere', {}, undefined, 'info', 'info', 'info'],
  ['log_filter holds for all sinks', { log_filter: 'debug' }, undefined, 'debug', 'debug', 'debug'],
  ['RUST_LOG wins over log_filter', { log_filter: 'trace' }, 'warn', 'warn', 'warn', 'warn'],
  ['an empty RUST_LOG means errors only', { log_filter: 'trace' }, '', 'error', 'error', 'error'],
  ['the file has its own filter', { json_log_filter: 'trace' }, undefined, 'info', 'trace', 'info'],
  ['the ring has its own filter', { memory_log_filter: 'warn' }, undefined, 'info', 'info', 'warn'],
  [
    'RUST_LOG leaves the own filters of file and ring alone',
    { json_log_filter: 'warn', memory_log_filter: 'trace' },
    'debug',
    'debug',
    'warn',
    'trace',
  ],
];

for (const [name, config, env, console, file, ring] of precedence) {
  test(`filters: ${name}`, async ({ dir }) => {
    const expected = { console: upTo(console), file: upTo(file), ring: upTo(ring) };
    assert.equal(await taken(dir, config, env), expected);
  });
}

test('filters: an invalid directive is told on standard error, an invalid stream filter is not', () => {
  const config = { memory_log_capacity: 1, log_filter: 'info,rpc=loud', json_log_filter: '=x' };
  const file = join(tmpdir(), 'svc-never-opened', 'x');
  const complaints = complaintsOf(() => {
    const log = openLog({ ...config, json_log_file: file }, { console: 'none' });
    log.sinks.stream('rpc=loud', () => {})();
  });
  assert.is(complaints.length, 3);
  assert.is(complaints[0], 'invalid log filter directive skipped: rpc=loud');
  assert.is(complaints[1], 'invalid log filter directive skipped: =x');
});

test('file: one record a line, appended to what is there', async ({ dir }) => {
  const file = join(dir, 'log.jsonl');
  writeFileSync(file, '{"before":true}\n');
  const log = openLog({ memory_log_capacity: 9, json_log_file: file }, { console: 'none' });
  log.logger.info('a\nb', { n: 1, token: 'x' });
  log.logger.span({ name: 's' }).warn('c');
  await log.close();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.equal(
    lines.map((line) => JSON.parse(line)),
    [{ before: true }, ...log.sinks.recent()],
  );
});

test('file: one that cannot be opened is told once, and the other sinks work', ({ dir }) => {
  const path = join(dir, 'missing', 'log.jsonl');
  const complaints = complaintsOf(() => {
    const log = openLog({ memory_log_capacity: 9, json_log_file: path }, { console: 'none' });
    log.logger.info('a');
    assert.equal(messages(log.sinks.recent()), ['a']);
  });
  assert.is(complaints.length, 1);
  assert.match(complaints[0]!, path);
});

test('file: nothing is written after close, and no caller gets an error', async ({ dir }) => {
  const file = join(dir, 'log.jsonl');
  const log = openLog({ memory_log_capacity: 9, json_log_file: file }, { console: 'none' });
  log.logger.info('before');
  await log.close();
  log.logger.info('after');
  await log.close();
  assert.is(readFileSync(file, 'utf8').trimEnd().split('\n').length, 1);
  assert.equal(messages(log.sinks.recent()), ['before', 'after']);
});

/** Logs records of some 8 KB; the file has them before the next ones come. */
async function fill(log: ReturnType<typeof openLog>, dir: string, [from, to]: [number, number]) {
  for (let n = from; n < to; n++) {
    log.logger.info('a long record', { n, text: 'x'.repeat(8_000) });
    if (n % 64 === 63) await until(() => contents(dir).some((text) => text.includes(`{"n":${n},`)));
  }
}

const contents = (dir: string): string[] =>
  readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!holds()) {
    assert.ok(Date.now() < end, 'what was logged reaches a file');
    await delay(5);
  }
}

/** The records of a log file and of the full ones beside it. */
const numbersIn = (dir: string, files = readdirSync(dir)): number[] =>
  files
    .flatMap((name) => readFileSync(join(dir, name), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line).fields.n)
    .sort((a, b) => a - b);

const numbersTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test('file: a full one is moved aside and begun anew, without losing a line', async ({ dir }) => {
  const config = { memory_log_capacity: 0, json_log_max_mb: 1, json_log_files: 99 };
  const json_log_file = join(dir, 'log.jsonl');
  const log = openLog({ ...config, json_log_file }, { console: 'none' });
  await fill(log, dir, [0, 640]);
  await log.close();
  const files = readdirSync(dir);
  assert.ok(files.length >= 3, files.join(' '));
  assert.ok(files.every((name) => statSync(join(dir, name)).size < 4 * 2 ** 20));
  assert.equal(numbersIn(dir), numbersTo(640));
});

test('file: only the newest full ones stay, and files of other names are left alone', async ({
  dir,
}) => {
  const config = { memory_log_capacity: 0, json_log_max_mb: 1, json_log_files: 2 };
  for (const name of ['log.jsonl.1', 'other.jsonl.full']) writeFileSync(join(dir, name), '');
  const json_log_file = join(dir, 'log.jsonl');
  const log = openLog({ ...config, json_log_file }, { console: 'none' });
  await fill(log, dir, [0, 640]);
  await log.close();
  const names = readdirSync(dir).sort();
  assert.equal(
    names.map((name) => name.replace(/\.\d{4}-.*-\d+\.full$/, '.TIME.full')),
    ['log.jsonl', 'log.jsonl.1', 'log.jsonl.TIME.full', 'log.jsonl.TIME.full', 'other.jsonl.full'],
  );
  assert.is(numbersIn(dir).at(-1), 639);
});

test('file: two servers that write the same one, and a program that moves or removes it, lose no line', async ({
  dir,
}) => {
  const config = { memory_log_capacity: 0, json_log_max_mb: 1, json_log_files: 99 };
  const json_log_file = join(dir, 'log.jsonl');
  const [one, two] = [0, 1].map(() =>
    openLog({ ...config, json_log_file }, { console: 'none' }),
  ) as [ReturnType<typeof openLog>, ReturnType<typeof openLog>];
  await fill(one, dir, [0, 192]);
  renameSync(json_log_file, join(dir, 'log.jsonl.1'));
  await Promise.all([fill(one, dir, [192, 448]), fill(two, dir, [448, 704])]);
  await Promise.all([one.close(), two.close()]);
  assert.equal(numbersIn(dir), numbersTo(704));
  const again = openLog({ ...config, json_log_max_mb: 0, json_log_file }, { console: 'none' });
  rmSync(json_log_file, { force: true });
  for (let n = 0; n < 300; n++) again.logger.info('after', { n, text: 'x'.repeat(8_000) });
  again.logger.info('the last one', { n: 300 });
  await until(() => existsSync(json_log_file));
  await again.close();
  assert.ok(existsSync(json_log_file), 'a removed file is begun anew');
});

test('ring: holds the newest records, oldest first, and gives out snapshots', () => {
  for (const capacity of [1, 2, 5]) {
    const log = openLog({ memory_log_capacity: capacity }, { console: 'none' });
    const all: string[] = [];
    for (let n = 0; n < 12; n++) {
      const before = log.sinks.recent();
      assert.equal(messages(before), all.slice(-capacity));
      log.logger.info(`${n}`);
      all.push(`${n}`);
      assert.equal(
        messages(before),
        all.slice(0, -1).slice(-capacity),
        'a snapshot stays as it is',
      );
    }
  }
});

test('ring: capacity 0 turns it off', () => {
  const log = openLog({ memory_log_capacity: 0 }, { console: 'none' });
  log.logger.error('a');
  assert.equal(log.sinks.recent(), []);
  assert.not(log.logger.enabled('error'), 'and nothing is made for it');
});

test('streams: each has its own filter, gets only new records, and ends when removed', () => {
  const log = openLog({ memory_log_capacity: 9, log_filter: 'info' }, { console: 'none' });
  const [first, second]: [string[], string[]] = [[], []];
  log.logger.info('early');
  const remove = log.sinks.stream('debug', ({ message }) => first.push(message));
  log.logger.debug('a');
  log.sinks.stream('kv=trace', ({ message }) => second.push(message));
  log.logger.target('kv').trace('b');
  log.logger.target('kv').debug('c');
  remove();
  remove();
  log.logger.target('kv').info('d');
  assert.equal(first, ['a', 'c']);
  assert.equal(second, ['b', 'c', 'd']);
  assert.equal(messages(log.sinks.recent()), ['early', 'd'], 'other sinks keep their filter');
});

test('streams: a listener that logs gets none of its own records back, others do', () => {
  const log = openLog({ memory_log_capacity: 99 }, { console: 'none' });
  const [loud, quiet]: [string[], string[]] = [[], []];
  log.sinks.stream('trace', ({ message }) => {
    loud.push(message);
    log.logger.target('ws').trace(`sent ${message}`);
  });
  log.sinks.stream('trace', ({ message }) => quiet.push(message));
  log.logger.info('a');
  log.logger.info('b');
  assert.equal(loud, ['a', 'b']);
  assert.equal(quiet.toSorted(), ['a', 'b', 'sent a', 'sent b']);
});

test('streams: two listeners that both log do not keep each other busy', () => {
  const log = openLog({ memory_log_capacity: 99 }, { console: 'none' });
  const counts = [0, 0];
  for (const own of [0, 1]) {
    log.sinks.stream('trace', () => {
      counts[own]!++;
      log.logger.trace('again');
    });
  }
  log.logger.info('a');
  assert.ok(counts[0]! <= 3 && counts[1]! <= 3, counts.join());
});

test('streams: a listener that throws is removed and told, the others go on', () => {
  const log = openLog({ memory_log_capacity: 9 }, { console: 'none' });
  const seen: string[] = [];
  log.sinks.stream('info', () => {
    throw new Error('gone');
  });
  log.sinks.stream('info', ({ message }) => seen.push(message));
  log.logger.info('a');
  log.logger.info('b');
  assert.equal(
    seen.filter((message) => message.length === 1),
    ['a', 'b'],
  );
  const told = log.sinks.recent().filter(({ level }) => level === 'WARN');
  assert.equal(
    told.map(({ fields }) => fields),
    [{ error: 'gone' }],
  );
});

test('enabled follows the filters and the streams of the moment, per target', () => {
  const log = openLog({ memory_log_capacity: 9, log_filter: 'warn,kv=debug' }, { console: 'none' });
  const kv = log.logger.target('kv').span({ name: 's' });
  const enabled = (logger = log.logger) =>
    LEVELS.filter((level) => logger.enabled(level)).join(' ');
  assert.is(enabled(), upTo('warn'));
  assert.is(enabled(kv), upTo('debug'));
  const removeFirst = log.sinks.stream('server=trace', () => {});
  assert.is(enabled(), upTo('trace'));
  assert.is(enabled(kv), upTo('debug'));
  const removeSecond = log.sinks.stream('info', () => {});
  removeFirst();
  assert.is(enabled(), upTo('info'));
  removeSecond();
  assert.is(enabled(), upTo('warn'));
});

/** Runs a module text in a process of its own, with `log`, a console at `info`, at hand. */
function run(dir: string, body: string): ChildProcessByStdio<null, Readable, Readable> {
  const index = resolve(import.meta.dirname, '../../server/src/log/index.ts');
  const file = join(dir, 'child.ts');
  writeFileSync(
    file,
    `import { openLog } from ${JSON.stringify(index)};
     (async () => { const log = openLog({ memory_log_capacity: 1 }); ${body} })();`,
  );
  const node = [file];
  const cwd = resolve(import.meta.dirname, '../..');
  return spawn(process.execPath, node, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
    timeout: 90_000,
    killSignal: 'SIGKILL',
  });
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

const exitOf = (child: ReturnType<typeof run>) =>
  new Promise<number | null>((done) => child.once('close', (code) => done(code)));

test('console: plain lines stand in order with the records, without colours on a pipe', async ({
  dir,
}) => {
  const child = run(
    dir,
    `log.logger.info('first'); log.print('Super Token: k:s'); log.logger.info('second');
     await log.close(); process.stdout.write('last\\n');`,
  );
  const [text, code] = await Promise.all([textOf(child.stdout), exitOf(child)]);
  assert.is(code, 0);
  const lines = text.split('\n');
  assert.match(lines[0]!, /^\d{4}-\d\d-\d\d \S+ {2}INFO server: first$/);
  assert.is(lines[1], 'Super Token: k:s');
  assert.match(lines[2]!, / INFO server: second$/);
  assert.equal(lines.slice(3), ['last', '']);
});

test('console: what was logged before process.exit is not lost', async ({ dir }) => {
  const child = run(
    dir,
    `for (let n = 0; n < 1000; n++) log.logger.info('line', { n }); process.exit(3);`,
  );
  const [text, code] = await Promise.all([textOf(child.stdout), exitOf(child)]);
  assert.is(code, 3);
  assert.is(text.trimEnd().split('\n').length, 1000);
  assert.match(text, / line n=999\n$/);
});

test('console: a reader that has gone does not end the process', async ({ dir }) => {
  const child = run(
    dir,
    `for (let n = 0; n < 50; n++) { log.logger.info('x'.repeat(4000)); await new Promise((r) => setTimeout(r, 5)); }
     await log.close(); process.exit(7);`,
  );
  child.stdout.destroy();
  const [complaints, code] = await Promise.all([textOf(child.stderr), exitOf(child)]);
  assert.is(code, 7, complaints);
});

test('console: a reader that stands still blocks neither the event loop nor memory, and drops are told', async ({
  dir,
}) => {
  const child = run(
    dir,
    `let ticks = 0; setInterval(() => ticks++, 1).unref();
     const big = 'x'.repeat(8000);
     for (let n = 0; n < 30; n++) {
       for (let i = 0; i < 30; i++) log.logger.info(big);
       await new Promise((r) => setTimeout(r, 2));
     }
     process.stderr.write('ticks ' + (ticks > 15) + '\\n');
     const alive = setInterval(() => {}, 1000);
     await new Promise((r) => process.once('SIGUSR2', r));
     clearInterval(alive);
     log.logger.info('end'); log.close();`,
  );
  // 7 MB are logged, 4 MB may wait.
  let complaints = '';
  const told = (text: string) =>
    new Promise<void>((done, fail) => {
      child.stderr.on('data', () => complaints.includes(text) && done());
      child.once('exit', () => fail(new Error(`ended before it told "${text}": ${complaints}`)));
    });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  await told('ticks');
  const [dropsTold, ended] = [told('dropped'), exitOf(child)];
  const reading = textOf(child.stdout);
  await dropsTold;
  child.kill('SIGUSR2');
  const lines = (await reading).trimEnd().split('\n');
  await ended;
  assert.match(complaints, /^ticks true\n/);
  const dropped = Number(/^(\d+) log lines to standard output were dropped/m.exec(complaints)?.[1]);
  const whole = lines.filter((line) => line.endsWith('x'.repeat(8000))).length;
  assert.is(whole + dropped, 900, complaints);
  assert.match(lines.at(-1)!, / INFO server: end$/);
});

test('console: a reader that stands still does not keep the process from ending', async ({
  dir,
}) => {
  const child = run(
    dir,
    `for (let i = 0; i < 300; i++) log.logger.info('x'.repeat(8000));
     await log.close(); process.exit(5);`,
  );
  const exit = new Promise((done) => child.once('exit', done));
  const complaints = textOf(child.stderr);
  assert.is(await exit, 5);
  assert.match(await complaints, /the last log lines to standard output are lost/);
  child.stdout.destroy();
});

test.run();
