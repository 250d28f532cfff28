import { PluginError, type Route, type Routes } from '@svc/plugin-sdk';
import polka from 'polka';

export interface Match {
  readonly route: Route;
  /** Percent-decoded once. */
  readonly params: { readonly [name: string]: string };
}

interface Entry {
  readonly route: Route;
  readonly exact: RegExp;
  /** Name of what `*` stands for. */
  readonly wildcard: string;
}

/**
 * The route table. polka keeps the patterns; its own handler is not used, because it matches without regard to
 * case, lumps unknown methods together and answers with the text of errors.
 */
export class Router {
  readonly #table = polka();
  readonly #paths = new Map<string, string>();
  readonly #rewrite: (path: string) => string;
  #found: Entry | undefined;

  constructor(rewrite: (path: string) => string) {
    this.#rewrite = rewrite;
  }

  for(plugin: string): Routes {
    return {
      add: (route) => {
        const path = this.#rewrite(route.path);
        const owner = this.#paths.get(path);
        if (owner)
          throw new PluginError(plugin, `route '${path}' is already registered by '${owner}'`);
        this.#paths.set(path, plugin);
        const wildcard = /\*(\w+)$/.exec(path)?.[1] ?? '*';
        const entry = { route: { ...route, path }, exact: exactCase(path), wildcard };
        this.#table.all(path.replace(/\*\w+$/, '*'), () => {
          this.#found = entry;
        });
      },
    };
  }

  /** @returns undefined when no route has this raw path, or a parameter is not valid percent-encoding */
  match(path: string): Match | undefined {
    const { handlers, params } = this.#table.find('GET', path);
    for (const handler of handlers) {
      this.#found = undefined;
      (handler as unknown as () => void)();
      const entry = this.#found as Entry | undefined;
      if (!entry?.exact.test(path)) continue;
      const decoded = decode(params, entry.wildcard);
      if (decoded) return { route: entry.route, params: decoded };
    }
    return undefined;
  }
}

/** Literal parts of a pattern in their exact case; the table has compared all the rest. */
const exactCase = (pattern: string): RegExp => {
  const parts = pattern
    .split('/')
    .map((part) => (/^[:*]/.test(part) ? '[^/]*' : part.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}(?:/|$)`);
};

function decode(
  params: Record<string, string>,
  wildcard: string,
): Record<string, string> | undefined {
  const decoded: Record<string, string> = {};
  try {
    for (const name in params) {
      const value = params[name] ?? '';
      decoded[name === '*' ? wildcard : name] = value.includes('%')
        ? decodeURIComponent(value)
        : value;
    }
    return decoded;
  } catch {
    // Not percent-encoding: the path names nothing.
    return undefined;
  }
}
