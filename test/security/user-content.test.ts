// Content that tokens put on the server does not share the origin of its pages: headers, and host names of its own.

import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { base64, onRoute } from '../protocol/js-worker-kit.ts';
import { basicOf, type DavAnswer, type Headers, RIGHTS, send } from '../protocol/webdav-kit.ts';
import { suite } from '../runner/suite.ts';

const PLUGINS = [
  'token',
  'server-info',
  'static-bucket',
  'static-bucket-file',
  'static-webdav',
  'js-worker',
];
const WORKER = ['create', 'write'].map((word) => ({ js_worker: word }));
const PERMISSIONS = [...WORKER, { static_bucket: 'write' }, ...RIGHTS];
const SANDBOX =
  'sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-scripts';
const PAGE = '<script>document.title = localStorage.token</script>';
const html = (headers = {}) =>
  onRoute(
    `return new Response(${JSON.stringify(PAGE)}, { headers: ${JSON.stringify({ 'content-type': 'text/html', ...headers })} })`,
  );
/** Where one token's bucket, its mounted form and its route are. */
const paths = (name: string) => [
  `/svc/static/${name}/index.html`,
  `/svc/static-webdav/${name}/index.html`,
  `/svc/worker-route/${name}/page`,
  `/worker-route/${name}`,
];

interface Site {
  readonly app: TestApp;
  get(path: string, headers?: Headers, method?: string): Promise<DavAnswer>;
  /** A bucket with a page and a route with a page, both written with this credential. */
  publish(token: string, name: string, script?: string): Promise<void>;
  small(): Promise<string>;
}

async function site(config = {}, dialect: 'sqlite' | 'postgres' = 'sqlite'): Promise<Site> {
  const app = await bootForTest(PLUGINS, config, { dialect });
  const authorization = basicOf(app.superToken);
  return {
    app,
    get: (path, headers = {}, method = 'GET') =>
      send(`${app.url}${path}`, method, { authorization, ...headers }),
    async publish(token, name, script = html()) {
      await app.call('static-bucket_create', [token, name, name, false, false]);
      const file = { name, path: 'index.html', base64: base64(PAGE) };
      await app.call('static-bucket-file_upload', { token, ...file });
      const js_script_base64 = base64(script);
      await app.call('js-worker_create', { token, name, route_name: name, js_script_base64 });
    },
    small: () =>
      app.token([
        {
          scopes: [{ static_bucket: 'mine*' }, { js_worker: 'mine*' }],
          permissions: PERMISSIONS,
        },
      ]),
  };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`user content (${dialect})`);
  let server: Site;
  test.before(async () => {
    server = await site({}, dialect);
    const { app, publish } = server;
    await publish(await server.small(), 'mine');
    await publish(await app.token([{ scopes: ['global'], permissions: PERMISSIONS }]), 'trusted');
    await publish(app.superToken, 'admin');
  });
  test.after(() => server.app.stop());
  const policy = async (path: string, headers: Headers = {}) =>
    (await server.get(path, headers)).headers['content-security-policy'];

  test('a page of a token without rights to all buckets and workers has an origin of its own', async () => {
    for (const path of paths('mine')) {
      const answer = await server.get(path);
      assert.equal([answer.status, answer.text], [200, PAGE], path);
      assert.is(answer.headers['content-security-policy'], SANDBOX, path);
    }
    const etag = (await server.get('/svc/static/mine/index.html')).headers['etag'] ?? '';
    const headers = { 'if-none-match': etag };
    assert.is(
      await policy('/svc/static/mine/index.html', headers),
      SANDBOX,
      'also where it is kept',
    );
    assert.is(await policy('/svc/static/mine/missing'), SANDBOX);
  });

  test('pages of the Super Token, and of tokens with the right to all, are as they were', async () => {
    for (const path of [...paths('admin'), ...paths('trusted')]) {
      const answer = await server.get(path);
      assert.equal([answer.status, answer.text], [200, PAGE], path);
      assert.is(answer.headers['content-security-policy'], undefined, path);
    }
  });

  test("rows from before owners were kept count as the administrator's", async () => {
    await server.publish(await server.small(), 'mine-old');
    for (const table of ['static_file', 'js_worker'])
      await server.app.sql(`update ${table} set owner = null where name = 'mine-old'`);
    await server.app.restart();
    for (const path of paths('mine-old')) assert.is(await policy(path), undefined, path);
  });

  test('the last writer of the record decides', async () => {
    const token = await server.small();
    await server.publish(server.app.superToken, 'mine-both');
    const [file = ''] = paths('mine-both');
    const update = (by: string) =>
      server.app.call('static-bucket_update', [by, 'mine-both', 'mine-both', false, false]);
    assert.is(await policy(file), undefined);
    await update(token);
    assert.is(await policy(file), SANDBOX);
    await update(server.app.superToken);
    assert.is(await policy(file), undefined);
  });

  test.run();
}

const headers = suite('headers of content');
let server: Site;
headers.before(async () => {
  server = await site({
    'js-worker': {
      route_headers: ['Content-Security-Policy', 'Clear-Site-Data', 'X-Content-Type-Options'],
    },
  });
});
headers.after(() => server.app.stop());

headers('everything that the server sends is nosniff', async () => {
  await server.publish(server.app.superToken, 'admin', html({ 'x-content-type-options': 'other' }));
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'svc-server_hello' });
  const post = await server.app.fetch('/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.is(post.headers.get('x-content-type-options'), 'nosniff');
  const dead = ['/', '/nowhere', '/svc/static/none/a', '/svc/worker-route/none'];
  for (const path of [...paths('admin'), ...dead]) {
    const answer = await server.get(path);
    assert.is(answer.headers['x-content-type-options'], 'nosniff', path);
  }
});

headers(
  "a policy that the operator lets a script send stands beside the server's own",
  async () => {
    const theirs = "default-src 'none'; sandbox allow-same-origin allow-scripts";
    const script = html({ 'content-security-policy': theirs, 'clear-site-data': '"storage"' });
    await server.publish(await server.small(), 'mine-policy', script);
    const answer = await server.get('/worker-route/mine-policy');
    assert.is(answer.headers['content-security-policy'], `${SANDBOX}, ${theirs}`);
    assert.is(answer.headers['clear-site-data'], undefined);
    await server.publish(server.app.superToken, 'policy', script);
    const own = await server.get('/worker-route/policy');
    assert.is(own.headers['content-security-policy'], theirs);
  },
);

headers("without the operator's word a script sends no security header", async () => {
  const closed = await site();
  try {
    await closed.publish(closed.app.superToken, 'a', html({ 'content-security-policy': 'x' }));
    const answer = await closed.get('/worker-route/a');
    assert.is(answer.headers['content-security-policy'], undefined);
  } finally {
    await closed.app.stop();
  }
});

headers.run();

const hosts = suite('host names of content');
const THERE = { host: 'Content.Example.:8080' };
hosts.before(async () => {
  server = await site({ content_hosts: ['content.example', 'other.example'] });
  await server.publish(await server.small(), 'mine');
  await server.publish(server.app.superToken, 'admin');
});
hosts.after(() => server.app.stop());

hosts('a browser that asks for content elsewhere is sent to the host name of content', async () => {
  const host = new URL(server.app.url).host;
  const port = host.split(':')[1];
  for (const path of paths('mine').filter((each) => !each.includes('webdav'))) {
    const answer = await server.get(`${path}?q=1`, { host: `dashboard.example:${port}` });
    assert.is(answer.status, 307, path);
    assert.is(answer.headers['location'], `//content.example:${port}${path}?q=1`);
    assert.is(answer.text, '');
  }
});

hosts('there it is a page like any other', async () => {
  for (const path of paths('mine')) {
    for (const host of [THERE.host, 'other.example']) {
      const answer = await server.get(path, { host });
      assert.equal([answer.status, answer.text], [200, PAGE], path);
      assert.is(answer.headers['content-security-policy'], undefined, path);
    }
  }
});

hosts(
  'what a redirect would break stays, in its sandbox: drives, and calls of routes',
  async () => {
    const drive = await server.get('/svc/static-webdav/mine/index.html');
    const posted = await server.get('/worker-route/mine', {}, 'POST');
    for (const answer of [drive, posted]) {
      assert.equal([answer.status, answer.text], [200, PAGE]);
      assert.is(answer.headers['content-security-policy'], SANDBOX);
    }
  },
);

hosts(
  "an administrator's content, the server's pages and its calls are not under these names",
  async () => {
    for (const path of [...paths('admin'), '/', '/svc/rpc', '/svc/health', '/nowhere'])
      for (const method of ['GET', 'POST'])
        assert.is((await server.get(path, THERE, method)).status, 421, `${method} ${path}`);
    for (const path of paths('admin')) assert.is((await server.get(path)).status, 200, path);
    const socket = new WebSocket(server.app.url.replace('http', 'ws'), { headers: THERE });
    const status = await new Promise((resolve) => {
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.once('open', () => resolve('open'));
      socket.on('error', () => {
        // Its status says what the test needs.
      });
    });
    assert.is(status, 421);
  },
);

hosts.run();
