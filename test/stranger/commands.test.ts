/**
 * The commands of the first pages typed as they stand, in their order, by somebody who has nothing but a bare machine:
 * README, the first machine, and `npm test -- --fast`. Of what they print the credential and a UUID are put in.
 */
// proof only: 400
// watchdog: 2700
import { createServer } from 'node:net';
import * as assert from 'uvu/assert';
import { type Block, blocksOf } from '../documentation-kit.ts';
import { suite } from '../runner/suite.ts';
import { type Stranger, stranger } from './kit.ts';

const PAGES = ['README.md', 'docs/guide/first-machine.md'];
/** What `npm start` serves on. */
const PORT = 2211;

const suiteOf = suite<{ machine: Stranger }>('commands of the pages');
const missing = (await isFree(PORT)) ? undefined : `another program has port ${PORT}`;
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);
suiteOf.after.each(({ machine }) => machine?.remove());

async function isFree(port: number): Promise<boolean> {
  const trial = createServer();
  const free = new Promise<boolean>((done) => {
    trial.on('listening', () => done(true)).on('error', () => done(false));
  });
  trial.listen(port, '127.0.0.1');
  const answer = await free;
  trial.close();
  return answer;
}

const isTyped = ({ language, reason, text }: Block) =>
  language === 'sh' && reason === undefined && !text.includes('/etc/');

test('the commands of the pages run as they are typed', async (context) => {
  const machine = await stranger('24.21.0', ['curl']);
  context.machine = machine;
  const clone = await machine.clone('svc');
  const blocks = PAGES.flatMap(blocksOf).filter(isTyped);
  assert.is(blocks[0]?.text, 'npm start\n', 'README begins with it');
  const started = machine.begin(clone, 'npm start');
  const [, page = ''] = await started.printed(/^Open +(\S+)$/m);
  const [, token = ''] = await started.printed(/^Super Token: (\S+)$/m);
  assert.is((await fetch(page)).status, 200);
  const uuid = /agent_uuids=(\S+)/.exec(started.output())?.[1] ?? '';
  const filledIn = (text: string) =>
    text.replaceAll('KEY:SECRET', token).replaceAll('"UUID"', JSON.stringify(uuid));
  for (const { page, line, text } of blocks.filter(({ text }) => !/^npm start$/m.test(text))) {
    // What `login` asks for is typed, too.
    const said = await machine.type(clone, `set -e\n{\n${filledIn(text)}} <<END\n${token}\nEND\n`);
    assert.not.match(said, /"error":\{/, `${page}:${line}`);
  }
});

test('npm test -- --fast passes on a bare machine, and says what it left out', async (context) => {
  const machine = await stranger('24.21.0');
  context.machine = machine;
  const clone = await machine.clone('svc');
  const said = await machine.type(clone, 'npm test -- --fast');
  assert.match(said, /^[1-9]\d* passed, 0 failed/m);
  assert.match(said, /left out|--fast/);
});

suiteOf.run();
