/** What people write to have something watched: one table for `svc monitors add` and the dashboard's field. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTarget, type TargetKind } from '@svc/client/target';
import * as assert from 'uvu/assert';
import { guess } from '../../plugins/dashboard/web/pages/monitors/editor/guess.ts';
import { root } from '../documentation-kit.ts';
import { suite } from '../runner/suite.ts';

const test = suite('targets of monitors');

const http = (url: string) => ['http', { url }] as const;
const tcp = (host: string, port: number) => ['tcp', { host, port }] as const;
const ping = (host: string) => ['ping', { host }] as const;

const read: [text: string, means: readonly [TargetKind, object], name: string][] = [
  ['https://shop.example.net/a?b=1', http('https://shop.example.net/a?b=1'), 'shop.example.net/a'],
  ['HTTP://www.example.net:8080/', http('HTTP://www.example.net:8080/'), 'example.net:8080'],
  ['https://[::1]:8443', http('https://[::1]:8443'), '[::1]:8443'],
  ['shop.example.net/health', http('https://shop.example.net/health'), 'shop.example.net/health'],
  ['[::1]:8443/a', http('https://[::1]:8443/a'), '[::1]:8443/a'],
  ['db.example.net:5432', tcp('db.example.net', 5432), 'db.example.net:5432'],
  ['db:5432', tcp('db', 5432), 'db:5432'],
  ['[2001:db8::1]:22', tcp('2001:db8::1', 22), '[2001:db8::1]:22'],
  ['tcp:db.example.net:65535', tcp('db.example.net', 65535), 'db.example.net:65535'],
  ['2001:db8::1', ping('2001:db8::1'), '2001:db8::1'],
  ['[2001:db8::1]', ping('2001:db8::1'), '2001:db8::1'],
  ['db.example.net', ping('db.example.net'), 'db.example.net'],
  [' 192.0.2.1 ', ping('192.0.2.1'), '192.0.2.1'],
  ['ping:db.example.net', ping('db.example.net'), 'db.example.net'],
  ['PING:group', ping('group'), 'group'],
  ['tls:mail:993', ['tls', { host: 'mail', port: 993 }], 'mail:993'],
  ['tls://mail.example.net', ['tls', { host: 'mail.example.net' }], 'mail.example.net'],
  ['dns:_dmarc.example.net', ['dns', { name: '_dmarc.example.net' }], '_dmarc.example.net'],
  ['domain:www.example.net', ['domain', { name: 'example.net' }], 'example.net'],
];
for (const [text, [kind, spec], name] of read)
  test(`'${text}' is checked by ${kind}`, () => {
    assert.equal(readTarget(text), { kind, spec, name });
    assert.equal(guess(text), { kind, spec, name });
  });

const refused: [text: string, fault: string, part: string][] = [
  ['', 'unfinished', ''],
  ['https://', 'unfinished', 'https://'],
  ['tls:', 'unfinished', ''],
  ['db:', 'unfinished', 'db:'],
  ['localhost:99999', 'port', '99999'],
  ['localhost:0', 'port', '0'],
  ['localhost:abc', 'port', 'abc'],
  ['https://localhost:99999/a', 'port', '99999'],
  ['tls:mail.example.net:99999', 'port', '99999'],
  ['tcp:example.net', 'port_missing', 'tcp:example.net'],
  ['ping:db:5432', 'host_only', 'ping'],
  ['tls:mail.example.net/a', 'host_only', 'tls'],
  ['ftp://x/y', 'scheme', 'ftp'],
  ['mailto:ada@example.net', 'scheme', 'mailto'],
  ['smtp:mail.example.net:25', 'scheme', 'smtp'],
  ['http:example.net', 'scheme', 'http'],
  ['two words', 'host', 'two words'],
  ['https://two words', 'host', 'two words'],
  ['ada@example.net', 'host', 'ada@example.net'],
  ['[::1', 'host', '[::1'],
  ['999.1.1.1', 'host', '999.1.1.1'],
  ['db:80:80', 'port', '80:80'],
  ['group:x', 'not_checked', 'group'],
  ['heartbeat', 'not_checked', 'heartbeat'],
];
for (const [text, fault, part] of refused)
  test(`'${text}' is not read: ${fault}`, () => assert.equal(readTarget(text), { fault, part }));

const page = 'https://www.example.net/health';
const chosen: [text: string, means: readonly [TargetKind, object]][] = [
  [page, tcp('www.example.net', 443)],
  ['http://db/', tcp('db', 80)],
  [page, ['tls', { host: 'www.example.net' }]],
  [page, ping('www.example.net')],
  [page, ['dns', { name: 'www.example.net' }]],
  [page, ['domain', { name: 'example.net' }]],
  ['example.net', http('https://example.net')],
  ['::1', http('https://[::1]')],
  ['tls:mail.example.net:993', ping('mail.example.net')],
  ['tcp:example.net', tcp('example.net', 443)],
];
for (const [text, [kind, spec]] of chosen)
  test(`'${text}' is read for the kind ${kind} once people choose that`, () => {
    const found = readTarget(text, kind);
    assert.equal('spec' in found && [found.kind, found.spec], [kind, spec]);
  });

test('every line of the table of the guide means what it says', () => {
  const kinds: Record<string, TargetKind> = {
    ...{ page: 'http', port: 'tcp', host: 'ping', certificate: 'tls', name: 'dns' },
    registry: 'domain',
  };
  const guide = readFileSync(join(root, 'docs/guide/monitors.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| (`.+`) +\| the (\w+): /gm)];
  assert.is(rows.length, 6);
  for (const [, texts = '', word = ''] of rows)
    for (const [, text = ''] of texts.matchAll(/`([^`]+)`/g)) {
      const found = readTarget(text);
      assert.is('kind' in found && found.kind, kinds[word], text);
    }
});

test.run();
