import { definePlugin, LATE, reload, Type } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { FileLocks, FileServer, StaticBuckets } from '@svc/plugin-static-bucket/api';
import { UserContent } from '@svc/plugin-user-content/api';
import { examineSlash } from './examine.ts';
import { examples } from './examples.ts';
import { addMethods } from './methods.ts';
import { badUrl, SiteHandler } from './site.ts';
import { SiteCache } from './site-cache.ts';
import { SiteFiles } from './site-files.ts';

const ROUTE = '/svc/static/';
const RPC_ROUTE = '/svc/rpc';

const config = Type.Object({
  memory_cache_bytes: Type.Integer({
    minimum: 0,
    default: 33_554_432,
    description: 'Bytes of small files that are kept in memory; 0: none.',
  }),
  leading_slash: Type.Optional(
    Type.Enum(['reject', 'strip'], {
      description:
        'A slash at the start of `path`, `from` and `to`: `reject` answers 108, as without this key; `strip` drops one, for clients that send it.',
    }),
  ),
});

/** Files of buckets: namespace `static-bucket-file`, routes `/svc/static/…`, and the root bucket. */
export default definePlugin({
  name: 'static-bucket-file',
  examples,
  namespaces: ['static-bucket-file'],
  requires: [StaticBuckets, FileServer, UserContent],
  optional: [FileLocks],
  brings: ['static-bucket', 'user-content'],
  config: reload(config),
  examine: async ({ brand, config: { leading_slash } }) => examineSlash(brand, leading_slash),

  setup(kernel) {
    const { auth, brand, config: settings, hooks, log, server } = kernel;
    const prefix = brand.rewrite(ROUTE);
    const rpcPath = brand.rewrite(RPC_ROUTE);
    const [buckets, files] = [kernel.use(StaticBuckets), kernel.use(FileServer)];
    const found = new SiteFiles(buckets, files);
    const cache = new SiteCache(buckets, found, () => settings.memory_cache_bytes);
    const { isServed } = buckets;
    const content = kernel.use(UserContent);
    const site = new SiteHandler({ cache, server: files, isServed, content, log });

    hooks.methods.tap((methods) => {
      const locks = kernel.useOptional(FileLocks);
      const pathOf = (text: string) =>
        buckets.wirePath(
          settings.leading_slash === 'strip' ? text.replace(/^\//, '') : text,
          'rpc',
        );
      const { maxResponseBytes } = server;
      addMethods(methods, { buckets, auth, locks, maxResponseBytes, pathOf });
    });
    const handle = (exchange: Exchange) => {
      const { name = '' } = exchange.params;
      const slash = exchange.path.indexOf('/', prefix.length);
      const raw = slash < 0 ? '' : exchange.path.slice(slash + 1);
      return site.answer(exchange, buckets.get(name), raw);
    };
    hooks.routes.tap((routes) => {
      routes.add({ path: '/svc/static/:name', handle });
      routes.add({ path: '/svc/static/:name/*path', handle });
    });
    const paths = { prefix, rpcPath };
    hooks.request.tap((exchange) => atRoot(exchange, { buckets, site }, paths), { stage: LATE });
  },
});

interface Parts {
  readonly buckets: StaticBuckets;
  readonly site: SiteHandler;
}

/** Answers requests that match no route from the bucket at the server's root. @returns undefined when it does not answer */
function atRoot(
  exchange: Exchange,
  { buckets, site }: Parts,
  { prefix, rpcPath }: { readonly prefix: string; readonly rpcPath: string },
): true | undefined | Promise<true | undefined> {
  const { method, path } = exchange;
  // The routes skip a path that cannot be decoded: it is refused here.
  if (path.startsWith(prefix) && /[^/]/.test(path.charAt(prefix.length))) {
    badUrl(exchange);
    return true;
  }
  const bucket = buckets.root();
  if (!bucket || ((path === '/' || path === rpcPath) && method !== 'GET')) return undefined;
  const answer = () => site.answer(exchange, bucket, path, true)?.then(() => true as const) ?? true;
  return whereServed(buckets.isServed(bucket), answer);
}

/** Runs `answer` if the bucket is served; returns a promise only when it has to wait. */
function whereServed<T>(
  served: boolean | Promise<boolean>,
  answer: () => T | Promise<T>,
): T | undefined | Promise<T | undefined> {
  if (served instanceof Promise) return served.then((is) => (is ? answer() : undefined));
  return served ? answer() : undefined;
}
