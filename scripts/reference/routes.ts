import type { App } from '../../kernel/src/index.ts';
import type { Plugin } from '../../plugin-sdk/src/index.ts';
import { code, GENERATED, table } from './markdown.ts';

/** Routes with what they do, which no registry says. Those without a plugin's `routes` are claimed in the hooks `request` and `upgrade`. */
const ROUTES: readonly (readonly [path: string, plugin: string, who: string, what: string])[] = [
  [
    '/',
    'server-info',
    'anyone; calls show a credential',
    'WebSocket or POST: JSON-RPC. GET: the page of the server, or the root bucket.',
  ],
  [
    '/svc/rpc',
    'server-info',
    'anyone; calls show a credential',
    'The same; never a bucket, except for GET.',
  ],
  [
    '/svc/openrpc.json',
    'discovery',
    'any valid credential, `public_discovery`',
    'GET: the OpenRPC document of this server.',
  ],
  [
    '/svc/metrics',
    'metrics',
    '`metrics` `read` for the server; agents as `agent-uuid_list` and summaries allow',
    'GET: OpenMetrics text. On the address of `[metrics] listener`: `/metrics`, for anyone.',
  ],
  ['/svc/health', 'server-info', 'anyone', 'GET: 200 while the process answers.'],
  ['/svc/ready', 'server-info', 'anyone', 'GET: 200 when database and bus answer too, else 503.'],
  ['/svc/static/:name', 'static-bucket-file', 'anyone', 'GET: the index of a bucket.'],
  ['/svc/static/:name/*path', 'static-bucket-file', 'anyone', 'GET: a file of a bucket.'],
  ['/svc/status/:slug', 'status-page', 'anyone', 'GET: a status page that somebody has made.'],
  [
    '/svc/status/:slug/*path',
    'status-page',
    'anyone',
    'GET: its incidents, feeds, badges and pictures.',
  ],
  [
    '/svc/alert/ack/:key',
    'alert',
    'the key of a message, once, for 24 hours',
    'GET: what an alert is about, with two buttons. POST: acknowledges it.',
  ],
  [
    '/svc/ping/:key',
    'monitor',
    'the key of a heartbeat',
    'GET, HEAD, POST: a job says that it ran.',
  ],
  [
    '/svc/ping/:key/*action',
    'monitor',
    'the same',
    'The same: `start`, `fail`, `log` or an exit status.',
  ],
  ['/svc/push/:key', 'monitor', 'the same', 'GET, HEAD, POST: a push as Uptime Kuma takes it.'],
  ['/svc/enrol/install', 'enrol', 'anyone', 'GET: the installer of the agent.'],
  ['/svc/enrol/installer', 'enrol', 'anyone', 'GET: the installer as the manifest knows it.'],
  ['/svc/enrol/manifest', 'enrol', 'anyone', 'GET: digests of what machines download, signed.'],
  ['/svc/enrol/agent', 'enrol', 'anyone', 'GET: the agent in one file.'],
  [
    '/svc/enrol/runtime/:platform',
    'enrol',
    'an enrolment code, or any valid credential',
    'GET: Node for a platform.',
  ],
  [
    '/svc/enrol/terminal/:platform',
    'enrol',
    'the same',
    'GET: the addon for terminals of a platform.',
  ],
  ['/svc/enrol/exchange', 'enrol', 'an enrolment code', 'POST: the configuration of a machine.'],
  [
    '/svc/static-webdav/:name',
    'static-webdav',
    '`static_bucket_file`: all four words, in the scope of the bucket',
    'WebDAV: the root of a bucket.',
  ],
  ['/svc/static-webdav/:name/*path', 'static-webdav', 'the same', 'WebDAV: files and folders.'],
  [
    '/svc/worker-route/:name',
    'js-worker',
    'as the script decides',
    'Any method: answered by a script worker.',
  ],
  ['/svc/worker-route/:name/*path', 'js-worker', 'as the script decides', 'The same.'],
  ['/worker-route/:name', 'js-worker', 'as the script decides', 'The same; deprecated.'],
  ['/worker-route/:name/*path', 'js-worker', 'as the script decides', 'The same; deprecated.'],
  [
    '/terminal',
    'terminal',
    '`terminal` `connect`, in the scope of the agent',
    'WebSocket: the shell of an agent and one user.',
  ],
  ['/svc/dashboard', 'dashboard', 'anyone', 'GET: the page for people, with a slash behind it.'],
  [
    '/svc/dashboard/*path',
    'dashboard',
    'anyone; its calls show a credential',
    'GET: a file of the page, or the page itself.',
  ],
  [
    '/favicon.ico',
    'server-info',
    'anyone',
    'GET: nothing, 204; a root bucket’s own file comes first.',
  ],
];

/** Every address that answers. @throws Error when a registered route is not described here */
export function routesPage(app: App, plugins: readonly Plugin[]): string {
  const described = new Set(ROUTES.map(([path]) => path));
  const add = ({ path }: { path: string }) => {
    if (!described.has(path))
      throw new Error(`describe the route ${path} in scripts/reference/routes.ts`);
  };
  app.hooks.routes.run(() => ({ add }));
  const enabled = new Set(plugins.map(({ name }) => name));
  const rows = ROUTES.filter(([, plugin]) => enabled.has(plugin)).map(
    ([path, plugin, who, what]) => [code(path), code(plugin), who, what],
  );
  return `${GENERATED}# Routes

Literal paths beat patterns, and both beat the root bucket; what nothing claims speaks JSON-RPC. \`svc\` is the brand word (\`[brand] word\`).

${table(['Path', 'Plugin', 'Who may', 'Does'], rows)}`
    .trimEnd()
    .concat('\n');
}
