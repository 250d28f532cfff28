/** Every page of the dashboard with its tabs, and something to show on each. */
import { type Kit, until, uuidOf, type Window } from './kit.ts';
import type { Line } from './line.ts';

/** Makes one of each thing that pages show. */
export async function furnish(kit: Kit): Promise<void> {
  const token = kit.app.superToken;
  await kit.app.call('status-page_create', {
    token,
    slug: 'main',
    page: { title: 'Example', entries: [{ name: 'web', agent: uuidOf(0) }] },
  });
  await kit.app.call('db_create', { token, name: 'shop' });
  await kit.app.call('static-bucket_create', {
    token,
    name: 'site',
    path: 'site',
    is_http_root: false,
    cors: false,
  });
  const js_script_base64 = Buffer.from('export default {}').toString('base64');
  await kit.app.call('js-worker_create', { token, name: 'nightly', js_script_base64 });
  await kit.app.call('monitor_create', {
    token,
    monitor: { name: 'website', kind: 'http', spec: { url: `${kit.app.url}/svc/health` } },
  });
  await kit.app.call('crontab_create', {
    token,
    name: 'pings',
    cron_expression: '0 0 * * * *',
    cron_type: { agent: [[uuidOf(0)], { task: { ping: '192.0.2.1' } }] },
  });
}

const machine = `agent/${uuidOf(0)}`;
/** Every page with its tabs, and the plugins without which it is not there or lacks a part. */
export const PLACES: readonly (readonly [address: string, ...plugins: string[]])[] = [
  ['', 'agent', 'series', 'agent-events', 'kv', 'task'],
  ['?view=table', 'agent'],
  [machine, 'agent', 'series', 'agent-events', 'kv', 'task', 'terminal'],
  [`${machine}/charts`, 'agent', 'series', 'agent-events'],
  [`${machine}/probes`, 'task', 'crontab'],
  [`${machine}/tasks`, 'task'],
  [`${machine}/facts`, 'agent', 'agent-events'],
  [`${machine}/settings`, 'kv'],
  ['alerts', 'alert', 'notify'],
  ['alerts/history', 'alert'],
  ['alerts/rules', 'alert'],
  ['alerts/rules?new=', 'alert'],
  ['alerts/rules?new=disk', 'alert', 'notify', 'series'],
  ['alerts/rules/Disk%20full', 'alert', 'notify'],
  ['alerts/silences', 'alert', 'status-page'],
  ['alerts/channels', 'alert', 'notify'],
  ['alerts/channels?new=', 'notify'],
  ['monitors', 'monitor'],
  ['monitors/website', 'monitor', 'alert'],
  ['monitors/website?edit=', 'monitor'],
  ['monitors?new=', 'monitor'],
  ['monitors-import', 'monitor'],
  ['probes', 'task', 'crontab'],
  ['tasks', 'task'],
  ['tasks/history', 'task', 'crontab'],
  ['terminal', 'terminal', 'task'],
  ['jobs', 'crontab', 'task', 'js-worker'],
  ['jobs/pings', 'crontab', 'task', 'js-worker'],
  ['jobs?new=1', 'crontab', 'task', 'js-worker'],
  ['stores/kv', 'kv'],
  [`stores/kv?in=${uuidOf(0)}&key=metadata_name`, 'kv'],
  ['stores/db', 'db'],
  ['stores/db?in=shop', 'db'],
  ['stores/files', 'static-bucket-file'],
  ['stores/files?in=site', 'static-bucket-file'],
  ['workers', 'js-worker'],
  ['workers?name=nightly', 'js-worker', 'crontab'],
  ['tokens', 'kv', 'db', 'js-worker', 'static-bucket-file', 'status-page', 'crontab'],
  ['tokens?new=1', 'kv', 'db', 'js-worker', 'static-bucket-file', 'status-page'],
  ['server', 'agent-events', 'retention'],
  ['server/retention', 'retention', 'kv', 'series', 'audit'],
  ['server/status', 'status-page'],
  ['server/status/main', 'status-page', 'task'],
  ['server/log', 'server-info'],
  ['server/configuration', 'server-info'],
  ['server/audit', 'audit'],
];

/** Goes there without loading the page anew. */
export async function goTo(page: Window['page'], address: string): Promise<void> {
  const path = JSON.stringify(`/svc/dashboard/${address}`);
  await page.evaluate(
    `history.pushState(null, '', ${path}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

/** Goes there, waits for all answers, and says what is wrong. */
export async function visit(
  { page, problems }: Window,
  line: Line,
  address: string,
): Promise<string[]> {
  await goTo(page, address);
  await until(page, "document.querySelector('#content .page, #content > .empty')");
  await line.quiet();
  const shown = await page.locator('#content [role=alert], #content .note.bad').allInnerTexts();
  const wrong = [...shown, ...line.refused.splice(0), ...problems.splice(0)];
  if (await page.getByText('This page failed').count()) wrong.push('the page failed');
  return wrong.map((text) => `${address}: ${text}`);
}
