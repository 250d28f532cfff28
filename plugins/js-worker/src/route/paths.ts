import type { Hooks } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import type { RouteHandler } from './route.ts';

const PREFIXES = ['/svc/worker-route/', '/worker-route/'] as const;

/** Registers both prefixes, the deprecated one too (worker-route.md §1). */
export function addRoutes(
  hooks: Hooks,
  rewrite: (path: string) => string,
  handler: RouteHandler,
): void {
  hooks.routes.tap((routes) => {
    for (const prefix of PREFIXES) {
      for (const path of [':name', ':name/*path'])
        routes.add({ path: `${prefix}${path}`, handle: (exchange) => handler.answer(exchange) });
    }
  });
  const prefixes = PREFIXES.map(rewrite);
  // What the router passes over: paths that cannot be decoded, and blank names before a slash.
  hooks.request.tap(
    (exchange) => {
      const prefix = prefixes.find((each) => exchange.path.startsWith(each));
      const rest = prefix && exchange.path.slice(prefix.length);
      return rest ? answerUnrouted(exchange, rest, handler) : undefined;
    },
    { stage: 1 },
  );
}

async function answerUnrouted(
  exchange: Exchange,
  rest: string,
  handler: RouteHandler,
): Promise<true> {
  const [name = '', ...path] = rest.split('/');
  if (name === '') handler.refuse(exchange, 400, 'route_name cannot be empty');
  else if (!isUtf8(name)) handler.refuse(exchange, 400, badPart('route_name'));
  else if (!isUtf8(path.join('/'))) handler.refuse(exchange, 400, badPart('path'));
  else {
    Object.assign(exchange, { params: { name: decodeURIComponent(name) } });
    await handler.answer(exchange);
  }
  return true;
}

const badPart = (name: string): string => `Invalid URL: Invalid UTF-8 in \`${name}\``;

function isUtf8(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
