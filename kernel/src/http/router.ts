import { PluginError, type Route, type Routes } from '@svc/plugin-sdk';
import polka from 'polka';

export interface Match {
  readonly route: Route;
  /** Percent-decoded once. */
  readonly params: { readonly [name: string]: string };
}

interface Entry {
  readonly route: Route;
  readonly names: readonly string[];
}

/**
 * The route table. polka keeps the patterns; its own handler is not used, because it lumps unknown methods together and
 * answers with the text of errors.
 */
export class Router {
  readonly #table = polka();
  /** By the function that is the route's key in the table. */
  readonly #entries = new Map<unknown, Entry>();
  readonly #owners = new Map<string, string>();
  readonly #rewrite: (path: string) => string;

  constructor(rewrite: (path: string) => string) {
    this.#rewrite = rewrite;
  }

  for(plugin: string): Routes {
    return {
      add: (route) => {
        const path = this.#rewrite(route.path);
        const owner = this.#owners.get(path);
        if (owner)
          throw new PluginError(plugin, `route '${path}' is already registered by '${owner}'`);
        this.#owners.set(path, plugin);
        const key = () => {};
        this.#entries.set(key, { route, names: path.match(/(?<=\/[:*])\w+/g) ?? [] });
        this.#table.all(patternOf(path), key);
      },
    };
  }

  /** @returns undefined when no route has this raw path, or a parameter is not valid percent-encoding */
  match(path: string): Match | undefined {
    const { handlers, params } = this.#table.find('GET', path);
    for (const key of handlers) {
      const { route, names } = this.#entries.get(key) as Entry;
      const decoded = decode(params, names);
      if (decoded) return { route, params: decoded };
    }
    return undefined;
  }
}

/** Case-sensitive, which the table's own patterns are not. A slash at the end makes no difference. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part.startsWith(':')) return `(?<${part.slice(1)}>[^/]+?)`;
    return part.startsWith('*') ? `(?<${part.slice(1)}>.*)` : part.replace(/[^\w-]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}

function decode(
  params: Record<string, string>,
  names: readonly string[],
): Match['params'] | undefined {
  try {
    return Object.fromEntries(names.map((name) => [name, decodeURIComponent(params[name] ?? '')]));
  } catch {
    // Not percent-encoding: the path names nothing.
    return undefined;
  }
}
