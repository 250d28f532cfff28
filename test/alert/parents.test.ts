// Machines behind others (`metadata_parent`): scenario 41, a chain that leads back suppresses nothing.

import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { KnownMachines } from '../../plugins/alert/src/machines.ts';
import { suite } from '../runner/suite.ts';

const test = suite('alert: parents of machines');
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const;
const uuids = new Map(names.map((name) => [name, randomUUID()]));
const uuid = (name: string) => uuids.get(name as 'a') ?? name;

/** Parents that count, by name. */
async function parentsOf(given: Readonly<Record<string, string>>) {
  const values = {
    ofAgentsKeys: async () =>
      Object.entries(given).map(([of, parent]) => [uuid(of), 'metadata_parent', uuid(parent)]),
  };
  const machines = new KnownMachines({
    kernel: { signal: new AbortController().signal },
    registry: { list: () => [...uuids.values()].map((one) => ({ uuid: one })) },
    history: { addresses: async () => [] },
    hostNames: { of: async () => [...uuids.values()].map(() => null) },
    values,
  } as never);
  await machines.readFacts();
  return names.filter((name) => machines.parentOf(uuid(name)) !== undefined).join('');
}

for (const [says, given, expected] of [
  ['a parent counts', { a: 'b' }, 'a'],
  ['a chain of five counts', { a: 'b', b: 'c', c: 'd', d: 'e', e: 'f' }, 'abcde'],
  [
    'a machine with more than five before it has none',
    { a: 'b', b: 'c', c: 'd', d: 'e', e: 'f', f: 'g' },
    'bcdef',
  ],
  ['a machine that is its own parent has none', { a: 'a', b: 'c' }, 'b'],
  ['two that lead to each other have none', { a: 'b', b: 'a', c: 'd' }, 'c'],
  ['a machine before a circle has none either', { a: 'b', b: 'c', c: 'b' }, ''],
] as const)
  test(says, async () => assert.is(await parentsOf(given), expected));

test.run();
