// E-mail and workers: messages go to a real mail server on loopback, and through the runs of a worker.
import { createServer, type Server } from 'node:net';
import * as tls from 'node:tls';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { SMTPServer } from 'smtp-server';
import * as assert from 'uvu/assert';
import { selfSigned } from '../agent-program-certificate.ts';
import { suite } from '../runner/suite.ts';
import { trust } from '../trust.ts';
import { channel, create, outbox, PLUGINS, passes, send, until } from './kit.ts';

interface Mail {
  readonly secure: boolean;
  readonly user: unknown;
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

const test = suite('channels: e-mail and workers');
let app: TestApp;
let server: any;
let port: number;
const mails: Mail[] = [];
const certificate = selfSigned('localhost');
/** Of taken and refused mails. */
const messageIds: (string | undefined)[] = [];
/** Status of the next answers to the text of a mail; 0: taken. */
let refuses = 0;

test.before(async () => {
  app = await bootForTest([...PLUGINS, 'js-worker', 'script-quickjs'], {}, { clock: true });
  server = new SMTPServer({
    ...certificate,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN'],
    authOptional: true,
    onAuth: ({ password, username }: any, _session: any, done: any) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('no')),
    onRcptTo: ({ address }: any, _session: any, done: any) =>
      address.startsWith('nobody') ? done(failure(550)) : done(),
    onData(stream: any, session: any, done: any) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        messageIds.push(/^Message-ID: (\S+)/im.exec(text)?.[1]);
        if (refuses) return done(failure(refuses));
        const { envelope, secure, user } = session;
        const to = envelope.rcptTo.map((one: any) => one.address);
        mails.push({ secure, user, from: envelope.mailFrom.address, to, text });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = server.server.address().port;
});
test.after(async () => {
  await app.stop();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});
test.before.each(() => {
  mails.length = 0;
  messageIds.length = 0;
  refuses = 0;
});

async function trusting(work: () => Promise<void>): Promise<void> {
  const trusted = tls.getCACertificates('default');
  trust([...trusted, certificate.cert]);
  try {
    await work();
  } finally {
    trust(trusted);
  }
}

const failure = (responseCode: number) => Object.assign(new Error('not now'), { responseCode });

const mail = (name: string, over: object = {}, secret: object = {}) => ({
  name,
  kind: 'smtp',
  config: {
    ...{ host: '127.0.0.1', port, security: 'none' },
    ...{ from: 'svc@example.net', to: ['ops@example.net'] },
    ...over,
  },
  secret,
});
const tried = (name: string, over: object = {}, secret: object = {}): Promise<any> =>
  app.call('channel_test', { token: app.superToken, channel: mail(name, over, secret) });

test('a mail arrives with its own Message-ID, the same at a repetition', async () => {
  await create(app, mail('post'));
  refuses = 451;
  await send(app, 'post', 'Disk is full');
  await until('refused', async () => (await channel(app, 'post')).last_status === 451);
  assert.equal((await outbox(app, { name: 'post' }))[0].state, 'waiting');
  refuses = 0;
  await passes(app, 30_000, () => mails.length > 0);
  const [{ from, to, text, secure }] = mails as [Mail];
  assert.equal([from, to, secure], ['svc@example.net', ['ops@example.net'], false]);
  assert.match(text, /^Subject: .*Disk is full/m);
  assert.match(messageIds[0] ?? '', /^<[^@<>]+@example\.net>$/);
  assert.equal(messageIds, [messageIds[0], messageIds[0]]);
  assert.match(text, /^Auto-Submitted: auto-generated/m);
});

test('a log-in is used, and a wrong one is a refusal for good', async () => {
  const over = { host: 'localhost', security: 'starttls', user: 'svc' };
  await trusting(async () => {
    assert.is((await tried('a', over, { password: 'right' })).ok, true);
    assert.is(mails[0]?.user, 'svc');
    const wrong = await tried('a', over, { password: 'no-such-one' });
    assert.equal([wrong.ok, wrong.status, mails.length], [false, 535, 1]);
    assert.match(wrong.message, /password is wrong/);
    assert.not.match(JSON.stringify(wrong), 'no-such-one');
  });
});

test('a recipient that is refused is told with the words of the server', async () => {
  const { ok, status, host } = await tried('a', { to: ['nobody@example.net'] });
  assert.equal([ok, status, host], [false, 550, `127.0.0.1:${port}`]);
});

test('STARTTLS checks the certificate, and is asked for by default', async () => {
  const over = { host: 'localhost', security: 'starttls' };
  const { ok, message } = await tried('a', over);
  assert.is(ok, false);
  assert.match(message, /self-signed|certificate/);
  assert.is(mails.length, 0);
  await trusting(async () => {
    for (const one of [over, { ...over, security: undefined }]) {
      const { ok, message } = await tried('a', one);
      assert.is(ok, true, message);
      assert.is(mails.at(-1)?.secure, true);
    }
  });
});

test('a mail server that says nothing does not hold other channels up', async () => {
  const silent: Server = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  try {
    const port = (silent.address() as { port: number }).port;
    await create(app, mail('silent', { port }));
    await send(app, 'silent', 'unheard');
    await create(app, mail('heard'));
    await send(app, 'heard', 'heard');
    await until('heard', () => mails.length === 1);
    assert.is((await channel(app, 'silent')).waiting, 1);
  } finally {
    silent.close();
    await app.call('channel_delete', { token: app.superToken, name: 'silent' });
  }
});

test('a mail server whose line never ends is left early', async () => {
  let sent = 0;
  const endless: Server = createServer((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.writableLength < 1_000_000) {
        socket.write(Buffer.alloc(65_536, 97));
        sent += 65_536;
      }
    };
    socket.on('error', () => {}).on('drain', more);
    socket.write('220 ');
    more();
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  try {
    const { ok, message } = await tried('a', { port: (endless.address() as any).port });
    assert.is(ok, false);
    assert.match(message, /exceeds maximum allowed size/);
    assert.ok(sent < 12_000_000, `${sent} bytes`);
  } finally {
    endless.close();
  }
});

test('a worker runs with the message, and what it throws is a failure', async () => {
  const token = app.superToken;
  const source = `export default { async onCall(params) {
    if (params.title === 'bad') throw new Error('I do not like it');
    return params.title;
  } };`;
  const js_script_base64 = Buffer.from(source).toString('base64');
  await app.call('js-worker_create', { token, name: 'teller', js_script_base64 });
  const worker = { name: 'w', kind: 'worker', config: { worker: 'teller' } };
  await create(app, worker);
  await send(app, 'w', 'good');
  await until('run', async () => (await channel(app, 'w')).sent === 1);
  await send(app, 'w', 'bad');
  await until('failed', async () => (await channel(app, 'w')).failed === 1);
  assert.match((await channel(app, 'w')).last_error, 'I do not like it');
  const limits = [{ scopes: [{ channel: '*' }], permissions: [{ channel: 'write' }] }];
  const other = await app.token(limits);
  const refused = await app.call('channel_test', { token: other, channel: worker });
  assert.is(refused.ok, false);
});

test.run();
