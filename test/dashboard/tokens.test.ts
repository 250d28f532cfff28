// proof only: 35
/** The page of the tokens in a browser: what each may in words, changes of it, and who sees what. */
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { behindForm, sideways, viewerOfTheGuide } from './door.ts';
import { type Kit, missing, REFUSED, saidAt, startKit, uuidOf } from './kit.ts';

let kit: Kit;
const suiteOf = suite('dashboard tokens');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

const SUMMARY = { dynamic_monitoring_summary: 'read' };
const LIMIT = [
  { scopes: [{ agent_uuid: uuidOf(0) }, { agent_uuid: uuidOf(1) }], permissions: [SUMMARY] },
  { scopes: ['global'], permissions: [{ task: { create: 'ping' } }, { token: 'create' }] },
];
const keyOf = (credential: string) => credential.split(':')[0] ?? '';
const call = (method: string, params: object, token = kit.app.superToken): Promise<any> =>
  kit.app.call(method, { token, ...params });
const limitOf = async (key: string) =>
  (await call('token_get', { token: key, supertoken: kit.app.superToken })).token_limit;

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 2 });
});
suiteOf.after(() => kit?.stop());

test('each token says in a sentence what it may, where and until when', async () => {
  const to = Date.UTC(2031, 2, 1, 12);
  const key = keyOf(await kit.app.token(LIMIT, { timestamp_to: to }));
  await kit.using(async ({ page, findings }) => {
    const row = page.getByRole('listitem').filter({ hasText: key });
    await row.getByText('May read summaries on web-1, db-2').waitFor();
    await row.getByText('until 1 Mar 2031').waitFor();
    await row.getByText('start tasks (ping), create tokens').waitFor();
    await page.getByText('May do everything: this is the Super Token.').waitFor();
    assert.equal(await findings(), []);
  }, 'tokens');
});

test('a token shows what its owner holds of which limits, and the Super Token who holds most', async () => {
  const rights = [
    { scopes: ['global'], permissions: [{ token: 'create' }, { status_page: 'write' }] },
  ];
  const owner = await kit.app.token(rights, {
    username: 'release team',
    password: 'a long password',
  });
  const page = { title: 'x', entries: [] };
  for (let n = 0; n < 23; n++) await call('status-page_create', { slug: `held-${n}`, page }, owner);
  const token_creation = {
    token_limit: [{ scopes: ['global'], permissions: [{ status_page: 'write' }] }],
  };
  const { key } = await kit.app.call('token_create', { father_token: owner, token_creation });
  await kit.using(async ({ page, findings }) => {
    await page.getByText('What tokens hold').click();
    const row = page.getByRole('row').filter({ hasText: 'release team' });
    await row.getByText('Status pages 23 (').waitFor();
    await row.getByText('Status pages: 92% of the limit').waitFor();
    assert.equal(await findings(), []);
    await row.getByRole('link').click();
    await page.getByRole('row', { name: 'Status pages 23 of 25' }).waitFor();
    await page.getByRole('row', { name: 'Tokens 1 of 1,000' }).waitFor();
    await page.getByText('or raise the limit in the configuration').waitFor();
    assert.equal(await findings(), []);
  }, 'tokens');
  await kit.using(
    async ({ page }) => {
      await page.getByRole('row', { name: 'Status pages 23 of 25' }).waitFor();
      await page.getByText('or ask the person who runs the server for a higher limit').waitFor();
      assert.is(await page.getByText('raise the limit in the configuration').count(), 0);
    },
    `tokens/${owner.split(':')[0]}`,
    { token: owner },
  );
  await kit.using(async ({ page }) => {
    await page.getByText('These are the figures of that one: release team').waitFor();
  }, `tokens/${key}`);
  await kit.using(
    async ({ page, findings }) => {
      await page.getByRole('row', { name: '状态页 23 / 25' }).waitFor();
      assert.is(await sideways(page), 0);
      assert.equal(await findings(), []);
    },
    'tokens',
    { token: owner, language: 'zh-CN', width: 390, height: 844, dark: true },
  );
  await call('token_delete', { target_token: key });
  await call('token_delete', { target_token: 'release team' });
});

const MACHINE = [
  {
    scopes: [{ agent_uuid: uuidOf(1) }],
    permissions: [
      { static_monitoring: 'write' },
      { dynamic_monitoring: 'write' },
      { dynamic_monitoring_summary: 'write' },
      { task: 'listen' },
      { task: { write: '*' } },
    ],
  },
  { scopes: [{ kv_namespace: uuidOf(1) }], permissions: [{ kv: { write: 'agent_*' } }] },
];

for (const [at, [preset, limit, can, cannot]] of (
  [
    ['Viewer', viewerOfTheGuide(), 'agent-uuid_list', 'token_list_all_tokens'],
    ['Operator', undefined, 'crontab_get', 'token_list_all_tokens'],
    ['Agent', MACHINE, 'token_get', 'agent-uuid_list_all'],
    ['Backup', undefined, 'kv_list_all_namespace', 'token_list_all_tokens'],
  ] as const
).entries())
  test(`${preset} is one click, says what it may, and makes a token that may just that`, () =>
    behindForm(
      kit,
      'tokens?new=1',
      { language: 'en-US', width: at === 1 ? 390 : 1024, height: 844 },
      async ({ page, findings }) => {
        const create = page.getByRole('button', { name: 'Create token' });
        await create.waitFor();
        assert.ok(await create.isDisabled());
        await page.getByRole('radio', { name: preset }).check();
        if (preset === 'Agent')
          await page.getByLabel('Machine', { exact: true }).selectOption('db-2');
        await page.locator('.tokens-sentences li').first().waitFor();
        assert.is(await sideways(page), 0);
        assert.equal(await findings(), []);
        await create.click();
        const token = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
        const made = await kit.app.call('token_get', { token });
        if (limit) assert.equal(made.token_limit, limit);
        const explain = async (method: string) =>
          (await kit.app.call('token_explain', { token, method })).allowed;
        assert.not.equal(await explain(can), false, can);
        assert.equal(await explain(cannot), false, cannot);
        if (preset !== 'Agent') return;
        await page.getByRole('button', { name: 'I have saved it' }).click();
        await page.getByRole('heading', { name: 'db-2' }).waitFor();
      },
    ));

test('the rights of a preset can be adjusted before the token is made', () =>
  behindForm(kit, 'tokens?new=1', { language: 'de-DE' }, async ({ page }) => {
    await page.getByRole('radio', { name: 'Viewer' }).check();
    await page.getByRole('button', { name: 'Adjust these rights' }).click();
    const fold = page.locator('summary', { hasText: 'Monitoring' });
    await fold.locator('.tag').getByText('2').waitFor();
    await page.getByRole('checkbox', { name: 'read summaries' }).uncheck();
    await page.getByText('May read facts of the hardware (CPU, system), list machines').waitFor();
  }));

test('a token is clicked together by the keyboard, its secret works and is shown once', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('radio', { name: 'Something else' }).press('Space');
    await page.getByText('May do nothing').waitFor();
    assert.is(await page.getByText(/Sentence|Rule 1/).count(), 0);
    await page.locator('summary', { hasText: 'Monitoring' }).press('Enter');
    await page.getByRole('checkbox', { name: 'read summaries' }).press('Space');
    await page.locator('summary', { hasText: /^Machines$/ }).press('Enter');
    await page.getByRole('checkbox', { name: 'web-1' }).press('Space');
    await page.getByText('May read summaries on web-1').waitFor();
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Create token' }).press('Enter');
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    assert.equal(await findings(), []);
    const made = await kit.app.call('token_get', { token: secret });
    assert.equal(made.token_limit, [
      { scopes: [{ agent_uuid: uuidOf(0) }], permissions: [SUMMARY] },
    ]);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('May this token call').waitFor();
    assert.not.ok((await page.content()).includes(secret.split(':')[1] ?? ''));
  }, 'tokens'));

test('sentences and JSON show the same limit, and JSON that is none is not saved', async () => {
  const key = keyOf(await kit.app.token(LIMIT));
  await kit.using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'JSON' }).click();
    const box = page.getByLabel('The limit as JSON');
    assert.equal(JSON.parse(await box.inputValue()), LIMIT);
    const save = page.getByRole('button', { name: 'Save' });
    for (const [text, words] of [
      ['[{', 'at line 1, column 3'],
      ['{}', 'It must be a list'],
      ['[{"scopes":["global"]}]', 'Entry 1 needs a list "permissions".'],
      ['[{"scopes":["global"],"permissions":[7]}]', 'Entry 1 has 7'],
    ] as const) {
      await box.fill(text);
      await page.getByText(words).waitFor();
      assert.ok(await save.isDisabled(), text);
    }
    await box.fill('[{"scopes":[{"kv_namespace":"notes"}],"permissions":[{"kv":{"read":"a*"}}]}]');
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.getByText('May read values (a*) on namespace notes').waitFor();
    await page.getByLabel('Which: read values', { exact: true }).fill('b');
    await page.keyboard.press('Enter');
    await page.getByText('May read values (a*, b) on').waitFor();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await save.click();
    await page.getByText('The rights are saved.').waitFor();
    assert.equal(await limitOf(key), [
      {
        scopes: [{ kv_namespace: 'notes' }],
        permissions: [{ kv: { read: 'a*' } }, { kv: { read: 'b' } }],
      },
    ]);
  }, `tokens/${key}`);
});

test('the check names the entry that is missing, and its button adds it', async () => {
  const key = keyOf(
    await kit.app.token([{ scopes: ['global'], permissions: [{ kv: 'list_all_namespace' }] }]),
  );
  await kit.using(async ({ page, findings }) => {
    await page.getByLabel('Method').fill('kv_get_value');
    await page.getByLabel('Parameters as JSON').fill('{"namespace":"notes","key":"a"}');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('No, it may not call kv_get_value.').waitFor();
    await page.getByText('May read values (a) on namespace notes').waitFor();
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'Add this entry' }).click();
    await page.getByText('Yes, it may call kv_get_value.').waitFor();
    assert.equal((await limitOf(key))[1], {
      scopes: [{ kv_namespace: 'notes' }],
      permissions: [{ kv: { read: 'a' } }],
    });
  }, `tokens/${key}`);
});

test('whoever makes a token for a person reads that the person needs no secret', () =>
  behindForm(kit, 'tokens?new=1', {}, async ({ page, findings }) => {
    await page.getByRole('radio', { name: 'Viewer' }).check();
    const name = page.getByLabel('User name');
    const field = page.getByLabel('Password');
    for (const [username, password, at, text] of [
      ['a:b', 'a long enough password', name, 'A user name cannot contain : or |.'],
      ['a|b', 'a long enough password', name, 'A user name cannot contain : or |.'],
      ['mila', 'a long: password', field, 'A password cannot contain :.'],
      [
        ' ',
        'a long enough password',
        field,
        'A user name needs a password, and a password a user name.',
      ],
    ] as const) {
      await name.fill(username);
      await field.fill(password);
      await saidAt(at, text);
      assert.ok(await page.getByRole('button', { name: 'Create token' }).isDisabled());
    }
    await name.fill(' mila ');
    for (const [password, text] of REFUSED) {
      await field.fill(password);
      await page.getByRole('button', { name: 'Create token' }).click();
      await saidAt(field, `Password ${text}`);
      assert.is(await page.getByRole('alert').count(), 0);
      assert.equal(await findings(), []);
    }
    await field.fill('a long enough password');
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this secret now' });
    await dialog.getByText(/^mila logs in with the user name and the password/).waitFor();
    assert.equal(await findings(), []);
  }));

test('secret, password and life of a token end after a word about what hangs on it', async () => {
  const old = await kit.app.token(LIMIT, { username: 'parent', password: 'first-one' });
  const token_creation = { token_limit: [LIMIT[0]] };
  const child = await kit.app.call('token_create', { father_token: old, token_creation });
  await kit.using(
    async ({ page, findings }) => {
      await page.getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
      const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
      assert.is((await kit.app.call('token_get', { token: secret })).username, 'parent');
      await page.getByRole('button', { name: 'I have saved it' }).click();
      await page.getByRole('button', { name: 'Change password' }).click();
      const field = page.getByLabel('New password', { exact: true });
      await field.fill('a long: password');
      await saidAt(field, 'A password cannot contain :.');
      for (const [password, text] of REFUSED) {
        await field.fill(password);
        await page.keyboard.press('Enter');
        await saidAt(field, `New password ${text}`);
        assert.is(await page.getByRole('dialog').getByRole('alert').count(), 0);
      }
      await field.fill('second-one');
      await page.keyboard.press('Enter');
      await page.getByText('The password is changed.').waitFor();
      await kit.app.call('token_get', { token: 'parent|second-one' });
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText(`Tokens: ${child.key}`).waitFor();
      assert.equal(await findings(), []);
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('parent is deleted.').waitFor();
      await page.getByRole('link', { name: 'parent' }).waitFor({ state: 'detached' });
    },
    `tokens/${keyOf(old)}`,
  );
});

test('another token sees itself alone, on a phone, in the dark and in Chinese', async () => {
  const token = await kit.app.token([LIMIT[0]]);
  await kit.using(
    async ({ page, findings }) => {
      await page.getByText('这是您自己的令牌').waitFor();
      await page.getByText('读取摘要').first().waitFor();
      assert.is(await page.getByRole('button', { name: /编辑|删除|新建令牌/ }).count(), 0);
      await page.getByLabel('方法').fill('token_list_all_tokens');
      await page.getByRole('button', { name: '检查' }).click();
      await page.getByText('否，不能调用 token_list_all_tokens。').waitFor();
      assert.equal(await findings(), []);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    },
    'tokens',
    { token, width: 390, height: 844, dark: true, language: 'zh-CN' },
  );
});

suiteOf.run();
