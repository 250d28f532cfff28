import type { Kernel } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { inTime } from '@svc/plugin-sdk/util';

/** A database that has not answered by then is not ready. */
const LIMIT_MS = 2_000;
/** The address needs no credential, so however often it is asked, the database is asked once in this time. */
const PERIOD_MS = 1_000;

/**
 * `GET /svc/health` (the process answers) and `GET /svc/ready` (database and bus do too, else 503), for supervisors and
 * load balancers: no credential, no detail.
 */
export function createProbes(kernel: Kernel<unknown>) {
  const { brand, clock } = kernel;
  const [health, ready] = ['/svc/health', '/svc/ready'].map((path) => brand.rewrite(path));
  let cached: { readonly until: number; readonly answer: Promise<boolean> } | undefined;
  const isReady = (): Promise<boolean> => {
    if (!cached || clock.monotonic() >= cached.until)
      cached = { until: clock.monotonic() + PERIOD_MS, answer: isAnswering(kernel) };
    return cached.answer;
  };
  return (exchange: Exchange): Promise<true> | true | undefined => {
    const { method, path } = exchange;
    if ((path !== health && path !== ready) || (method !== 'GET' && method !== 'HEAD'))
      return undefined;
    if (path === ready) return isReady().then((yes) => answer(exchange, yes));
    return answer(exchange, true);
  };
}

async function isAnswering({ bus, db, log, signal }: Kernel<unknown>): Promise<boolean> {
  if (signal.aborted || !bus.connected()) return false;
  try {
    // The migrator's table is always there, and reading it reaches the file or the server behind.
    await inTime(LIMIT_MS, db.first('select 1 as one from schema_migrations limit 1'));
    return true;
  } catch (error) {
    log.debug('not ready', { error });
    return false;
  }
}

function answer(exchange: Exchange, yes: boolean): true {
  const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store' };
  exchange.text(yes ? 200 : 503, yes ? 'ok\n' : 'not ready\n', headers);
  return true;
}

/** Browsers ask for it with every page; a root bucket's own file comes first. */
export function answerIcon({ method, path, response }: Exchange): true | undefined {
  if (path !== '/favicon.ico' || (method !== 'GET' && method !== 'HEAD')) return undefined;
  response.writeHead(204, { 'cache-control': 'max-age=86400' }).end();
  return true;
}
