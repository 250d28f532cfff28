import { Audit } from '@svc/plugin-audit/api';
import { definePlugin, EARLY, type Kernel, reload, type Static, Type } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { FileLocks, FileServer, StaticBuckets } from '@svc/plugin-static-bucket/api';
import { Tokens } from '@svc/plugin-token/api';
import { UserContent } from '@svc/plugin-user-content/api';
import { Addresses } from './addresses.ts';
import { removeExpiredLocks, removeOrphans } from './clean-up.ts';
import { fileLocks } from './file-locks.ts';
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
    description: 'A connection on which the client sends or takes nothing in this time is closed.',
  }),
  max_uploads: Type.Integer({
    minimum: 1,
    default: 256,
    description: 'Files that are received at the same time; a further one is answered with 503.',
  }),
});

/** WebDAV on buckets: route `/svc/static-webdav/…` (static-http.md part B, RFC 4918 classes 1, 2 and 3). */
export default definePlugin({
  name: 'static-webdav',
  logTarget: 'webdav',
  requires: [StaticBuckets, FileServer, Tokens, UserContent],
  brings: ['static-bucket', 'user-content'],
  optional: [Audit],
  provides: [FileLocks],
  config: reload(config),
  migrations,
  guards: { static_webdav_lock: 'secret', static_webdav_property: 'data' },

  setup(kernel) {
    const { brand, clock, db, hooks } = kernel;
    kernel.provide(FileLocks, fileLocks(openLockStore(db), clock));
    const addresses = new Addresses(brand.rewrite(ROUTE));
    const parts = partsOf(kernel, addresses);
    const answer = (exchange: Exchange) => handle(exchange, parts());

    hooks.routes.tap((routes) => {
      routes.add({ path: '/svc/static-webdav/:name', handle: answer });
      routes.add({ path: '/svc/static-webdav/:name/*path', handle: answer });
    });
    hooks.request.tap((exchange) => {
      // The routes skip a path that cannot be decoded: it is refused here.
      const hasName = /[^/]/.test(exchange.path.charAt(addresses.prefix.length));
      if (!hasName || !exchange.path.startsWith(addresses.prefix)) return undefined;
      return answer(exchange).then(() => true);
    });
    hooks.request.tap(announceAbove(addresses.prefix), { stage: EARLY });
    kernel.every('remove expired WebDAV locks', MINUTE_MS, () => removeExpiredLocks(parts()));
    kernel.every('remove orphaned WebDAV properties', HOUR_MS, () =>
      removeOrphans(parts(), kernel.signal),
    );
  },
});

/** Parts that requests work with. Services can be used only after every `setup`, so they are asked for by each request. */
function partsOf(kernel: Kernel<Static<typeof config>>, addresses: Addresses): () => Parts {
  const { auth, brand, clock, config: settings, db, log } = kernel;
  const stall_ms = () => settings.stall_timeout_ms;
  const own = {
    ...{ addresses, auth, clock, log, stall_ms },
    locks: openLockStore(db),
    properties: openPropertyStore(db),
    realm: `${brand.title} Static WebDAV`,
    turns: new Turns({ clock, stall_ms }),
    uploads: new Uploads({ clock, stall_ms, max: () => settings.max_uploads }),
  };
  return () => ({
    ...own,
    audit: kernel.useOptional(Audit),
    buckets: kernel.use(StaticBuckets),
    server: kernel.use(FileServer),
    tokens: kernel.use(Tokens),
    content: kernel.use(UserContent),
  });
}

/** Announces WebDAV above the shares: Windows asks the directories above a share before it looks at the share itself. */
function announceAbove(prefix: string): (exchange: Exchange) => undefined {
  const names = prefix.split('/').slice(1, -1);
  const above = new Set(['/', ...names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`)]);
  return ({ method, path, response }) => {
    const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
    if (method !== 'OPTIONS' || !above.has(plain)) return;
    for (const [name, value] of Object.entries(DAV_HEADERS)) response.setHeader(name, value);
  };
}
