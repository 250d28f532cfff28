// proof only: 24
/** The frame in a browser: logging in and out, sessions, rights, the palette, themes, languages, a lost connection. */
import { networkInterfaces } from 'node:os';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  type Kit,
  logIn,
  missing,
  problemsOf,
  REFUSED,
  saidAt,
  startKit,
  type Typed,
  until,
  uuidOf,
} from './kit.ts';

let kit: Kit;
const suiteOf = suite('dashboard frame');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (!missing) kit = await startKit({ machines: 2 });
});
suiteOf.after(() => kit?.stop());

/** No test ends with a problem that it did not mean to cause. */
const sessions = async () =>
  (await kit.app.call('session_list', [kit.app.superToken])).sessions as { key: string }[];

test('a token is exchanged for a session: the tab keeps that, comes back with it, and ends it on the server', () =>
  kit.using(
    async ({ page, findings }) => {
      await page.getByRole('tab', { name: 'Token' }).click();
      assert.equal(await findings(), []);
      await page.getByLabel('Token', { exact: true }).fill('wrong:credential');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('The server does not know this token.').waitFor();
      await page.getByLabel('Token', { exact: true }).fill(kit.app.superToken);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('link', { name: 'web-1' }).first().waitFor();
      const stored = String(
        await page.evaluate('JSON.stringify([{...sessionStorage}, {...localStorage}])'),
      );
      assert.not.match(stored, kit.app.superToken.split(':')[1]!);
      assert.is((await sessions()).length, 1);
      assert.match(page.url(), /\/svc\/dashboard\/agent\/?|\/svc\/dashboard\/$/);
      await page.reload();
      await page.getByRole('link', { name: 'web-1' }).first().waitFor();
      await page.getByRole('button', { name: /^You:/ }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      await page.getByLabel('Token', { exact: true }).waitFor();
      await until(
        page,
        '!Object.keys(sessionStorage).some((key) => key.startsWith("svc-session"))',
      );
      while ((await sessions()).length > 0) await page.waitForTimeout(20);
    },
    '',
    { token: null },
  ));

test('user and password work, and stay on the device on request; ending all sessions elsewhere ends this one', () =>
  kit.using(
    async ({ page }) => {
      await page.getByRole('tab', { name: 'User and password' }).click();
      await page.getByLabel('User', { exact: true }).fill('root');
      await page.getByLabel('Password', { exact: true }).fill(kit.app.rootPassword);
      await page.getByLabel('Stay logged in on this device').check();
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.locator('.rail').waitFor();
      assert.match(String(await page.evaluate('JSON.stringify({...localStorage})')), 'svc-session');
      await page.getByRole('button', { name: /^You:/ }).click();
      await page.getByRole('menuitem', { name: 'Sessions' }).click();
      await page.getByText('this one').waitFor();
      await kit.app.call('session_revoke', { token: kit.app.superToken, all: true });
      // The next call finds out.
      await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
      await page.getByText('Your session has ended.').waitFor();
    },
    'server',
    { token: null },
  ));

test('the form opens on what somebody logged in with here last', () =>
  kit.using(
    async ({ page }) => {
      const current = page.getByRole('tab', { selected: true });
      assert.is(await current.innerText(), 'Token');
      await logIn(page, { username: 'root', password: kit.app.rootPassword });
      await page.getByRole('button', { name: /^You:/ }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      await page.locator('input[name=username]').waitFor();
      await page.reload();
      await page.locator('input[name=username]').waitFor();
      assert.is(await current.innerText(), 'User and password');
    },
    '',
    { token: null },
  ));

test('the address that a first start prints asks for the password of its user alone', () =>
  kit.using(
    async ({ page }) => {
      await page.locator('input[name=password]:focus').waitFor();
      await page.keyboard.type(kit.app.rootPassword);
      await page.keyboard.press('Enter');
      await page.locator('.rail').waitFor();
      assert.is(new URL(page.url()).search, '');
    },
    '?user=root',
    { token: null },
  ));

for (const [what, user] of [
  ['a token', 'abcdefgh:0123456789abcdef'],
  ['more than a name', 'x'.repeat(65)],
])
  test(`an address that names ${what} as its user puts nothing into the form`, () =>
    kit.using(
      async ({ page }) => {
        await page.locator('input[name=token]').waitFor();
        await page.getByRole('tab', { name: 'User and password' }).click();
        assert.is(await page.getByLabel('User', { exact: true }).inputValue(), '');
        assert.is(await page.getByRole('button', { name: 'Move it there' }).count(), 0);
      },
      `?user=${user}`,
      { token: null },
    ));

test('the user of an address goes from it where somebody is logged in already', () =>
  kit.using(async ({ page }) => {
    await page.locator('.rail').waitFor();
    await until(page, `location.search === '?view=table'`);
  }, '?view=table&user=root'));

for (const field of ['User', 'Password'])
  test(`a token that is put into the field ${field} is told where it goes, and goes there by a click`, () =>
    kit.using(
      async ({ page, findings }) => {
        await page.getByRole('tab', { name: 'User and password' }).click();
        await page.getByLabel(field, { exact: true }).fill(kit.app.superToken);
        await page.getByText('This looks like a token').waitFor();
        assert.equal(await findings(), []);
        await page.getByRole('button', { name: 'Move it there' }).click();
        assert.is(await page.getByText('This looks like a token').count(), 0);
        await page.getByRole('button', { name: 'Log in' }).click();
        await page.locator('.rail').waitFor();
      },
      '',
      { token: null },
    ));

test('a password that is put into the field Token is told where it goes, and goes there by a click', () =>
  kit.using(
    async ({ page, findings }) => {
      await page.getByRole('tab', { name: 'Token' }).click();
      await page.getByLabel('Token', { exact: true }).fill(kit.app.rootPassword);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('This is no token').waitFor();
      assert.equal(await findings(), []);
      await page.getByRole('button', { name: 'Move it there' }).click();
      await page.getByLabel('User', { exact: true }).fill('root');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.locator('.rail').waitFor();
    },
    '',
    { token: null },
  ));

const viewer = { scopes: ['global'], permissions: [{ monitoring_uuid: 'list' }] };
const taken: [what: string, typed: (token: string) => string][] = [
  ['USER|PASSWORD', () => 'looker|a password'],
  ['a token between blanks', (token) => ` ${token} `],
];
for (const [what, typed] of taken)
  test(`the field Token takes ${what}`, async () => {
    const token = await kit.app.token([viewer], { username: 'looker', password: 'a password' });
    await kit.using(({ page }) => logIn(page, { token: typed(token) }), '', { token: null });
    await kit.app.call('token_delete', [kit.app.superToken, token.split(':')[0]]);
  });

const wrongly: [who: string, typed: Typed, told: RegExp[], command: number][] = [
  ['root', { username: 'root', password: 'wrong' }, [/password is wrong/, /prints a new one/], 1],
  [
    'somebody',
    { username: 'visitor', password: 'wrong' },
    [/password is wrong/, /person who runs this server/],
    0,
  ],
  [
    'a token',
    { token: 'key:wrong' },
    [/does not know this token/, /person who runs this server/, /root’s/],
    1,
  ],
];
for (const [who, typed, told, command] of wrongly)
  test(`who is not let in is told the way in again: ${who}`, () =>
    kit.using(
      async ({ page, findings }) => {
        const isIn = logIn(page, typed).then(
          () => true,
          () => false,
        );
        for (const text of told) await page.getByText(text).waitFor();
        assert.is(await page.getByText('roll-super-token').count(), command);
        assert.equal(await findings(), []);
        await page.close();
        assert.is(await isIn, false);
      },
      '',
      { token: null },
    ));

const CHANGE = 'Change the password';
/** A server from before `token_change_own_password`. */
const older = async () => {
  const app = await bootForTest(undefined);
  const { methods } = app.kernel as unknown as { methods: Map<string, unknown> };
  assert.ok(methods.delete('token_change_own_password'));
  return app;
};

const changers: [who: string, username: string, isOlder: boolean][] = [
  ['root', 'root', false],
  ['a viewer', 'visitor', false],
  ['root of a server without a method for it', 'root', true],
];
for (const [who, username, isOlder] of changers)
  test(`${who} changes the own password, stays logged in, and every other session ends`, async () => {
    const app = isOlder ? await older() : kit.app;
    const first = username === 'root' ? app.rootPassword : 'a first password';
    if (username !== 'root') await app.token([viewer], { username, password: first });
    const options = { token: null, app };
    const other = await kit.open('', options);
    try {
      await logIn(other.page, { username, password: first });
      await kit.using(
        async ({ page, findings }) => {
          await logIn(page, { username, password: first });
          for (const [from, to] of [
            [first, 'another long password'],
            ['another long password', first],
          ] as const) {
            await page.getByRole('button', { name: /^You:/ }).click();
            await page.getByRole('menuitem', { name: CHANGE }).click();
            const dialog = page.getByRole('dialog');
            const submit = dialog.getByRole('button', { name: CHANGE });
            await dialog.getByLabel('Current password').fill('not this one');
            await dialog.getByLabel('New password').fill('with:colon');
            assert.ok(await submit.isDisabled());
            await dialog.getByLabel('New password').fill(to);
            await submit.click();
            await dialog.getByText('The current password is wrong.').waitFor();
            assert.equal(await findings(), []);
            await dialog.getByLabel('Current password').fill(from);
            for (const [password, text] of REFUSED) {
              await dialog.getByLabel('New password').fill(password);
              await submit.click();
              await saidAt(dialog.getByLabel('New password'), `New password ${text}`);
              assert.is(await dialog.getByRole('alert').count(), 0);
            }
            assert.equal(await findings(), []);
            await dialog.getByLabel('New password').fill(to);
            await submit.click();
            await dialog.waitFor({ state: 'detached' });
          }
          await page.reload();
          await page.locator('.rail').waitFor();
        },
        '',
        options,
      );
      // It may have noticed already: either way the form is all that is left.
      await other.page.reload();
      await other.page.locator('input[name=password]').waitFor();
    } finally {
      await other.close();
      if (isOlder) await app.stop();
    }
  });

test('a server without a policy for passwords decides: the form takes what it takes', async () => {
  const app = await bootForTest(undefined, { token: { password_policy: 'off' } });
  const [username, first] = ['visitor', 'a first password'];
  await app.token([viewer], { username, password: first });
  try {
    await kit.using(
      async ({ page }) => {
        await logIn(page, { username, password: first });
        await page.getByRole('button', { name: /^You:/ }).click();
        await page.getByRole('menuitem', { name: CHANGE }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Current password').fill(first);
        const field = dialog.getByLabel('New password');
        await field.fill('12345');
        await dialog.getByRole('button', { name: CHANGE }).click();
        await saidAt(field, 'New password must be at least 6 characters long');
        await field.fill('123456');
        await dialog.getByRole('button', { name: CHANGE }).click();
        await dialog.waitFor({ state: 'detached' });
        await app.call('token_get', { token: `${username}|123456` });
      },
      '',
      { token: null, app },
    );
  } finally {
    await app.stop();
  }
});

const unchanging: [who: string, username: string | undefined, isOlder: boolean][] = [
  ['a token without user name', undefined, false],
  ['a user name with which no password logs in', 'a:b', false],
  ['a viewer of a server without a method for it', 'visitor', true],
];
for (const [who, username, isOlder] of unchanging)
  test(`no password is offered to be changed to ${who}`, async () => {
    const app = isOlder ? await older() : kit.app;
    try {
      const token = await app.token([viewer], username ? { username, password: 'a password' } : {});
      await kit.using(
        async ({ page }) => {
          await page.getByRole('button', { name: /^You:/ }).click();
          await page.getByRole('menuitem', { name: 'Log out' }).waitFor();
          assert.is(await page.getByRole('menuitem', { name: CHANGE }).count(), 0);
        },
        '',
        { token, app },
      );
    } finally {
      if (isOlder) await app.stop();
    }
  });

test('menu and tabs have what the token may, and an address without a right says which one is missing', async () => {
  const token = await kit.app.token([
    {
      scopes: [{ agent_uuid: uuidOf(0) }],
      permissions: [{ dynamic_monitoring_summary: 'read' }, { monitoring_uuid: 'list' }],
    },
  ]);
  await kit.using(
    async ({ page }) => {
      await page.getByText('No access').waitFor();
      await page.getByText(/does not give the right that this page needs: kv/).waitFor();
      const menu = await page.locator('.rail li').allInnerTexts();
      assert.ok(menu.includes('Fleet'), menu.join());
      assert.not.ok(menu.includes('Stores'), menu.join());
      await page.locator('.rail').getByRole('link', { name: 'Fleet' }).click();
      await page.locator('.fleet-card').first().waitFor();
      assert.is(await page.locator('.fleet-card').count(), 1);
    },
    'stores/files',
    { token },
  );
});

test('the palette finds machines and pages by the keyboard alone', () =>
  kit.using(async ({ page, findings }) => {
    await page.locator('.fleet-card').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('db-2');
    await page.getByRole('option', { name: /db-2/ }).waitFor();
    assert.equal(await findings(), []);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agent/${uuidOf(1)}`);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    await page.goBack();
    await page.locator('.fleet-card').first().waitFor();
  }));

test('theme and language are choices that stay', () =>
  kit.using(async ({ page }) => {
    await page.locator('.fleet-card').first().waitFor();
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    assert.is(await background(), 'rgb(247, 247, 245)');
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    assert.is(await background(), 'rgb(16, 17, 19)');
    await page.getByRole('button', { name: /^You:/ }).click();
    await page.getByRole('menuitemradio', { name: '简体中文' }).click();
    await page.getByRole('link', { name: '主机', exact: true }).first().waitFor();
    assert.is(await background(), 'rgb(16, 17, 19)');
    assert.is(await page.evaluate('document.documentElement.lang'), 'zh-CN');
  }));

test('an unknown address and a plugin that is off are told in a sentence', () =>
  kit.using(async ({ page }) => {
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to the fleet' }).click();
    await page.locator('.fleet-card').first().waitFor();
  }, 'nowhere'));

test('a page that nobody uses locks itself: its session ends, and logging in leads back to where it was', () =>
  kit.using(async ({ page }) => {
    await page.clock.install();
    await page.evaluate("localStorage.setItem('svc-lock', '5')");
    await page.reload();
    await page.locator('.fleet-card').first().waitFor();
    await page.clock.runFor(5 * 60_000 + 11_000);
    await page.getByText('Locked after a while without use.').waitFor();
    assert.match(page.url(), /\?q=web$/);
  }, '?q=web'));

test('without a connection the data stay, grey, and the page says so; it comes back by itself', async () => {
  const window = await kit.open();
  const { page, close } = window;
  try {
    await page.locator('.fleet-card').first().waitFor();
    // The server keeps its address over a restart of the listener only; the page cuts each socket instead, until it has been seen.
    await page.evaluate(`(() => {
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function (...args) {
        this.close();
      };
      globalThis.mend = () => {
        WebSocket.prototype.send = send;
      };
    })()`);
    await kit.machines[0]!.report();
    await page.locator('.rail').getByRole('link', { name: 'Jobs' }).click();
    await page.locator('.rail').getByRole('link', { name: 'Fleet' }).click();
    await page.locator('.shell.lost').waitFor();
    await page.getByText('The connection to the server is lost.').waitFor();
    await page.evaluate('mend()');
    await page.locator('.shell:not(.lost)').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  } finally {
    await close();
  }
});

test('another server of the list is shown with a session of its own', async () => {
  const other = await bootForTest(undefined, { dashboard: { servers: [kit.app.url] } });
  const { host } = new URL(kit.app.url);
  const context = await kit.browser.newContext({ locale: 'en-GB' });
  try {
    const page = await context.newPage();
    await page.goto(`${other.url}/svc/dashboard/`);
    const logIn = async (token: string) => {
      await page.getByRole('tab', { name: 'Token' }).click();
      await page.getByLabel('Token', { exact: true }).fill(token);
      await page.getByRole('button', { name: 'Log in' }).click();
    };
    await logIn(other.superToken);
    await page.getByRole('heading', { name: 'No machines yet' }).waitFor();
    await page.getByRole('button', { name: /^You:/ }).click();
    await page.getByRole('menuitem', { name: host }).click();
    await logIn(kit.app.superToken);
    await page.getByRole('link', { name: 'web-1' }).first().waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'web-1' }).first().waitFor();
  } finally {
    await context.close();
    await other.stop();
  }
});

const lan = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

(lan ? test : suiteOf.skip)(
  'over plain HTTP from another address everything works, and the page says what is missing',
  async () => {
    const app = await bootForTest(undefined, { ws_listener: `${lan}:0` });
    const context = await kit.browser.newContext({ locale: 'en-GB' });
    try {
      const page = await context.newPage();
      const problems = problemsOf(page);
      await page.goto(`${app.url}/`);
      await page.waitForURL('**/svc/dashboard/');
      assert.is(await page.evaluate('isSecureContext'), false);
      await page.getByText('This connection is not encrypted.').waitFor();
      await page.getByRole('tab', { name: 'Token' }).click();
      await page.getByLabel('Token', { exact: true }).fill(app.superToken);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('heading', { name: 'No machines yet' }).waitFor();
      await page.getByRole('button', { name: 'Add a machine' }).click();
      await page.getByRole('button', { name: 'Create the command' }).click();
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      const search = page.getByRole('combobox');
      await search.press('Control+v');
      assert.match(await search.inputValue(), app.url);
      assert.equal(problems, []);
    } finally {
      await context.close();
      await app.stop();
    }
  },
);

suiteOf.run();
