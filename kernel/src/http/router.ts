import { PluginError, type Route, type Routes } from '@svc/plugin-sdk';
import polka from 'polka';

export interface Match {
  readonly route: Route;
  /** Percent-decoded once. */
  readonly params: { readonly [name: string]: string };
}

/**
 * The route table. polka keeps the patterns; its own handler is not used, because it matches without regard to
 * case, lumps unknown methods together and answers with the text of errors.
 */
export class Router {
  readonly #table = polka();
  readonly #paths = new Map<string, string>();
  readonly #rewrite: (path: string) => string;
  #found: Route | undefined;

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
        this.#table.all(path.replace(/\*\w+$/, '*'), () => {
          this.#found = { ...route, path };
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
      const route = this.#found as Route | undefined;
      if (!route || !sameCase(route.path, path)) continue;
      const decoded = decode(route.path, params);
      if (decoded) return { route, params: decoded };
    }
    return undefined;
  }
}

const sameCase = (pattern: string, path: string): boolean => {
  const given = path.split('/');
  return pattern.split('/').every((part, at) => /^[:*]/.test(part) || part === given[at]);
};

function decode(
  pattern: string,
  params: Record<string, string>,
): Record<string, string> | undefined {
  const wildcard = /\*(\w+)$/.exec(pattern)?.[1];
  try {
    return Object.fromEntries(
      Object.entries(params).map(([name, value]) => [
        name === '*' ? (wildcard ?? name) : name,
        decodeURIComponent(value ?? ''),
      ]),
    );
  } catch {
    // Not percent-encoding: the path names nothing.
    return undefined;
  }
}
