// task.md §2.2: properties of the normal form, and of text that a database must be able to hold.
import { normaliseTaskType, type TaskType } from '@svc/plugin-task/api';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { isStorable, storable, storableText } from '../../plugins/task/src/storable.ts';
import { suite } from '../runner/suite.ts';

const test = suite('task: forms');

/** Any UTF-16 code units: zeros, backslashes, quotes and halves of pairs among them. */
const unit = fc.oneof(
  fc.constantFrom('\0', '\\', '"', 'u0000', '\ud83d', '\ude00', '\ud83d\ude00', '\\u0000', 'd'),
  fc.string({ maxLength: 3 }),
);
const text = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''));

/** The chapter's rule, character by character. */
const replaced = (given: string): string =>
  [...given]
    .map((char) => (char === '\0' || /^[\ud800-\udfff]$/.test(char) ? '\ufffd' : char))
    .join('');

test('storable text is the given one with U+FFFD for U+0000 and lone halves', () => {
  fc.assert(
    fc.property(text, (given) => {
      assert.is(storableText(given), replaced(given));
      assert.equal(JSON.parse(storable(JSON.stringify({ [given]: [given] }))), {
        [replaced(given)]: [replaced(given)],
      });
      assert.is(isStorable(JSON.stringify(given)), replaced(given) === given);
    }),
    { numRuns: 2_000 },
  );
});

const url = fc.webUrl({ withQueryParameters: true, withFragments: true });
const orNull = fc.option(text);
const task: fc.Arbitrary<TaskType> = fc.oneof(
  fc.constantFrom<TaskType>('ip', 'version', 'read_config', { ip: null }, { version: null }),
  text.map((ping) => ({ ping })),
  url.map((http_ping) => ({ http_ping })),
  fc
    .record({ url, method: text, headers: fc.dictionary(text, text), body: orNull, ip: orNull })
    .map((http_request) => ({ http_request })),
  fc
    .record({ domain: text, record_types: fc.array(fc.constantFrom('a', 'mx', 'caa')) })
    .map((dns) => ({ dns }) as TaskType),
  fc.record({ cmd: text, args: fc.array(text) }).map((execute) => ({ execute })),
  fc
    .record({ url, terminal_id: fc.uuid().map((id) => id.toUpperCase()) })
    .map((web_shell) => ({ web_shell })),
);

test('the normal form of a normal form is itself, and says the same in both members', () => {
  fc.assert(
    fc.property(task, (given) => {
      const normal = normaliseTaskType(given);
      assert.equal(JSON.parse(normal.text), JSON.parse(JSON.stringify(normal.value)));
      const again = normaliseTaskType(normal.value as TaskType);
      assert.is(again.text, normal.text);
      assert.is(again.name, typeof given === 'string' ? given : Object.keys(given)[0]);
    }),
    { numRuns: 1_000 },
  );
});

test.run();
