/** The neutral word is rewritten where it is an identifier, and nowhere else (configuration.md §10). */

import * as assert from 'uvu/assert';
import { makeBrand } from '../../kernel/src/brand.ts';
import { parseConfig } from '../../server/src/config/load.ts';
import { suite } from '../runner/suite.ts';
import { refusal, textWith } from './config-kit.ts';

const test = suite('brand');

const config = { permission: 'acme', salt: 'ACME', title: 'Acme', peer_header: 'x-peer' };

/** [neutral text, text under the word `acme`] */
const rows: [neutral: string, branded: string][] = [
  ['svc-server_hello', 'acme-server_hello'],
  ['svc-server_unsubscribe_stream_log', 'acme-server_unsubscribe_stream_log'],
  ['svc-server', 'acme-server'],
  ['svc-server::hello', 'acme-server::hello'],
  ['run svc-server init -c FILE', 'run acme-server init -c FILE'],
  ['/svc/rpc', '/acme/rpc'],
  ['/svc', '/acme'],
  ['/svc/static/:name/*path', '/acme/static/:name/*path'],
  ['/svc/worker-route/svc/x', '/acme/worker-route/svc/x'],
  ['POST /svc/rpc', 'POST /acme/rpc'],
  ['__svc_namespace_marker__', '__acme_namespace_marker__'],
  ['svc', 'acme'],
  ['svcLog', 'acmeLog'],
  ['svc-server_hello and svc-server_uuid', 'acme-server_hello and acme-server_uuid'],
];

const unchanged = [
  'kv_get_value',
  'agent-uuid_list_all',
  '/worker-route/svc',
  '/data/svc/rpc',
  '/svcs/rpc',
  '/terminal',
  'my-svc-server_hello',
  'svc-servers_hello',
  'svc-server-x',
  'svclog',
  'svcLogs',
  'a svc b',
  'X__svc_namespace_marker__',
  '__svc_namespace_marker__s',
  '',
];

const acme = makeBrand({ word: 'acme', ...config });
const neutral = makeBrand({ word: 'svc', ...config });

for (const [text, branded] of rows) {
  test(`rewrites ${text}`, () => {
    assert.is(acme.rewrite(text), branded);
    assert.is(neutral.rewrite(text), text);
  });
}

for (const text of unchanged) {
  test(`leaves ${JSON.stringify(text)} alone`, () => assert.is(acme.rewrite(text), text));
}

const told: [key: string, value: string, says: string][] = [
  ['word', '../x', '1 to 32 letters (A-Z, a-z), digits and `_`, no digit first;'],
  ['permission', '../x', '1 to 32 letters (A-Z, a-z), digits, `_` and `-`, a letter or `_` first;'],
  ['peer_header', 'a b', 'The name of a header: letters (A-Z, a-z), digits and `-`;'],
];
for (const [key, value, says] of told) {
  test(`a ${key} of other characters is refused with the ones to write`, () => {
    const message = refusal(() => parseConfig(textWith({ brand: [`${key} = "${value}"`] })));
    assert.ok(message.startsWith(`[brand] ${key}: must be: ${says}`), message);
  });
}

test('the record carries the other identifiers as configured', () => {
  const { rewrite: _, ...rest } = acme;
  assert.equal(rest, { word: 'acme', ...config });
});

test.run();
