import { definePlugin, EARLY, type Exchange, Type } from '@svc/plugin-sdk';
import { FileServer, StaticBuckets } from '@svc/plugin-static-bucket/api';
import { Tokens } from '@svc/plugin-token/api';
import { Addresses } from './addresses.ts';
import { removeExpiredLocks, removeOrphans } from './clean-up.ts';
import { handle } from './handler.ts';
import { DAV_HEADERS } from './methods/options.ts';
import { migrations } from './migrations/index.ts';
import type { Parts } from './parts.ts';
import { openLockStore } from './store-locks.ts';
import { openPropertyStore } from './store-properties.ts';
import { Turns } from './turns.ts';
import { Uploads } from './uploads.ts';

const ROUTE = '/svc/static-webdav/';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const config = Type.Object({
  stall_timeout_ms: Type.Integer({
    minimum: 1_000,
    maximum: 2 ** 30,
    default: 60_000,
    description: 'A client that sends or takes nothing in this time is cut.',
  }),
  max_uploads: Type.Integer({
    minimum: 1,
    default: 256,
    description: 'Files that are received at once; beyond, 503.',
  }),
});

/** WebDAV on buckets: route `/svc/static-webdav/…` (static-http.md part B, RFC 4918 classes 1, 2 and 3). */
export default definePlugin({
  name: 'static-webdav',
  version: '0.6.0',
  requires: [StaticBuckets, FileServer, Tokens],
  config,
  reloadable: ['stall_timeout_ms', 'max_uploads'],
  migrations,

  setup(kernel) {
    const { auth, brand, clock, config: settings, db, hooks, log } = kernel;
    const addresses = new Addresses(brand.rewrite(ROUTE));
    const stall_ms = () => settings.stall_timeout_ms;
    const made = {
      addresses,
      auth,
      clock,
      log,
      stall_ms,
      locks: openLockStore(db),
      properties: openPropertyStore(db),
      realm: `${brand.title} Static WebDAV`,
      turns: new Turns({ clock, stall_ms }),
      uploads: new Uploads({ clock, stall_ms, max: () => settings.max_uploads }),
    };
    // Services can be used after every `setup`.
    const parts = (): Parts => ({
      ...made,
      buckets: kernel.use(StaticBuckets),
      server: kernel.use(FileServer),
      tokens: kernel.use(Tokens),
    });
    const answer = (exchange: Exchange) => handle(exchange, parts());

    hooks.routes.tap((routes) => {
      routes.add({ path: '/svc/static-webdav/:name', handle: answer });
      routes.add({ path: '/svc/static-webdav/:name/*path', handle: answer });
    });
    hooks.request.tap((exchange) => {
      // A route with a name is only passed over when its path could not be decoded.
      if (!/[^/]/.test(exchange.path.charAt(addresses.prefix.length))) return undefined;
      if (!exchange.path.startsWith(addresses.prefix)) return undefined;
      return answer(exchange).then(() => true);
    });
    const isAbove = aboveOf(addresses.prefix);
    hooks.request.tap(
      ({ method, path, response }) => {
        if (method === 'OPTIONS' && isAbove(path)) {
          for (const [name, value] of Object.entries(DAV_HEADERS)) response.setHeader(name, value);
        }
        return undefined;
      },
      { stage: EARLY },
    );
    kernel.every('remove expired WebDAV locks', MINUTE_MS, () => removeExpiredLocks(parts()));
    kernel.every('remove orphaned WebDAV properties', HOUR_MS, () =>
      removeOrphans(parts(), kernel.signal),
    );
  },
});

/** Windows asks the directories above a share whether they speak WebDAV before it looks at the share itself. */
function aboveOf(prefix: string): (path: string) => boolean {
  const parts = prefix.split('/').slice(1, -1);
  const above = new Set(['/', ...parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`)]);
  return (path) => above.has(path.length > 1 ? path.replace(/\/$/, '') : path);
}
