// proof only: 30
/** The page on which a file of another program is imported, in a browser behind the log-in form. */
import * as assert from 'uvu/assert';
import { gatus } from '../monitor/import/fixtures.ts';
import { suite } from '../runner/suite.ts';
import { behindForm } from './door.ts';
import { type Kit, missing, startKit } from './kit.ts';

let kit: Kit;
const suiteOf = suite('dashboard import of monitors');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (!missing) kit = await startKit({ machines: 1 });
});
suiteOf.after(() => kit?.stop());

test('a file is chosen, looked at, made, switched on and undone', () =>
  behindForm(kit, 'monitors-import', {}, async ({ page, findings }) => {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await button('Choose a file').waitFor();
    const buffer = Buffer.from(gatus);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'gatus.yaml', mimeType: 'text/yaml', buffer });
    await page.getByText('This would be made. Nothing was changed yet.').waitFor();
    await page.getByText('status in [200, 429]').waitFor();
    await page.getByText('SSH is not spoken').waitFor();
    await button('Make them, switched off').click();
    await page.getByText('It is made, and switched off').waitFor();
    await button('Switch on').click();
    await page.getByRole('cell', { name: 'Switched on' }).first().waitFor();
    await button('Undo').click();
    const asked = page.getByRole('dialog');
    const [, count] =
      /import of (\d+) things/.exec((await asked.getByRole('heading').textContent()) ?? '') ?? [];
    await asked.getByRole('button', { name: 'Cancel' }).click();
    assert.is(await page.getByRole('cell', { name: 'Deleted' }).count(), 0);
    await button('Undo').click();
    await asked.getByRole('button', { name: `Delete ${count} things` }).click();
    await page.getByRole('cell', { name: 'Deleted' }).first().waitFor();
    assert.is(await page.getByRole('cell', { name: 'Deleted' }).count(), Number(count));
    await asked.waitFor({ state: 'detached' });
    assert.equal(await findings(), []);
  }));

suiteOf.run();
