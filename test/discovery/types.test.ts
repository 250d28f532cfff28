/** What `svc-server types` prints: types of this server's methods, third-party ones included. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { App } from '@svc/kernel';
import type { Command } from '@svc/plugin-sdk';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { weather } from './kit.ts';

const test = suite('discovery: types');
const TSC = resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

async function typesOf(plugins: Parameters<typeof bootForTest>[0]): Promise<string> {
  const app = await bootForTest(plugins);
  const commands: Command[] = [];
  const { hooks, kernelOf } = app.kernel as App;
  hooks.commands.run(() => ({ add: (command) => void commands.push(command) }));
  const lines: string[] = [];
  const types = commands.find(({ name }) => name === 'types')!;
  const terminal = {
    print: (line: string) => void lines.push(line),
    progress: () => {},
    ask: async () => undefined,
  };
  await types.run(kernelOf('discovery')!, terminal, { words: [], values: {} });
  await app.stop();
  return lines.join('\n');
}

test('the types of a third-party plugin are those of its schemas', async () => {
  const text = await typesOf(['discovery', weather]);
  const expected = `  /** Stations by agent. */
  'weather_list': {
    params: { agents: string[] };
    result: { [name: string]: [number, 'north'] };
  };
  /** The newest measurement of a station. */
  'weather_read': {
    params: {
      /** Name of the place. */
      station: string;
      unit?: 'celsius' | 'kelvin' | null;
    };
    result: { celsius: number; seen: number };
  };
}

/** Streams: what the parameters hold beside the credential, and one item. */
export interface Subscriptions {
  /** Measurements as they come. */
  'weather_follow': {
    params: {};
    item: number | null;
  };
}
`;
  assert.ok(`${text}\n`.includes(expected), text);
});

test('the types of all built-in methods compile, and refuse a misspelt field of a summary', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-types-'));
  await writeFile(join(dir, 'server.d.ts'), await typesOf(undefined));
  const use = `
import type { Methods } from './server.d.ts';
type Summary = Methods['agent_query_dynamic_summary'];
export const right: Summary['params'] = { query: { fields: ['cpu_usage'], condition: ['last'] } };
export const cpu = (rows: Summary['result']): number | null | undefined => rows[0]?.cpu_usage;
// @ts-expect-error there is no such field
export const wrong: Summary['params'] = { query: { fields: ['cpu_usags'], condition: [] } };
`;
  await writeFile(join(dir, 'use.ts'), use);
  const options = '--noEmit --strict --skipLibCheck false --module nodenext --target es2022';
  const args = [TSC, ...options.split(' '), '--allowImportingTsExtensions', 'use.ts'];
  const output = await promisify(execFile)(process.execPath, args, { cwd: dir }).then(
    () => '',
    (error) => String(error.stdout),
  );
  await rm(dir, { recursive: true, force: true });
  assert.is(output, '');
});

test.run();
