import { relative } from 'node:path';
import type { App } from '@svc/kernel';
import { ConfigurationFile } from '@svc/plugin-sdk';

const RULE = '-'.repeat(76);

/** Lines that a first start prints last: where to open the server, and `lines`, the credentials, as they are. */
export function welcome(app: App, lines: readonly string[], isServing = true): string[] {
  const config = app.service(ConfigurationFile)?.path ?? 'FILE';
  const program = `${process.env['npm_command'] ? 'npx ' : ''}svc-server`;
  const file = shorter(config);
  const page = app.kernelOf('dashboard')?.brand.rewrite('/svc/dashboard/');
  const open = () =>
    page === undefined ? `Serves ${app.url}` : `Open   ${inBrowser(app.url)}${page}?user=root`;
  return [
    RULE,
    isServing ? open() : `Start  ${program} serve -c ${file}`,
    'User   root',
    '',
    ...lines,
    '',
    'On the page root logs in with the password; programs send the token. Both are',
    'shown this once and stored nowhere. When they are lost, this makes new ones:',
    `  ${program} roll-super-token -c ${file}`,
    RULE,
  ];
}

/** The address that a browser of this machine opens: of all addresses, loopback. */
export const inBrowser = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

/** Path from the working directory, where the file is below it. */
function shorter(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
