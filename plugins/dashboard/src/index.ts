import { fileURLToPath } from 'node:url';
import { definePlugin, LATE, Type } from '@svc/plugin-sdk';
import { FileServer } from '@svc/plugin-static-bucket/api';
import { BuiltFiles } from './built-files.ts';
import { isNavigation } from './navigation.ts';
import { Pages } from './pages.ts';

const config = Type.Object({
  servers: Type.Array(Type.String({ pattern: '^https?://[A-Za-z0-9.:\\[\\]_-]+$' }), {
    default: [],
    description:
      'Other servers that the dashboard of this one may show, for example ["https://eu.example.net"].',
  }),
});

/** Built by `npm run build`, and by `npm start` where the sources are newer. */
const PUBLIC = fileURLToPath(new URL('../public', import.meta.url));

/** The page for people: files at `/svc/dashboard/`, and the way there for a browser that opens `/`. */
export default definePlugin({
  name: 'dashboard',
  version: '0.6.0',
  requires: [FileServer],
  brings: ['static-bucket'],
  config,
  reloadable: ['servers'],

  setup(kernel) {
    const { brand, config: settings, hooks, log } = kernel;
    const home = brand.rewrite('/svc/dashboard/');
    const files = new BuiltFiles(PUBLIC, (name) => kernel.use(FileServer).webType(name));
    const pages = new Pages({
      home,
      brand,
      files,
      log,
      servers: () => settings.servers,
      server: () => kernel.use(FileServer),
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
