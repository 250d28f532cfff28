import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { definePlugin, fileOnly, LATE, reload, Type } from '@svc/plugin-sdk';
import { Assets } from './assets.ts';
import { isNavigation } from './navigation.ts';
import { Pages } from './pages.ts';

const Server = Type.String({
  pattern: '^https?://[A-Za-z0-9.:\\[\\]_-]+$',
  description: '`https://HOST` or `http://HOST:PORT`, with nothing behind it',
});

const config = Type.Object({
  servers: fileOnly(
    Type.Array(Server, {
      default: [],
      description:
        'Other servers that the dashboard of this one may show, for example ["https://eu.example.net"].',
    }),
  ),
});

/** Built by `npm run build`, and by `npm start` where the sources are newer. */
const PUBLIC = fileURLToPath(new URL('../public', import.meta.url));

/** The page for people: files at `/svc/dashboard/`, and the way there for a browser that opens `/`. */
export default definePlugin({
  name: 'dashboard',
  config: reload(config),

  setup(kernel) {
    const { brand, config: settings, hooks, log } = kernel;
    const home = brand.rewrite('/svc/dashboard/');
    const pages = new Pages({
      home,
      brand,
      index: join(PUBLIC, 'index.html'),
      assets: new Assets(PUBLIC, log),
      log,
      servers: () => settings.servers,
    });
    hooks.routes.tap((routes) => {
      routes.add({
        path: '/svc/dashboard',
        handle: (exchange) =>
          exchange.path === home
            ? pages.answer(exchange)
            : exchange.text(302, '', { location: home + exchange.query }),
      });
      routes.add({ path: '/svc/dashboard/*path', handle: (exchange) => pages.answer(exchange) });
    });
    // After a root bucket, before the page of the protocol.
    hooks.request.tap(
      (exchange) => {
        if (exchange.path !== '/' || !isNavigation(exchange)) return undefined;
        exchange.text(302, '', { location: home, 'cache-control': 'no-store' });
        return true;
      },
      { stage: LATE + 1 },
    );
  },
});
