/** Streams are asked again after each change of rights, at whatever moment it comes. */
import { setImmediate } from 'node:timers/promises';
import type { Logger, Principal } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { Holds } from '../../kernel/src/rpc/holds.ts';
import { suite } from '../runner/suite.ts';

const test = suite('holds');
const rights = [{ scopes: [], permissions: [], denied: '' }];

test('a right that goes while the streams are asked, or right after it, ends its stream', async () => {
  for (let turns = 0; turns < 12; turns++) {
    let isRight = true;
    let taking = async () => {
      taking = async () => {};
      for (let turn = 0; turn < turns; turn++) await undefined;
      isRight = false;
      holds.changed('key');
    };
    const holds = new Holds(() => {
      void taking();
      return isRight;
    }, {} as Logger);
    const caller: Principal = { id: 'key', super: false, ended: new AbortController().signal };
    const { ended } = holds.hold(caller, rights);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.ok(ended.aborted, `${turns} microtasks after the question`);
  }
});

test('streams with questions of their own, which may take long, keep no other one waiting', async () => {
  const caller: Principal = { id: 'key', super: false, ended: new AbortController().signal };
  let isRight = true;
  let answered = 0;
  const holds = new Holds(() => isRight, {} as Logger);
  const slow = async () => {
    await setImmediate();
    return ++answered > 0;
  };
  for (let stream = 0; stream < 50; stream++) holds.hold(caller, slow);
  const { ended } = holds.hold(caller, rights);
  while (answered < 50) await setImmediate();
  isRight = false;
  holds.changed('key');
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  assert.ok(ended.aborted, `${answered - 50} others were asked before`);
  while (answered < 100) await setImmediate();
  holds.changed('key');
  await setImmediate();
  isRight = false;
  const late = holds.hold(caller, rights).ended;
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  assert.ok(late.aborted, 'nor does one that comes while they are asked');
});

test.run();
