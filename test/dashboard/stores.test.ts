// proof only: 15
/** The page of the stores in a browser: values, databases and buckets, with and without the rights to them. */

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit } from './kit.ts';

let kit: Kit;
const suiteOf = suite('dashboard stores');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

const call = (method: string, params: object): Promise<any> =>
  kit.app.call(method, { token: kit.app.superToken, ...params });

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 1 });
  await call('kv_create', { namespace: 'notes' });
  await call('kv_set_value', { namespace: 'notes', key: 'colours', value: ['red', 'green'] });
  await call('kv_set_value', { namespace: 'notes', key: 'limit', value: 1 });
  await call('static-bucket_create', {
    name: 'docs',
    path: 'docs',
    is_http_root: false,
    cors: false,
  });
});
suiteOf.after(() => kit?.stop());

test('JSON is checked while it is typed, and a change is shown before it is saved and can be undone', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByRole('link', { name: 'notes' }).click();
    await page.getByRole('link', { name: 'colours' }).click();
    const box = page.getByLabel('Value as JSON: colours');
    assert.is(await box.inputValue(), '[\n  "red",\n  "green"\n]');
    await box.fill('[\n  "red",\n  blue\n]');
    await page.getByText('at line 3, column 3: expected a value').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Review and save' }).isDisabled());
    await box.fill('["red", "blue", 12345678901234567890]');
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"green"').waitFor();
    assert.equal(await dialog.locator('.removed code').allInnerTexts(), ['  "green"']);
    assert.equal(await dialog.locator('.added code').allInnerTexts(), [
      '  "blue",',
      '  12345678901234567890',
    ]);
    assert.equal(await findings(), []);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('colours is saved.').waitFor();
    assert.equal(await call('kv_get_value', { namespace: 'notes', key: 'colours' }), [
      'red',
      'blue',
      Number('12345678901234567890'),
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    const back = await call('kv_get_value', { namespace: 'notes', key: 'colours' });
    assert.equal(back, ['red', 'green']);
  }, 'stores/kv'));

test('a value that somebody else changed meanwhile is not replaced unseen, and a deleted key comes back', () =>
  kit.using(async ({ page }) => {
    const box = page.getByLabel('Value as JSON: limit');
    await box.fill('3');
    await call('kv_set_value', { namespace: 'notes', key: 'limit', value: 2 });
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByText('Someone changed this value').waitFor();
    assert.equal(await page.locator('.diff .removed code').allInnerTexts(), ['2']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('limit is deleted.').waitFor();
    await page.getByText('This key does not exist yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    assert.ok((await call('kv_get_all_keys', { namespace: 'notes' })).includes('limit'));
  }, 'stores/kv?in=notes&key=limit'));

test('a database is made, filled and read by SQL; what removes rows asks first', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByText('No databases yet').waitFor();
    await page.getByRole('button', { name: 'New database' }).click();
    await page.getByLabel('Name').fill('shop');
    await page.keyboard.press('Enter');
    const box = page.getByLabel('SQL: shop');
    await box.fill(
      `create table orders (id integer, what text); insert into orders values (9, '椅子'), (10, null)`,
    );
    await page.keyboard.press('Control+Enter');
    await page.getByText('Done. No rows were returned.').waitFor();
    await page.getByRole('link', { name: 'orders' }).click();
    await page.getByText('2 rows in').waitFor();
    await page.getByRole('cell', { name: '椅子' }).waitFor();
    assert.equal(await findings(), []);
    await page.getByRole('button', { name: 'id', exact: true }).click();
    assert.match((await page.locator('.table-row').allInnerTexts()).join('|'), /10.*\|.*9/s);
    await page.getByRole('button', { name: 'Row 2' }).click();
    await page.getByRole('dialog').getByText('null').waitFor();
    await page.keyboard.press('Escape');
    await box.fill('selec 1');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('syntax error').waitFor();
    await box.fill("delete from orders -- 'all'");
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('This SQL changes or removes data').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const sql = 'select count(*) as n from orders';
    assert.equal((await call('db_exec_sql', { name: 'shop', sql })).data, [{ n: 2 }]);
  }, 'stores/db'));

/** As from the desktop: an event with files. */
const drop = (files: Record<string, string>) => `(() => {
  const data = new DataTransfer();
  for (const [name, text] of Object.entries(${JSON.stringify(files)}))
    data.items.add(new File([text], name));
  document.querySelector('.stores-drop').dispatchEvent(
    new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
})()`;

const PAGE = '<script>document.title = "ran"</script><h1>Hello 世界</h1>';
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>parent.document.title = "ran"</script><rect width="40" height="40"/></svg>`;

test('files are dropped into a folder, asked about before they are replaced, and previewed without running', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByText('No files here yet').waitFor();
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name').fill('site/img');
    await page.keyboard.press('Enter');
    await page.waitForURL('**folder=site%2Fimg');
    await page.evaluate(drop({ 'index.html': PAGE, 'a.svg': PICTURE }));
    await page.getByText('2 files are uploaded.').waitFor();
    await page.getByRole('link', { name: 'index.html' }).click();
    await page.locator('.stores-text pre').getByText('<h1>Hello 世界</h1>').waitFor();
    assert.equal(await findings(), []);
    await page.getByRole('link', { name: 'a.svg' }).click();
    await page.locator('.stores-media img').waitFor();
    const image = page.locator('.stores-media img');
    await image.evaluate((image: any) => image.decode());
    assert.is(await image.evaluate((image: any) => image.naturalWidth), 40);
    assert.not.match(await page.title(), 'ran');
    await page.evaluate(drop({ 'a.svg': 'x' }));
    await page.getByRole('dialog').getByText('site/img/a.svg').waitFor();
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('One file is uploaded.').waitFor();
    assert.equal(
      (await call('static-bucket-file_list', { name: 'docs' })).map(({ path, size }: any) => [
        path,
        size,
      ]),
      [
        ['site/img/a.svg', 1],
        ['site/img/index.html', new TextEncoder().encode(PAGE).length],
      ],
    );
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('link', { name: 'a.svg' }).waitFor({ state: 'detached' });
  }, 'stores/files?in=docs'));

test('a deleted file, bucket and namespace come back as they were', () =>
  kit.using(async ({ page }) => {
    const remove = async (button: string) => {
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone.').waitFor();
      await page.getByText('Undone.').waitFor({ state: 'detached' });
    };
    const base64 = Buffer.from('here').toString('base64');
    const file = { name: 'docs', path: 'kept.txt' };
    await call('static-bucket-file_upload', { ...file, base64 });
    const open = (address: string) =>
      page.evaluate(
        `history.pushState(null, '', '/svc/dashboard/stores/${address}'); dispatchEvent(new PopStateEvent('popstate'))`,
      );
    await open('files?in=docs&file=kept.txt');
    await remove('Delete');
    assert.is(await call('static-bucket-file_read', file), base64);
    await call('static-bucket_create', {
      name: 'spare',
      path: 'x',
      is_http_root: false,
      cors: true,
    });
    const spare = async () => ({ ...(await call('static-bucket_read', { name: 'spare' })), id: 0 });
    const before = await spare();
    await open('files?in=spare');
    await remove('Delete this bucket');
    assert.equal(await spare(), before);
    await open('kv?in=notes');
    await remove('Delete this namespace');
    const values = [{ namespace: 'notes', key: 'colours', value: ['red', 'green'] }];
    assert.equal(
      await call('kv_get_multi_value', { namespace_key: [{ namespace: 'notes', key: 'colours' }] }),
      values,
    );
  }, 'stores/files'));

test('a token sees the stores that it may list, and an address says which right is missing', async () => {
  const token = await kit.app.token([
    {
      scopes: [{ kv_namespace: 'notes' }],
      permissions: [{ kv: 'list_all_namespace' }, { kv: 'list_all_keys' }, { kv: { read: '*' } }],
    },
  ]);
  await kit.using(
    async ({ page, findings }) => {
      await page.getByText('this page needs: db_list').waitFor();
      assert.equal(await page.getByRole('tab').allInnerTexts(), ['Key-value']);
      await page.getByRole('tab').click();
      await page.getByRole('link', { name: 'notes' }).click();
      await page.getByRole('link', { name: 'colours' }).click();
      const box = page.getByLabel('Value as JSON: colours');
      assert.ok(await box.evaluate((one: any) => one.readOnly));
      assert.is(await page.getByRole('button', { name: /Delete|New|save/ }).count(), 0);
      assert.equal(await findings(), []);
    },
    'stores/db',
    { token, dark: true },
  );
});

test('on a phone one pane is shown at a time, with a way back', () =>
  kit.using(
    async ({ page, findings }) => {
      await page
        .getByLabel('JSON 值：colours')
        .or(page.getByLabel(/colours/))
        .first()
        .waitFor();
      assert.equal(await findings(), []);
      assert.is(await page.locator('.stores-pane:visible').count(), 1);
      await page.getByRole('link', { name: '返回' }).click();
      await page.getByRole('link', { name: 'limit' }).waitFor();
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    },
    'stores/kv?in=notes&key=colours',
    { width: 390, height: 844, language: 'zh-CN' },
  ));

suiteOf.run();
