// static-http.md §B6, §B7, RFC 4918 §4, §9.1, §9.2, RFC 4331: properties that live, and those that are only kept.
import { randomUUID } from 'node:crypto';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '@svc/kernel';
import { start } from '@svc/server';
import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { BadXml, parseXml } from '../../plugins/static-webdav/src/xml/parse.ts';
import { elementText } from '../../plugins/static-webdav/src/xml/write.ts';
import { suite } from '../runner/suite.ts';
import { rawRequest } from './static-kit.ts';
import { eventually } from './token-kit.ts';
import {
  type DavServer,
  davServer,
  type Headers,
  multistatus,
  PLUGINS,
  propfindBody,
  ROOT,
  send,
} from './webdav-kit.ts';

const at = (path: string) => `${ROOT}/b/${path}`;
const DAV = '{DAV:}';
const MS = '{urn:schemas-microsoft-com:}';
const MICROSOFT = { 'user-agent': 'Microsoft-WebDAV-MiniRedir/10.0' };
/** A namespace. */
const LONG = 'u'.repeat(2_000);
const LIVE = [
  'creationdate',
  'getcontentlength',
  'getcontenttype',
  'getetag',
  'getlastmodified',
  'lockdiscovery',
  'resourcetype',
  'supportedlock',
].map((name) => DAV + name);

const update = (inner: string) =>
  `<?xml version="1.0" encoding="utf-8"?><D:propertyupdate xmlns:D="DAV:" xmlns:x="urn:x" xmlns:Z="urn:schemas-microsoft-com:">${inner}</D:propertyupdate>`;
const set = (inner: string) => `<D:set><D:prop>${inner}</D:prop></D:set>`;
const remove = (inner: string) => `<D:remove><D:prop>${inner}</D:prop></D:remove>`;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`static-webdav properties (${dialect})`);
  let server: DavServer;

  test.before(async () => {
    server = await davServer({ dialect, clock: true });
  });
  test.after(() => server.app.stop());
  test.before.each(async () => {
    await server.renew();
    await server.put('a.txt', 'content of a');
    await server.put('d/inner.html', 'inner');
    await server.put('d/e/deep.txt', 'deep');
  });

  const find = async (path: string, headers: Headers, body?: string) => {
    const answer = await server.dav('PROPFIND', path, headers, body);
    assert.is(answer.status, 207, `${path}: ${answer.status}`);
    return multistatus(answer.text);
  };
  const patch = (path: string, inner: string) => server.dav('PROPPATCH', path, {}, update(inner));
  /** Statuses by name of one PROPPATCH. */
  const outcome = async (path: string, inner: string) => {
    const answer = await patch(path, inner);
    assert.is(answer.status, 207, `${answer.status} ${inner}`);
    const [only] = multistatus(answer.text);
    return Object.fromEntries(
      Object.entries(only!.properties).map(([name, { status }]) => [name, status]),
    );
  };
  const kept = async (path: string) => {
    const [only] = await find(path, { depth: '0' }, propfindBody('<x:colour xmlns:x="urn:x"/>'));
    const { status, text } = only!.properties['{urn:x}colour']!;
    return status === 200 ? text : status;
  };
  const rows = async () =>
    (await server.rows('static_webdav_property')).map(({ path }) => path).sort();

  test('Depth 0 and 1: which resources, and how they are spelled', async () => {
    await server.put('d/ü & <b>.txt', 'x');
    await server.put("d/(a)'b*c!.txt", 'x');
    await symlink('inner.html', server.disk('d/link'));
    await server.put('d/.upload-0123456789abcdef.part', 'unfinished');
    await writeFile(Buffer.concat([Buffer.from(server.disk('d/')), Buffer.from([0xff])]), 'x');
    await server.put('d/back\\slash', 'x');
    const expected = [
      at('d/'),
      at('d/%28a%29%27b%2Ac%21.txt'),
      at('d/%C3%BC%20%26%20%3Cb%3E.txt'),
      at('d/e/'),
      at('d/inner.html'),
    ];
    const hrefs = async (path: string, headers: Headers) =>
      (await find(path, headers)).map(({ href }) => href).sort();
    assert.equal(await hrefs('d/', { depth: '1' }), expected);
    assert.equal(await hrefs('d', {}), expected, 'no Depth');
    assert.equal(await hrefs('d', { depth: '2' }), expected, 'a Depth that is none');
    assert.equal(await hrefs('d', { depth: '0' }), [at('d/')]);
    assert.equal(await hrefs('a.txt', { depth: '1' }), [at('a.txt')]);
    assert.equal(await hrefs(`${ROOT}/b`, { depth: '1' }), [at(''), at('a.txt'), at('d/')]);
    const { headers } = await server.dav('PROPFIND', 'd', { depth: '1' });
    assert.equal(
      [headers['content-location'], headers['cache-control'], headers['pragma']],
      [at('d/'), 'no-cache', 'no-cache'],
    );
    assert.is(headers['content-type'], 'application/xml; charset=utf-8');
    const slash = await server.dav('PROPFIND', 'd/', { depth: '0' });
    assert.is(slash.headers['content-location'], undefined);
    for (const href of expected) {
      const again = await find(href, { depth: '0' });
      assert.equal(
        again.map((one) => one.href),
        [href],
        'every href leads back',
      );
    }
  });

  test('Depth infinity is refused as the standard says', async () => {
    for (const depth of ['infinity', 'Infinity']) {
      const answer = await server.dav('PROPFIND', 'd', { depth });
      assert.is(answer.status, 403);
      assert.match(answer.text, /<D:error xmlns:D="DAV:"><D:propfind-finite-depth\/><\/D:error>$/);
    }
  });

  test('a missing bucket directory is an empty collection; a missing path is 404', async () => {
    await rm(server.disk(), { recursive: true });
    assert.equal(
      (await find('', { depth: '1' })).map(({ href }) => href),
      [at('')],
    );
    assert.is((await server.dav('PROPFIND', 'none', { depth: '0' })).status, 404);
  });

  test('all properties: the live ones with their values', async () => {
    await utimes(server.disk('a.txt'), 1_790_000_000, 1_790_000_000);
    for (const body of [undefined, '<propfind xmlns="DAV:"><allprop/></propfind>']) {
      const [file] = await find('a.txt', { depth: '0' }, body);
      assert.equal(Object.keys(file!.properties).sort(), LIVE);
      const value = (name: string) => file!.properties[DAV + name]!.text;
      assert.is(value('getcontentlength'), '12');
      assert.is(value('getcontenttype'), 'text/plain');
      assert.is(value('getlastmodified'), new Date(1_790_000_000_000).toUTCString());
      assert.match(value('creationdate'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.is(value('getetag'), (await server.dav('HEAD', 'a.txt')).headers['etag']);
      assert.equal(file!.properties[`${DAV}resourcetype`]!.children, []);
      const [folder] = await find('d', { depth: '0' }, body);
      assert.equal(
        Object.keys(folder!.properties).sort(),
        LIVE.filter((name) => name !== `${DAV}getcontentlength`),
      );
      assert.equal(folder!.properties[`${DAV}resourcetype`]!.children, [`${DAV}collection`]);
      assert.is(folder!.properties[`${DAV}getcontenttype`]!.text, 'httpd/unix-directory');
    }
    const [windows] = await find('a.txt', { depth: '0', ...MICROSOFT });
    assert.is(windows!.properties[`${MS}Win32FileAttributes`]!.text, '00000020');
    assert.is(Object.keys(windows!.properties).length, LIVE.length + 4);
  });

  test('named properties: found ones with 200, the others with 404', async () => {
    await server.put('.hidden', 'x');
    await chmod(server.disk('a.txt'), 0o755);
    const names = [
      '<D:getcontentlength/>',
      '<D:displayname/>',
      '<D:quota-available-bytes/>',
      '<D:quota-used-bytes/>',
      '<A:executable xmlns:A="http://apache.org/dav/props/"/>',
      '<Z:Win32FileAttributes xmlns:Z="urn:schemas-microsoft-com:"/>',
      '<Z:Win32CreationTime xmlns:Z="urn:schemas-microsoft-com:"/>',
      '<unknown xmlns="urn:x"/>',
      '<none xmlns=""/>',
    ];
    const body = propfindBody(...names, names[0]!);
    const read = async (path: string) => {
      const [only] = await find(path, { depth: '0' }, body);
      assert.is(Object.keys(only!.properties).length, names.length, 'each once');
      return (name: string) => {
        const { status, text } = only!.properties[name]!;
        return status === 200 ? text : status;
      };
    };
    const file = await read('a.txt');
    assert.is(file(`${DAV}getcontentlength`), '12');
    assert.is(file(`${DAV}displayname`), 404);
    assert.is(file(`${DAV}quota-used-bytes`), 404);
    assert.is(file('{http://apache.org/dav/props/}executable'), 'T');
    assert.is(file(`${MS}Win32FileAttributes`), '00000020');
    assert.match(String(file(`${MS}Win32CreationTime`)), / GMT$/);
    assert.is(file('{urn:x}unknown'), 404);
    assert.is(file('{}none'), 404);
    assert.is((await read('.hidden'))(`${MS}Win32FileAttributes`), '00000022');
    const folder = await read('d');
    assert.is(folder(`${DAV}getcontentlength`), 404);
    assert.is(folder('{http://apache.org/dav/props/}executable'), 404);
    assert.is(folder(`${MS}Win32FileAttributes`), '00000010');
    assert.ok(Number(folder(`${DAV}quota-available-bytes`)) > 0);
    assert.ok(Number(folder(`${DAV}quota-used-bytes`)) > 0);
  });

  test('propname names what is there, without values; include adds to all', async () => {
    await patch('a.txt', set('<x:colour>blue</x:colour>'));
    const [names] = await find(
      'a.txt',
      { depth: '0' },
      '<propfind xmlns="DAV:"><propname/></propfind>',
    );
    assert.equal(Object.keys(names!.properties).sort(), [...LIVE, '{urn:x}colour']);
    assert.ok(Object.values(names!.properties).every(({ text }) => text === ''));
    const body =
      '<propfind xmlns="DAV:"><allprop/><include><quota-used-bytes/><supportedlock/></include></propfind>';
    const [all] = await find('d', { depth: '0' }, body);
    assert.is(all!.properties[`${DAV}quota-used-bytes`]!.status, 200);
  });

  const malformed: [name: string, body: string | Buffer][] = [
    ['no XML', 'nonsense'],
    ['cut short', '<D:propfind xmlns:D="DAV:"><D:allprop/>'],
    ['two roots', '<a/><b/>'],
    ['unbound prefix', '<D:propfind><D:allprop/></D:propfind>'],
    [
      'prefix bound to nothing',
      '<D:propfind xmlns:D="DAV:"><D:prop><x:y xmlns:x=""/></D:prop></D:propfind>',
    ],
    ['DOCTYPE', '<!DOCTYPE a><propfind xmlns="DAV:"><allprop/></propfind>'],
    [
      'entities',
      '<!DOCTYPE a [<!ENTITY b "c">]><propfind xmlns="DAV:"><prop><x>&b;</x></prop></propfind>',
    ],
    [
      'external entity',
      '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><propfind xmlns="DAV:"><prop><x>&b;</x></prop></propfind>',
    ],
    ['unknown entity', '<propfind xmlns="DAV:"><prop><x>&b;</x></prop></propfind>'],
    [
      'too deep',
      `<propfind xmlns="DAV:"><prop>${'<x>'.repeat(70)}${'</x>'.repeat(70)}</prop></propfind>`,
    ],
    ['no UTF-8', Buffer.from([0x3c, 0x61, 0xff, 0x2f, 0x3e])],
    ['control character', '<propfind xmlns="DAV:"><prop><x>\u0001</x></prop></propfind>'],
    ['duplicate attribute', '<propfind xmlns="DAV:" a="1" a="2"><allprop/></propfind>'],
    ['another root', '<propertyup xmlns="DAV:"><allprop/></propertyup>'],
    ['another namespace', '<propfind xmlns="urn:x"><allprop/></propfind>'],
    ['nothing asked', '<propfind xmlns="DAV:"/>'],
    [
      'too many names',
      `<propfind xmlns="DAV:"><prop>${Array.from({ length: 501 }, (_, n) => `<a${n}/>`).join('')}</prop></propfind>`,
    ],
    ['two questions', '<propfind xmlns="DAV:"><allprop/><propname/></propfind>'],
  ];
  test('bodies that are no request are 400, for every method that has one', async () => {
    for (const [name, body] of malformed) {
      for (const method of ['PROPFIND', 'PROPPATCH', 'LOCK'])
        assert.is(
          (await server.dav(method, 'a.txt', { depth: '0' }, body)).status,
          400,
          `${method} ${name}`,
        );
    }
    const none = await server.dav('PROPPATCH', 'a.txt');
    assert.is(none.status, 400);
    assert.is((await patch('a.txt', '')).status, 400);
    assert.is((await patch('a.txt', set(''))).status, 400);
    assert.equal(await rows(), []);
  });

  test('UTF-16 with a byte order mark is read as well', async () => {
    const text =
      '\ufeff<?xml version="1.0"?><propfind xmlns="DAV:"><prop><getetag/></prop></propfind>';
    const little = Buffer.from(text, 'utf16le');
    for (const body of [little, Buffer.from(little).swap16()]) {
      const answer = await server.dav('PROPFIND', 'a.txt', { depth: '0' }, body);
      assert.equal(Object.keys(multistatus(answer.text)[0]!.properties), [`${DAV}getetag`]);
    }
  });

  test('dead properties are kept as they were given, whatever is in them', async () => {
    const values: [name: string, element: string, expected: string][] = [
      ['{urn:x}text', '<x:text>a &amp; b &lt; c</x:text>', 'a & b < c'],
      ['{urn:x}empty', '<x:empty/>', ''],
      ['{urn:x}cdata', '<x:cdata><![CDATA[<raw> & ]]></x:cdata>', '<raw> & '],
      ['{urn:x}space', '<x:space>  \n\ttwo  </x:space>', '  \n\ttwo  '],
      ['{urn:x}emoji', '<x:emoji>😀 ü 日本</x:emoji>', '😀 ü 日本'],
      ['{urn:x}ünï', '<x:ünï>name</x:ünï>', 'name'],
      ['{urn:y}other', '<other xmlns="urn:y">y</other>', 'y'],
      ['{}bare', '<bare xmlns="">no namespace</bare>', 'no namespace'],
      ['{urn:{braces}}n', '<n xmlns="urn:{braces}">b</n>', 'b'],
      [`{urn:${'long'.repeat(500)}}n`, `<n xmlns="urn:${'long'.repeat(500)}">l</n>`, 'l'],
    ];
    const statuses = await outcome('a.txt', set(values.map(([, element]) => element).join('')));
    assert.equal(statuses, Object.fromEntries(values.map(([name]) => [name, 200])));
    const [all] = await find('a.txt', { depth: '0' });
    for (const [name, , expected] of values)
      assert.equal(
        [all!.properties[name]?.status, all!.properties[name]?.text],
        [200, expected],
        name,
      );
    const nested =
      '<x:tree xml:lang="de" a="1" y:b="&quot;2&quot;" xmlns:y="urn:y"><y:c xmlns:unused="urn:q">t</y:c><d xmlns="urn:z"><x:e/></d></x:tree>';
    await patch('a.txt', set(nested));
    const { text } = await server.dav(
      'PROPFIND',
      'a.txt',
      { depth: '0' },
      propfindBody('<x:tree xmlns:x="urn:x"/>'),
    );
    for (const piece of ['xml:lang="de"', 'a="1"', 'y:b="&quot;2&quot;"', 'xmlns:unused="urn:q"'])
      assert.ok(text.includes(piece), `${piece} in ${text}`);
    assert.equal(multistatus(text)[0]!.properties['{urn:x}tree']!.children, [
      '{urn:y}c',
      '{urn:z}d',
      '{urn:x}e',
    ]);
  });

  test('instructions are followed in their order; all or none', async () => {
    const colour = (value: string) => `<x:colour>${value}</x:colour>`;
    await patch('a.txt', set(colour('blue')) + remove('<x:colour/>') + set(colour('red')));
    assert.is(await kept('a.txt'), 'red');
    await patch('a.txt', set(colour('blue')) + remove('<x:colour/>'));
    assert.is(await kept('a.txt'), 404);
    assert.equal(await outcome('a.txt', remove('<x:never/>')), { '{urn:x}never': 200 });
    await patch('a.txt', set(colour('blue')));
    const mixed = await outcome('a.txt', set(`${colour('red')}<D:getetag>x</D:getetag>`));
    assert.equal(mixed, { '{urn:x}colour': 424, [`${DAV}getetag`]: 403 });
    assert.is(await kept('a.txt'), 'blue');
  });

  test('protected properties, and those that Windows sets', async () => {
    const cases: [inner: string, expected: Record<string, number>][] = [
      [set('<D:displayname>x</D:displayname>'), { [`${DAV}displayname`]: 403 }],
      [set('<D:displayname/>'), { [`${DAV}displayname`]: 409 }],
      [
        set('<D:getcontentlanguage><x:a/></D:getcontentlanguage>'),
        { [`${DAV}getcontentlanguage`]: 409 },
      ],
      [set('<D:getlastmodified></D:getlastmodified>'), { [`${DAV}getlastmodified`]: 409 }],
      [remove('<D:displayname/>'), { [`${DAV}displayname`]: 403 }],
      [set('<D:anything>x</D:anything>'), { [`${DAV}anything`]: 403 }],
      [remove('<D:resourcetype/>'), { [`${DAV}resourcetype`]: 403 }],
      [
        set(
          '<Z:Win32CreationTime>Mon, 05 Jan 2026 10:11:12 GMT</Z:Win32CreationTime><Z:Win32FileAttributes>00000020</Z:Win32FileAttributes>',
        ),
        { [`${MS}Win32CreationTime`]: 200, [`${MS}Win32FileAttributes`]: 200 },
      ],
      [
        set('<Z:Win32LastAccessTime>x</Z:Win32LastAccessTime><D:getetag>x</D:getetag>'),
        { [`${MS}Win32LastAccessTime`]: 424, [`${DAV}getetag`]: 403 },
      ],
    ];
    const before = (await stat(server.disk('a.txt'))).mtimeMs;
    for (const [inner, expected] of cases)
      assert.equal(await outcome('a.txt', inner), expected, inner);
    assert.equal([await rows(), (await stat(server.disk('a.txt'))).mtimeMs], [[], before]);
    assert.is((await patch('none', set('<x:a/>'))).status, 404);
  });

  test('size and number are bounded', async () => {
    const big = await outcome('a.txt', set(`<x:big>${'x'.repeat(8_200)}</x:big><x:a/>`));
    assert.equal(big, { '{urn:x}big': 507, '{urn:x}a': 424 });
    const many = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => `<x:p${from + n}/>`).join('');
    assert.ok(
      Object.values(await outcome('a.txt', set(many(0, 100)))).every((each) => each === 200),
    );
    assert.equal(await outcome('a.txt', set('<x:more/>')), { '{urn:x}more': 507 });
    assert.equal(await outcome('a.txt', set('<x:p1>again</x:p1>')), { '{urn:x}p1': 200 });
    assert.is((await rows()).length, 100);
    const long = Array.from({ length: 9 }, () => 'x'.repeat(240)).join('/');
    await mkdir(server.disk(long), { recursive: true });
    assert.equal(await outcome(long, set('<x:a/>')), { '{urn:x}a': 507 });
  });

  test('a namespace or language that thousands of names repeat is refused, not said with each', async () => {
    const names = (many: number) => Array.from({ length: many }, (_, n) => `<y:a${n}/>`).join('');
    const asked = (many: number) =>
      propfindBody(names(many)).replace('xmlns:D', `xmlns:y="${LONG}" xmlns:D`);
    const depth = { depth: '0' };
    assert.is((await server.dav('PROPFIND', 'a.txt', depth, asked(50))).status, 207);
    assert.is((await server.dav('PROPFIND', 'a.txt', depth, asked(100))).status, 400);
    const removed = update(remove(names(100))).replace('xmlns:x', `xmlns:y="${LONG}" xmlns:x`);
    assert.is((await server.dav('PROPPATCH', 'a.txt', {}, removed)).status, 400);
    const language = update(set(names(100))).replace(
      'xmlns:x',
      `xmlns:y="y" xml:lang="${LONG}" xmlns:x`,
    );
    assert.is((await server.dav('PROPPATCH', 'a.txt', {}, language)).status, 400);
  });

  test('a listing is sent in pieces, however much there is about each member', async () => {
    for (let n = 0; n < 60; n++) await server.put(`many/${n}.txt`, '');
    const names = Array.from({ length: 400 }, (_, n) => `<y:a${n} xmlns:y="${'u'.repeat(80)}"/>`);
    const body = propfindBody(...names);
    const fields = `host: x\r\nconnection: close\r\nauthorization: ${server.authorization}\r\ndepth: 1`;
    const head = `PROPFIND ${at('many')} HTTP/1.1\r\n${fields}\r\ncontent-length: ${body.length}`;
    const { body: chunks } = await rawRequest(server.app.url, `${head}\r\n\r\n${body}`);
    const sizes: number[] = [];
    for (let from = 0; from < chunks.length; ) {
      const end = chunks.indexOf('\r\n', from);
      const size = Number.parseInt(chunks.toString('latin1', from, end), 16);
      sizes.push(size);
      from = end + size + 4;
    }
    assert.ok(sizes.reduce((sum, size) => sum + size) > 2_000_000, String(sizes));
    assert.ok(Math.max(...sizes) < 400_000, String(sizes));
  });

  test('COPY doubles properties, MOVE takes them along, DELETE ends them, PUT keeps them', async () => {
    const colour = (path: string, value: string) =>
      patch(path, set(`<x:colour>${value}</x:colour>`));
    await server.put('dx/other.txt', 'x');
    for (const [path, value] of [
      ['d', 'one'],
      ['d/inner.html', 'two'],
      ['d/e/deep.txt', 'three'],
      ['dx/other.txt', 'four'],
      ['a.txt', 'five'],
    ] as const)
      await colour(path, value);
    const go = (method: string, from: string, to: string, headers: Headers = {}) =>
      server.dav(method, from, { destination: at(to), ...headers });
    const copied = encodeURIComponent('ünï 😀');
    await go('COPY', 'd', copied);
    assert.equal(
      [await kept(copied), await kept(`${copied}/inner.html`), await kept(`${copied}/e/deep.txt`)],
      ['one', 'two', 'three'],
    );
    await go('MOVE', `${copied}/e`, 'd/e');
    await go('MOVE', copied, 'm');
    assert.equal(
      [await kept('m'), await kept('m/inner.html'), await kept('d/e/deep.txt'), await kept('d')],
      ['one', 'two', 'three', 'one'],
    );
    await go('COPY', 'd', 'flat', { depth: '0' });
    assert.equal(
      [await kept('flat'), (await rows()).filter((path) => path.startsWith('flat'))],
      ['one', ['flat']],
    );
    await go('COPY', 'a.txt', 'd/inner.html');
    assert.is(await kept('d/inner.html'), 'five');
    await server.dav('PUT', 'a.txt', {}, 'new content');
    assert.is(await kept('a.txt'), 'five');
    await server.dav('DELETE', 'd');
    assert.equal(await rows(), ['a.txt', 'dx/other.txt', 'flat', 'm', 'm/inner.html']);
    await go('COPY', '', 'whole');
    assert.is(await kept('whole/m/inner.html'), 'two');
  });

  test('what went by another way leaves nothing to its successor, and is forgotten after a while', async () => {
    const colour = set('<x:colour>old</x:colour>');
    for (const path of ['a.txt', 'd', 'd/inner.html', 'd/e/deep.txt']) await patch(path, colour);
    await server.outcomeOf('static-bucket-file_delete', 'b', 'a.txt');
    await server.dav('PUT', 'a.txt', {}, 'new');
    assert.is(await kept('a.txt'), 404);
    await rm(server.disk('d'), { recursive: true });
    await server.dav('MKCOL', 'd');
    await server.put('d/inner.html', 'x');
    assert.equal(await rows(), []);
    await patch('d/inner.html', colour);
    await patch('a.txt', colour);
    await server.outcomeOf('static-bucket-file_delete', 'b', 'a.txt');
    await server.app.clock.advance(3_700_000);
    await eventually(async () => assert.equal(await rows(), ['d/inner.html']));
  });

  test('properties outlive the server, and are listed with the members of a large directory', async () => {
    await mkdir(server.disk('many'));
    for (let n = 0; n < 300; n++) await writeFile(server.disk('many', `${n}.txt`), '');
    for (const n of [0, 63, 64, 299])
      await patch(`many/${n}.txt`, set(`<x:colour>${n}</x:colour>`));
    await server.app.restart();
    const found = await find(
      'many',
      { depth: '1' },
      propfindBody('<x:colour xmlns:x="urn:x"/>', '<D:resourcetype/>'),
    );
    assert.is(found.length, 301);
    const coloured = found.filter(({ properties }) => properties['{urn:x}colour']!.status === 200);
    assert.equal(
      coloured
        .map(
          ({ href, properties }) =>
            `${href.split('/').at(-1)} ${properties['{urn:x}colour']!.text}`,
        )
        .sort(),
      ['0.txt 0', '299.txt 299', '63.txt 63', '64.txt 64'],
    );
  });

  test.run();
}

const two = suite('static-webdav properties: two servers (postgres)');
two('a property that one server stores is read and removed by the other', async () => {
  const first = await davServer({ dialect: 'postgres' });
  let second: App | undefined;
  try {
    const text = await readFile(join(first.app.dir, 'config.toml'), 'utf8');
    const config = join(first.app.dir, 'second.toml');
    await writeFile(config, text.replace(/server_uuid = ".*"/, `server_uuid = "${randomUUID()}"`));
    second = await start({ config, plugins: PLUGINS, console: () => {} });
    const there = (method: string, body: string) =>
      send(
        `${second!.url}${at('a.txt')}`,
        method,
        { authorization: first.authorization, depth: '0' },
        body,
      );
    await first.put('a.txt', 'x');
    await first.dav('PROPPATCH', 'a.txt', {}, update(set('<x:colour>blue</x:colour>')));
    const found = await there('PROPFIND', propfindBody('<x:colour xmlns:x="urn:x"/>'));
    assert.is(multistatus(found.text)[0]!.properties['{urn:x}colour']!.text, 'blue');
    assert.is((await there('PROPPATCH', update(remove('<x:colour/>')))).status, 207);
    const after = await first.dav(
      'PROPFIND',
      'a.txt',
      { depth: '0' },
      propfindBody('<x:colour xmlns:x="urn:x"/>'),
    );
    assert.is(multistatus(after.text)[0]!.properties['{urn:x}colour']!.status, 404);
    assert.ok((await readdir(first.disk())).includes('a.txt'));
  } finally {
    await second?.stop('test');
    await first.app.stop();
  }
});
two.run();

const xml = suite('static-webdav XML');

xml('property: whatever is parsed is written so that it means the same again', async () => {
  const name = fc.constantFrom('a', 'b', 'x:a', 'y:b', 'ü');
  const text = fc.string({ unit: 'grapheme', maxLength: 8 }).map((given) =>
    given
      // XML has no such characters.
      .replace(/\p{Cc}|\p{Surrogate}|\p{Noncharacter_Code_Point}/gu, ' ')
      .replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`),
  );
  const { element } = fc.letrec<{ element: string; child: string }>((tie) => ({
    element: fc
      .tuple(name, fc.option(text), fc.array(tie('child'), { maxLength: 3 }), fc.boolean())
      .map(([tag, attribute, children, declares]) => {
        const given =
          attribute === null ? '' : ` k="${attribute.replaceAll('"', '&quot;')}" x:k="v"`;
        const declared = declares ? ' xmlns:y="urn:inner" xmlns="urn:default"' : '';
        return `<${tag}${declared}${given}>${children.join('')}</${tag}>`;
      }),
    child: fc.oneof({ depthSize: 'small' }, text, tie('element')),
  }));
  await fc.assert(
    fc.property(element, (given) => {
      const wrapped = `<r xmlns:x="urn:x" xmlns:y="urn:y" xml:lang="en">${given}</r>`;
      const original = parseXml(Buffer.from(wrapped)).children[0] as any;
      const again = parseXml(Buffer.from(elementText(original)));
      assert.equal(meaning(again), meaning(original));
    }),
    { numRuns: 2_000 },
  );
});

/** Names with their namespaces, attributes and texts, without prefixes. */
function meaning(element: any): unknown {
  const attributes = element.attributes
    .filter((each: any) => each.name !== 'xml:lang')
    .map((each: any) => `{${each.uri}}${each.local}=${each.value}`);
  const children: unknown[] = [];
  for (const child of element.children) {
    if (typeof child !== 'string') children.push(meaning(child));
    else if (typeof children.at(-1) === 'string') children.push(String(children.pop()) + child);
    else children.push(child);
  }
  return [`{${element.uri}}${element.local}`, element.lang, attributes.sort(), children];
}

xml('property: arbitrary bytes are parsed or refused, never anything else', async () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '</',
    '/>',
    'a',
    'x:a',
    '="',
    '"',
    '&',
    ';',
    '<!',
    '[',
    ']]>',
    '<?',
    '?>',
    ' ',
    'xmlns',
    'xmlns:x="u"',
    '--',
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.array(piece, { maxLength: 20 }).map((all) => Buffer.from(all.join(''))),
  );
  await fc.assert(
    fc.property(bytes, (given) => {
      try {
        assert.ok(parseXml(given).local.length > 0);
      } catch (error) {
        assert.instance(error, BadXml);
      }
    }),
    { numRuns: 5_000 },
  );
});

xml.run();
