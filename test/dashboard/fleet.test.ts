// proof only: 20
/** The fleet in a browser: a thousand machines, one of which has gone, one whose disk is full and one whose clock is wrong. */

import * as assert from 'uvu/assert';
import { spaceMood } from '../../plugins/dashboard/web/parts/space.ts';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, nameOf, startKit, until, uuidOf, type Window } from './kit.ts';
import { lineOf } from './line.ts';

const COUNT = 1_000;
/** px and more: what a person sees of cards is far less than the fleet. */
const MOST_CARDS = 60;
/** The page, its styles and scripts, and the page of the address. */
const MOST_REQUESTS = 12;
const MOST_MESSAGES = 12;
const LONG_TASK_MS = 200;

let kit: Kit;
let period = 10;
let beat: ReturnType<typeof setInterval> | undefined;
const suiteOf = suite('dashboard fleet');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

const GONE = 0;
const FULL = 1;
const AHEAD = 2;

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: COUNT, named: 40, gone: 1 });
  let round = 0;
  // Every machine reports once a second, a tenth of them each time; after the first test less often.
  beat = setInterval(() => {
    round++;
    for (const [at, machine] of kit.machines.entries())
      if (at !== GONE && at % period === round % period)
        void machine.report({
          ...(at === FULL && { available_space: 3 * 2 ** 30 }),
          ...(at === AHEAD && { time: Date.now() + 200_000 }),
          cpu_usage: 100 + ((at * 37 + round * 11) % 400),
        });
  }, 100);
});
suiteOf.after(async () => {
  clearInterval(beat);
  await kit?.stop();
});

const using: Kit['using'] = (work, ...address) =>
  kit.using(
    async (window) => {
      await window.page.locator('.fleet-totals').waitFor();
      await work(window);
    },
    ...address,
  );

/** Tasks of the page's thread that took more than 200 ms of the processor; what other programs take is not the page's. */
async function longTasks(page: Window['page'], work: () => Promise<void>): Promise<number[]> {
  await kit.browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await work();
  const { traceEvents } = JSON.parse(String(await kit.browser.stopTracing())) as {
    traceEvents: TraceEvent[];
  };
  const threads = new Set(
    traceEvents
      .filter(({ args }) => args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ ph, tdur, pid, tid }) => ph === 'X' && tdur !== undefined && threads.has(`${pid} ${tid}`),
  );
  assert.ok(tasks.length > 0, 'the browser tells of tasks');
  return tasks.map(({ tdur = 0 }) => tdur / 1_000).filter((ms) => ms > LONG_TASK_MS);
}

interface TraceEvent {
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** µs of the processor. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

test('a thousand live machines: only those in the window are drawn, nothing takes long, a key is answered at once', () =>
  using(async ({ page }) => {
    await page.locator('.fleet-card').first().waitFor();
    const cards = await page.locator('.fleet-card').count();
    assert.ok(cards > 8 && cards < MOST_CARDS, `${cards} cards`);
    assert.match(String(await page.locator('.fleet-totals').textContent()), /999 \/ 1,000/);
    const filter = page.getByLabel('Name, address, tag …');
    const long = await longTasks(page, async () => {
      await page.mouse.move(700, 600);
      for (let step = 0; step < 10; step++) await page.mouse.wheel(0, step < 5 ? 3_000 : -3_000);
      await filter.pressSequentially('web-1');
      await until(page, "document.querySelectorAll('.fleet-card').length <= 5");
      assert.match(page.url(), /\?q=web-1$/);
      await filter.fill('');
      await until(page, "document.querySelectorAll('.fleet-card').length > 5");
    });
    assert.equal(long, []);
    const cpu = () => page.locator('.fleet-card').nth(3).textContent();
    const before = await cpu();
    while ((await cpu()) === before) await page.waitForTimeout(20);
    period = 50;
  }));

test('the first data take few requests and few messages', async () => {
  const window = await kit.open('?q=none', { token: null });
  const { page, close } = window;
  try {
    const requests: string[] = [];
    const sent: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => sent.push(String(payload).slice(0, 80))),
    );
    await page.evaluate(
      `sessionStorage.setItem('svc-session ' + location.origin, ${JSON.stringify(JSON.stringify({ credential: kit.app.superToken }))})`,
    );
    await page.goto(`${kit.app.url}/svc/dashboard/`);
    await page.locator('.fleet-card').first().waitFor();
    assert.ok(requests.length <= MOST_REQUESTS, `${requests.length}: ${requests.join(' ')}`);
    assert.ok(sent.length <= MOST_MESSAGES, sent.join('\n'));
    assert.ok(
      requests.every((url) => url.startsWith(kit.app.url)),
      'nothing outside',
    );
    for (const message of sent) assert.not.match(message, '"GET ');
  } finally {
    await close();
  }
});

for (const dark of [false, true])
  test(`without alerts the page judges by itself what needs attention and says why, and nothing is hard to read (${dark ? 'dark' : 'light'})`, () =>
    using(
      async ({ page, findings }) => {
        const look = page.locator('.fleet-look');
        await look.getByText(/Disk 97% full, 3.00 GiB left/).waitFor();
        await look.getByText(/Clock 3 min ahead/).waitFor();
        assert.equal(await findings(), []);
        // The machine with the fullest disk is one click away: none to find it.
        await look.getByRole('link', { name: 'db-2' }).click();
        await page.waitForURL(`**/agent/${uuidOf(FULL)}`);
      },
      '',
      { dark, before: lineOf('alert').attach },
    ));

for (const dark of [false, true])
  test(`figures of a machine that has gone can be read (${dark ? 'dark' : 'light'})`, () =>
    using(
      async ({ page, findings }) => {
        await page.locator('.fleet-card.away .fleet-bars .num').first().waitFor();
        assert.equal(await findings(), []);
      },
      '?state=all&first=offline',
      { dark },
    ));

test('units are those that a person reads, and the exact value is on hover, by the region of the reader', async () => {
  const memory = async (language: string) => {
    let title = '';
    await kit.using(
      async ({ page }) => {
        const figure = page.locator('.fleet-total', { hasText: /Memory|内存/ });
        await until(page, "/GiB|TiB/.test(document.querySelector('.fleet-totals')?.textContent)");
        title = String(await figure.locator('[title]').first().getAttribute('title'));
      },
      '',
      { language },
    );
    return title;
  };
  assert.match(await memory('en-GB'), /^\d{1,3}(,\d{3}){4} B$/);
  assert.match(await memory('en-IN'), /^\d{1,2}(,\d{2}){4},\d{3} B$/);
  assert.match(await memory('zh-CN'), /^\d{1,3}(,\d{3}){4} B$/);
});

test('offline is told in words and stands first on demand; tags filter and group', () =>
  using(async ({ page }) => {
    const gone = page.locator('.fleet-card', {
      has: page.getByRole('link', { name: 'web-1', exact: true }),
    });
    await page.getByRole('button', { name: 'Offline first' }).click();
    // Ten minutes ago was yesterday for a while, which has its date before the time.
    await gone.getByText(/Offline for \d+ min/).waitFor();
    assert.match(String(await page.locator('.fleet-card').first().textContent()), /^web-1/);
    await page.getByRole('button', { name: 'Group by tag' }).click();
    await page.getByRole('heading', { name: /^Frankfurt 20$/ }).waitFor();
    await page.getByRole('combobox', { name: 'Tags' }).selectOption('edge');
    await page.getByRole('heading', { name: /^edge 10$/ }).waitFor();
    assert.match(page.url(), 'first=offline&group=tag&tag=edge');
    await page.reload();
    await page.getByRole('heading', { name: /^edge 10$/ }).waitFor();
  }, '?state=all'));

test('the table sorts, hides columns, and changes the machines that are selected', () =>
  using(async ({ page, findings }) => {
    await page.getByRole('columnheader', { name: 'Disk' }).getByRole('button').click();
    await page.locator('.table-row').first().getByText('db-2').waitFor();
    assert.is(
      await page.getByRole('columnheader', { name: 'Disk' }).getAttribute('aria-sort'),
      'descending',
    );
    const rows = await page.locator('.table-row').count();
    assert.ok(rows < 80, `${rows} rows`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemradio', { name: 'Load' }).click();
    await page.getByRole('columnheader', { name: 'Load' }).waitFor({ state: 'detached' });
    assert.equal(await findings(), []);

    await page.getByLabel('Name, address, tag …').fill('build-');
    await page.getByLabel('Select build-4', { exact: true }).check();
    await page.getByLabel('Select build-8', { exact: true }).check();
    const actions = page.getByRole('region', { name: '2 selected' });
    await actions.getByRole('button', { name: 'Tags' }).click();
    const dialog = page.getByRole('dialog');
    assert.equal(await findings(), []);
    await dialog.getByLabel('Tags').fill('build, rack 7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Tags of 2 machines saved.').waitFor();
    const tags = () =>
      kit.app.call('kv_get_value', [kit.app.superToken, uuidOf(3), 'metadata_tags']);
    assert.equal(await tags(), ['build', 'rack 7']);
    await page.getByRole('button', { name: 'Undo' }).click();
    while ((await tags()).includes('rack 7')) await page.waitForTimeout(20);

    await actions.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('They leave the list.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await actions.getByRole('button', { name: 'Run a task' }).click();
    await page.waitForURL(`**/tasks?machine=${encodeURIComponent(`${uuidOf(3)},${uuidOf(7)}`)}`);
  }, '?view=table'));

test('the table shows the columns that the window has room for: who hides one sees the next', () =>
  using(
    async ({ page }) => {
      const heads = () => page.getByRole('columnheader').allInnerTexts();
      await page.locator('.table-row').first().waitFor();
      assert.equal((await heads()).slice(1), ['Name', 'State', 'CPU', 'Memory', 'Disk']);
      const beyond = await page
        .locator('.table-scroll')
        .evaluate(({ scrollWidth, clientWidth }: any) => scrollWidth - clientWidth);
      assert.is(beyond, 0);
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemradio', { name: 'Memory' }).click();
      await page.getByRole('columnheader', { name: 'Down' }).waitFor();
    },
    '?view=table',
    { width: 1024 },
  ));

const HOT = 4;
const SICK = 5;
const ENDED = 6;
const ENDING = 7;
const DAY_MS = 86_400_000;

// biome-ignore format: one case per line
const notes: [at: number, key: string, value: unknown, text: RegExp][] = [
  [HOT, 'agent_sensors', { temperatures: [{ name: 'coretemp Core 0', celsius: 97, limit: 100 }, { name: 'nvme', celsius: 40, limit: 80 }] }, /coretemp Core 0 at 97 °C, its limit is 100 °C/],
  [SICK, 'agent_containers', { containers: [{ name: 'web', state: 'running', health: 'unhealthy' }, { name: 'db', state: 'running' }] }, /Container web is unhealthy/],
  [ENDED, 'metadata_expire_time', '2020-05-01', /Expired on 1 May 2020/],
  [ENDING, 'metadata_expire_time', Date.now() + 3 * DAY_MS, /Expires on /],
];

test('sensors near their limit, containers that are not well and contracts that end need attention', async () => {
  const time = Date.now();
  for (const [at, key, value] of notes) {
    const stored = key.startsWith('agent_') ? { time, ...(value as object) } : value;
    await kit.app.call('kv_set_value', [kit.app.superToken, uuidOf(at), key, stored]);
  }
  await using(async ({ page }) => {
    const third = page.locator('.fleet-card', { hasText: nameOf(notes[2]![0]) });
    await third.locator('.fleet-state').waitFor();
    for (const [at, , , text] of notes) {
      const card = page.locator('.fleet-card', { hasText: nameOf(at) });
      assert.match(String(await card.locator('.fleet-state').getAttribute('title')), text);
    }
  }, '?state=look');
});

const GIB = 2 ** 30;
const TIB = 2 ** 40;
// biome-ignore format: one case per line
const disks: [name: string, total: number, left: number, mood: 'warn' | 'bad' | undefined][] = [
  ['half of it is used', 100 * GIB, 50 * GIB, undefined],
  ['600 GB of 10 TB are left', 10 * TIB, 600 * GIB, undefined],
  ['80 GB of 1 TB are left', TIB, 80 * GIB, undefined],
  ['30 GB of 1 TB are left', TIB, 30 * GIB, 'warn'],
  ['150 GB of 10 TB are left', 10 * TIB, 150 * GIB, 'warn'],
  ['8 GB of 100 GB are left', 100 * GIB, 8 * GIB, 'warn'],
  ['3 GB of 100 GB are left', 100 * GIB, 3 * GIB, 'bad'],
  ['nothing is known', 0, 0, undefined],
];
for (const [name, total, left, mood] of disks)
  test(`a disk is weighed by what is left: ${name}`, () => assert.is(spaceMood(total, left), mood));

test('a machine about which nothing is stored gets its first tag', () =>
  using(async ({ page }) => {
    await page.getByLabel('Name, address, tag …').fill('build-12');
    // The page draws it behind the click: `check` would look at once.
    await page.getByLabel('Select build-12', { exact: true }).click();
    await page.getByRole('button', { name: 'Tags' }).click();
    await kit.app.call('kv_delete_namespace', [kit.app.superToken, uuidOf(11)]);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Tags').fill('first');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/ saved\.$/).waitFor();
    const key = [kit.app.superToken, uuidOf(11), 'metadata_tags'];
    assert.equal(await kit.app.call('kv_get_value', key), ['first']);
  }, '?view=table'));

test('a machine is added by a line, and the page says when it has come', () =>
  using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'Add a machine' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('new-1');
    await dialog.getByRole('button', { name: 'Create the command' }).click();
    const line = (await dialog.locator('.command code').first().textContent()) ?? '';
    assert.match(
      line,
      /^curl -fsS http\S+\/svc\/enrol\/install \| sh -s -- \w{24} --key sha256\/\/\S{44}$/,
    );
    // The page was opened by loopback: it says so, and what to type.
    await dialog.getByText(/this command works on this one only/).waitFor();
    await dialog.getByText(/^npm start -- --listen 0\.0\.0\.0:\d+$/).waitFor();
    assert.equal(await findings(), []);
    const body = `code=${line.split(' ').at(-3)}`;
    await kit.app.fetch('/svc/enrol/exchange', { method: 'POST', body });
    await dialog.getByText('Connected:').waitFor();
  }));

test('on a phone there is one card a row and a bar at the bottom', () =>
  using(
    async ({ page, findings }) => {
      await page.locator('.fleet-card').nth(1).waitFor();
      // Both are measured at one moment: cards come and go with what machines report.
      const left = await page
        .locator('.fleet-card')
        .evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().x));
      assert.is(left[0], left[1]);
      assert.is(await page.evaluate('document.documentElement.scrollWidth'), 390);
      await page.locator('.bottom').getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Server' }).click();
      await page.waitForURL('**/server');
      assert.equal(await findings(), []);
    },
    '',
    { width: 390, height: 844 },
  ));

suiteOf.run();
