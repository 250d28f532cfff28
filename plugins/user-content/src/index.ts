import { Refusals } from '@svc/plugin-admission/api';
import { definePlugin, EARLY, fileOnly, reload, Type } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { type Content, UserContent } from './api.ts';
import { ContentHosts } from './hosts.ts';

/**
 * The page gets an opaque origin: it cannot read the storage of the server's pages, nor their windows.
 * Scripts, forms and links work.
 */
const SANDBOX =
  'sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-scripts';
const ELSEWHERE = 'this host name serves only content of buckets and script workers';
/** Paths of content. Root buckets belong to the administrator, and are not moved. */
const PATHS = ['/svc/static/', '/svc/static-webdav/', '/svc/worker-route/', '/worker-route/'];

const Host = Type.String({
  pattern: '^[A-Za-z0-9._-]+(?::[0-9]{1,5})?$',
  description: 'a host name, or `name:port`, without `https://`',
});

const rootConfig = Type.Object({
  content_hosts: fileOnly(
    Type.Array(Host, {
      default: [],
      description:
        'Host names that serve content of tokens without rights to all of its kind, and nothing else; the first one is where links lead.',
    }),
  ),
});

/** Keeps content of tokens apart from the origin of the server's pages: service `UserContent`. */
export default definePlugin({
  name: 'user-content',
  optional: [Refusals],
  provides: [UserContent],
  rootConfig: reload(rootConfig),

  setup({ brand, hooks, provide, root, useOptional }) {
    const hosts = new ContentHosts(() => root.content_hosts);
    const count = (address: string) =>
      useOptional(Refusals)?.refused('a page or call under a host name of content', address);
    const paths = PATHS.map(brand.rewrite);
    provide(UserContent, { admit: (exchange, content) => admit(exchange, content, hosts) });
    hooks.request.tap(
      (exchange) => {
        if (!hosts.has(exchange.request.headers)) return undefined;
        if (paths.some((path) => exchange.path.startsWith(path))) return undefined;
        count(exchange.peerAddress);
        exchange.text(421, ELSEWHERE);
        return true;
      },
      { stage: EARLY },
    );
    hooks.upgrade.tap(
      (upgrade) => {
        if (!hosts.has(upgrade.headers)) return undefined;
        count(upgrade.peerAddress);
        upgrade.refuse(421, ELSEWHERE);
        return true;
      },
      { stage: EARLY },
    );
  },
});

function admit(exchange: Exchange, { trusted, stays }: Content, hosts: ContentHosts): boolean {
  const { method, request, response, path, query } = exchange;
  const isThere = hosts.has(request.headers);
  if (trusted && isThere) {
    // Its storage would be within reach of every page on this host name.
    exchange.text(421, 'this content is not served under this host name');
    return false;
  }
  if (trusted || isThere) return true;
  if (hosts.areUsed && stays !== true && (method === 'GET' || method === 'HEAD')) {
    // Scripts of other origins may follow, as they could read the content itself.
    const location = `//${hosts.authority(request.headers)}${path}${query}`;
    exchange.text(307, '', { location, 'access-control-allow-origin': '*' });
    return false;
  }
  response.setHeader('content-security-policy', SANDBOX);
  return true;
}
