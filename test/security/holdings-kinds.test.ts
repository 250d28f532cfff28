// What one owner may hold of each kind: through the methods that make, change and delete it.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const FULL = 'the owner holds as much as it may';
const A = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
const PLUGINS = [
  ...['token', 'kv', 'task', 'crontab', 'js-worker', 'db', 'static-bucket'],
  ...['agent-uuid', 'agent', 'status-page', 'enrol'],
];
const CREATE = { token: 'create' };
const RIGHTS = [
  { crontab: 'write' },
  { crontab: 'delete' },
  { task: { create: 'execute' } },
  { task: 'listen' },
  { task: { write: '*' } },
  { kv: { write: 'agent_*' } },
  ...['create', 'write', 'delete'].map((word) => ({ js_worker: word })),
  ...['create', 'delete'].map((word) => ({ db: word })),
  ...['write', 'delete'].map((word) => ({ static_bucket: word })),
  ...['write', 'delete'].map((word) => ({ status_page: word })),
  ...['static_monitoring', 'dynamic_monitoring', 'dynamic_monitoring_summary'].map((kind) => ({
    [kind]: 'write',
  })),
];
const CONFIG = {
  crontab: { max_jobs_per_owner: 3, max_job_bytes_per_owner: 3_000 },
  'js-worker': { max_workers_per_owner: 3, max_worker_bytes_per_owner: 3_000 },
  'status-page': { max_pages_per_owner: 3, max_pages: 5 },
  enrol: { max_codes_per_owner: 3, max_codes: 5 },
  db: { max_databases_per_token: 3 },
  'static-bucket': { max_buckets_per_owner: 3, max_buckets: 5 },
};

/** A kind, and how one of it is made, changed and deleted. */
interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly key: string;
  readonly section: string;
  /** `size`: about so many characters of content. */
  make(token: string, name: string, size?: number): [method: string, params: object];
  change?(token: string, name: string, size: number): [method: string, params: object];
  remove?(token: string, name: string): [method: string, params: object];
  /** More than one owner together are bounded, too. */
  readonly shared?: string;
  readonly bytes?: string;
}

const job = (token: string, name: string, size = 10) => ({
  ...{ token, name, cron_expression: '0 0 0 1 1 * 2100' },
  cron_type: { agent: [[A], { task: { execute: { cmd: 'x', args: ['y'.repeat(size)] } } }] },
});
const worker = (token: string, name: string, size = 10) => ({
  ...{ token, name },
  js_script_base64: Buffer.from(`export default {} // ${'y'.repeat(size)}`).toString('base64'),
});

// biome-ignore format: one line per kind
const kinds: readonly Kind[] = [
  { kind: 'job', plural: 'jobs', key: 'max_jobs_per_owner', section: 'crontab', bytes: 'max_job_bytes_per_owner',
    make: (...given) => ['crontab_create', job(...given)],
    change: (...given) => ['crontab_edit', job(...given)],
    remove: (token, name) => ['crontab_delete', { token, name }] },
  { kind: 'worker', plural: 'workers', key: 'max_workers_per_owner', section: 'js-worker', bytes: 'max_worker_bytes_per_owner',
    make: (...given) => ['js-worker_create', worker(...given)],
    change: (...given) => ['js-worker_update', worker(...given)],
    remove: (token, name) => ['js-worker_delete', { token, name }] },
  { kind: 'status-page', plural: 'status pages', key: 'max_pages_per_owner', section: 'status-page', shared: 'max_pages',
    make: (token, slug) => ['status-page_create', { token, slug, page: { title: 'x', entries: [] } }],
    change: (token, slug) => ['status-page_update', { token, slug, page: { title: 'y' } }],
    remove: (token, slug) => ['status-page_delete', { token, slug }] },
  { kind: 'enrolment-code', plural: 'enrolment codes', key: 'max_codes_per_owner', section: 'enrol', shared: 'max_codes',
    make: (token) => ['enrol_create', { token }] },
  { kind: 'database', plural: 'databases', key: 'max_databases_per_token', section: 'db',
    make: (token, name) => ['db_create', { token, name }],
    remove: (token, name) => ['db_delete', { token, name }] },
  { kind: 'bucket', plural: 'buckets', key: 'max_buckets_per_owner', section: 'static-bucket', shared: 'max_buckets',
    make: (token, name) => ['static-bucket_create', { token, name, path: name, is_http_root: false, cors: false }],
    change: (token, name) => ['static-bucket_update', { token, name, path: name, is_http_root: false, cors: true }] },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`holdings of owners: kinds (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest(PLUGINS, CONFIG, { dialect });
  });
  test.after(() => app.stop());

  const outcome = ([method, params]: [string, object]): Promise<any> =>
    app.call(method, params).then(
      () => 'done',
      ({ code, message, data }) => ({ code, message, data }),
    );
  /** A token that may create others, and what it may do itself. */
  const newOwner = () => app.token([{ scopes: ['global'], permissions: [CREATE, ...RIGHTS] }]);
  const childOf = async (father_token: string) => {
    const token_creation = { token_limit: [{ scopes: ['global'], permissions: RIGHTS }] };
    const { key, secret } = await app.call('token_create', { father_token, token_creation });
    return `${key}:${secret}`;
  };
  const held = async (token: string, kind: string) => {
    const { owners } = await app.call('token_holdings', { token });
    return owners[0].kinds.find((each: any) => each.kind === kind);
  };

  test('jobs: names and expressions count', async () => {
    const bytesOf = async (name: string, blanks: string) => {
      const owner = await newOwner();
      const cron_expression = `${job('', '').cron_expression}${blanks}`;
      const made = await outcome(['crontab_create', { ...job(owner, name), cron_expression }]);
      assert.is(made, 'done');
      return (await held(owner, 'job')).bytes;
    };
    const short = await bytesOf('n', '');
    assert.is(await bytesOf('n'.repeat(101), ''), short + 100);
    assert.is(await bytesOf('ö', ' '.repeat(200)), short + 201);
  });

  for (const { kind, plural, key, section, make, change, remove, shared, bytes } of kinds) {
    let count = 0;
    const next = () => `${kind}-${count++}`;

    test(`${plural}: an owner makes as many as it may, also at once and by tokens that it created`, async () => {
      const parent = await newOwner();
      // Codes are made by who may create tokens, and such a right is not handed on.
      const makers = kind === 'enrolment-code' ? [parent] : [parent, await childOf(parent)];
      const names = Array.from({ length: 8 }, next);
      const made = await Promise.all(
        names.map((name, at) => outcome(make(makers[at % makers.length] as string, name))),
      );
      const refused = made.filter((each) => each !== 'done');
      assert.is(refused.length, 5, JSON.stringify(made));
      for (const error of refused) {
        assert.equal([error.code, error.data], [108, FULL]);
        assert.match(
          error.message,
          new RegExp(
            `holds 3 ${plural}, and ${key} under \\[${section}\\] allows 3: .*, or have ${key} raised$`,
          ),
        );
      }
      assert.equal(await held(parent, kind), {
        ...{ kind, rows: 3, max_rows: 3, max_bytes: bytes ? 3_000 : null },
        bytes: (await held(parent, kind)).bytes,
      });
      const name = names[made.indexOf('done')] as string;
      if (change) assert.is(await outcome(change(parent, name, 20)), 'done');
      if (remove) {
        assert.is(await outcome(remove(app.superToken, name)), 'done');
        assert.is(await outcome(make(parent, next())), 'done');
      }
      assert.is((await outcome(make(parent, next()))).code, 108);
      assert.is(await outcome(make(app.superToken, next())), 'done');
    });

    if (bytes && change)
      test(`${plural}: an owner holds as many bytes as it may, and what is beyond goes on and may be made smaller`, async () => {
        const owner = await newOwner();
        const [one, two] = [next(), next()];
        assert.is(await outcome(make(owner, one, 1_000)), 'done');
        const before = await held(owner, kind);
        const large = await outcome(make(owner, two, 2_500));
        assert.equal([large.code, large.data], [108, FULL]);
        assert.match(
          large.message,
          new RegExp(`with this; ${bytes} under \\[${section}\\] allows 3,000: `),
        );
        assert.match((await outcome(change(owner, one, 3_000))).message, bytes);
        assert.equal(await held(owner, kind), before);
        // Another owner's becomes this one's by writing it.
        assert.is(await outcome(make(app.superToken, two, 9_000)), 'done');
        assert.is((await outcome(change(owner, two, 9_000))).code, 108);
        assert.is(await outcome(change(owner, two, 900)), 'done');
        await app.sql(
          kind === 'job'
            ? `update crontab set cron_expression = cron_expression || '${' '.repeat(4_000)}' where name = '${two}'`
            : `update js_worker set js_script = js_script || '${' '.repeat(4_000)}' where name = '${two}'`,
        );
        assert.ok((await held(owner, kind)).bytes > 4_000);
        assert.is((await outcome(make(owner, next()))).code, 108);
        assert.is(await outcome(change(owner, one, 500)), 'done');
        assert.is((await outcome(change(owner, one, 600))).code, 108);
        assert.is(await outcome(change(owner, two, 10)), 'done');
        assert.is(await outcome(make(owner, next())), 'done');
      });

    if (shared)
      test(`${plural}: all others together leave the Super Token its room`, async () => {
        const owners = await Promise.all([1, 2, 3].map(newOwner));
        const made: any[] = [];
        for (const owner of owners)
          for (let n = 0; n < 3; n++) made.push(await outcome(make(owner, next())));
        const last = made.findLast((each) => each !== 'done');
        assert.match(
          last.message,
          `Invalid input: all tokens but the Super Token hold together 5 ${plural}, and ${shared} under [${section}] allows 5: `,
        );
        const own: any[] = [];
        for (let n = 0; n < 6; n++) own.push(await outcome(make(app.superToken, next())));
        // One is there from the test before.
        assert.equal(own.slice(0, 4), ['done', 'done', 'done', 'done']);
        assert.match(own.at(-1).message, `the Super Token holds 5 ${plural}, and ${shared} under`);
      });
  }

  test('a directory that a deleted bucket leaves behind counts until its bucket is back', async () => {
    // Room of all tokens together, which the test before has filled.
    await app.sql('delete from static_file');
    const owner = await newOwner();
    const bucket = (name: string) => ({
      token: owner,
      name,
      path: name,
      is_http_root: false,
      cors: false,
    });
    for (const name of ['left-a', 'left-b', 'left-c'])
      await app.call('static-bucket_create', bucket(name));
    for (const name of ['left-a', 'left-b'])
      await app.call('static-bucket_delete', { token: owner, name });
    const refused = await outcome(['static-bucket_create', bucket('left-d')]);
    assert.match(refused.message, 'holds 3 buckets');
    assert.match(refused.message, 'what a bucket leaves behind counts until it is empty');
    assert.is(await outcome(['static-bucket_create', bucket('left-a')]), 'done');
    assert.is((await held(owner, 'bucket')).rows, 3);
  });

  test.run();
}
