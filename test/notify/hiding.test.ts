// What a receiver repeats of the request that it got holds no secret of the channel, whatever kind it is and wherever its words are cut.
import * as assert from 'uvu/assert';
import { Deliveries } from '../../plugins/notify/src/delivery/index.ts';
import { hiding } from '../../plugins/notify/src/hiding.ts';
import { KINDS } from '../../plugins/notify/src/kinds/index.ts';
import { suite } from '../runner/suite.ts';
import { context, opened, valuesOf } from './messages.ts';

const test = suite('secrets that a receiver repeats');

type Echo = (request: {
  url: string;
  headers: readonly (readonly [string, string])[];
  body: string;
}) => string;
const ECHOES: { readonly [name: string]: Echo } = {
  raw: ({ url, headers, body }) =>
    `POST ${new URL(url).pathname}${new URL(url).search}\n${headers.map((pair) => pair.join(': ')).join('\n')}\n\n${body}`,
  'headers first': ({ headers, url }) =>
    `${headers.map((pair) => pair.join(': ')).join(' ')} ${url}`,
  json: ({ url, headers, body }) =>
    JSON.stringify({ headers: Object.fromEntries(headers), url, body }),
  'json of another writer': ({ url, headers, body }) =>
    JSON.stringify({ error: url, message: body, headers: Object.fromEntries(headers) })
      .replaceAll('/', '\\/')
      .replaceAll('S', '\\u0053'),
  'errors of known names': ({ url, headers, body }) => {
    const said = `${new URL(url).search} ${headers.map((pair) => pair.join(': ')).join(' ')} ${body}`;
    const names = ['error', 'errorDescription', 'message', 'description', 'errmsg', 'msg'];
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, said])));
  },
  base64: ({ url, headers, body }) =>
    Buffer.from(`${url} ${JSON.stringify(headers)} ${body}`).toString('base64'),
};

/** Secrets as people have them: each with letters that are encoded somewhere. */
const SECRETS: { readonly [kind: string]: object } = {
  webhook: {
    token: undefined,
    user: 'bob',
    password: 'SECRET/two+pass"word',
    header: 'X-K: SECRETthree-header/+value',
    query: 'key=SECRETfour-query&b=SECRET%2Ffive',
    secret: undefined,
  },
  slack: { url: 'https://hooks.slack.com/services/T00/B00/SECRETslackSECRET' },
  mattermost: { url: 'https://chat.example.com/hooks/SECRETmattermost' },
};

/** Values of the kind; its secrets are as long as real ones. */
function longer(kind: string) {
  const isSecret = (name: string) =>
    KINDS.get(kind)!.fields.some((field) => field.name === name && field.secret);
  const tail = (name: string, value: unknown) =>
    isSecret(name) && !/^(?:auth|private_key)$/.test(name) ? `${value}SECRETtail-9876` : value;
  return Object.fromEntries(
    Object.entries(valuesOf(kind)).map(([name, value]) => [name, tail(name, value)]),
  );
}

function needles(kind: string, values: Readonly<Record<string, unknown>>): string[] {
  const secret = KINDS.get(kind)!.fields.filter((field) => field.secret);
  const texts = secret.flatMap(({ name }) =>
    values[name] === undefined ? [] : String(values[name]),
  );
  const parts = texts.flatMap((text) => text.match(/[A-Za-z0-9_-]{10,}/g) ?? []);
  const pair = Buffer.from(`${values['user']}:${values['password']}`).toString('base64');
  const encoded = [...texts, ...parts].flatMap((text) => [
    text,
    encodeURIComponent(text),
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
  ]);
  return [...encoded, pair].filter(({ length }) => length >= 10);
}

async function said(kind: string, values: object, echo: Echo, status: number, pad: number) {
  const fields = KINDS.get(kind)!
    .fields.filter((field) => field.secret)
    .map(({ name }) => name);
  const all = Object.entries(values).filter(([, value]) => value !== undefined);
  const [secret, config] = [true, false].map((is) =>
    Object.fromEntries(all.filter(([name]) => fields.includes(name) === is)),
  );
  const client: any = {
    request: async ({ url, headers, body }: any) => {
      const text = 'y'.repeat(pad) + echo({ url, headers, body: Buffer.from(body).toString() });
      return {
        ...{ status, headers: [] },
        body: Object.assign(
          (async function* () {
            yield Buffer.from(text);
          })(),
          { destroy() {} },
        ),
      };
    },
  };
  const kernel: any = {
    brand: { word: 'svc' },
    clock: { now: () => context.now },
    log: { error: (...given: unknown[]) => assert.unreachable(JSON.stringify(given)) },
  };
  const deliveries = new Deliveries({
    kernel,
    owners: {} as any,
    clients: { all: client, public: client },
  });
  const target: any = { kind, config, secret, language: 'en', zone: 'UTC', owner: null };
  const { outcome } = await deliveries.send(target, 'id-1', opened, new AbortController().signal);
  return JSON.stringify(outcome);
}

for (const kind of KINDS.keys()) {
  if (!KINDS.get(kind)!.request) continue;
  test(`${kind}: none of them is in what is kept`, async () => {
    const values: any = { ...longer(kind), ...SECRETS[kind] };
    const wanted = needles(kind, values);
    for (const [name, echo] of Object.entries(ECHOES))
      for (const status of [200, 400, 500])
        for (const pad of [0, 60, 120, 150, 170, 185, 195]) {
          const text = await said(kind, values, echo, status, pad);
          // The beginning of a value that was cut is one, too.
          for (const needle of wanted)
            for (const part of [needle, needle.slice(0, 10)])
              assert.not.ok(
                part.length >= 10 && text.includes(part) && !isPublic(kind, values, part),
                `${name}, ${status}, ${pad}: ${part} in ${text}`,
              );
        }
  });
}

/** Tells whether a text stands in the fields that everybody may see, or in the name of the service. */
function isPublic(kind: string, values: Readonly<Record<string, unknown>>, part: string): boolean {
  const open = KINDS.get(kind)!.fields.filter((field) => !field.secret);
  const url = /^https?:\/\/[^/]+\/?/.exec(String(values['url'] ?? values['endpoint'] ?? ''))?.[0];
  return (
    (url ?? '').includes(part) ||
    /^(?:https?[:%]|aHR0cHM)/.test(part) ||
    open.some(({ name }) => String(values[name] ?? '').includes(part))
  );
}

test('a value that is too short to be a secret stays', () => {
  assert.is(hiding({ token: 'abc' })('abc'), 'abc');
  assert.is(
    hiding({ header: 'X-Api-Key: abcdef' })('{"x-api-key":"abcdef"}'),
    '{"x-api-key":"•••"}',
  );
  assert.match(
    hiding({ password: 'hunter2hunter2' })('AGJvYgBodW50ZXIyaHVudGVyMg'),
    /^AGJvYgB•••.?$/,
  );
});

test.run();
