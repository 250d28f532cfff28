import type { IncomingMessage } from 'node:http';
import type { Route, Routes } from '@svc/plugin-sdk/http';
import { PluginError } from '@svc/plugin-sdk/kernel';
import { markFor } from '@svc/plugin-sdk/util';
import polka from 'polka';
import type { HttpExchange } from './exchange.ts';

/** One request on its way through the table. */
interface Turn {
  readonly exchange: HttpExchange;
  /** URL as the client sent it: polka writes another one, without the host of a target in absolute form. */
  readonly url: string | undefined;
  /** Once a route has it. */
  answer?: true | Promise<true>;
  fail?: (error: unknown) => void;
}

/** Key on the request: a weak map costs three times what the rest of a lookup does. */
const TURN = Symbol('turn');
type Routed = IncomingMessage & { [TURN]?: Turn; readonly params?: Record<string, string> };

/**
 * The routes of plugins, each for all methods: polka knows nine of them, and takes WebDAV's for one another. What a
 * route does with a method is its own affair. Errors go back to the `request` hook, since polka would send their text.
 */
export class Router {
  readonly #table = polka({
    onError: (error, request: Routed) => request[TURN]?.fail?.(error),
    onNoMatch: () => {
      // The other taps of the `request` hook are next.
    },
  });
  readonly #owners = new Map<string, string>();
  readonly #rewrite: (path: string) => string;

  constructor(rewrite: (path: string) => string) {
    this.#rewrite = rewrite;
    this.#table.parse = (request: Routed) => {
      const { path, query } = (request[TURN] as Turn).exchange;
      return {
        pathname: path,
        search: query,
        query: undefined,
        hash: undefined,
        raw: path + query,
      };
    };
  }

  for(plugin: string): Routes {
    return {
      add: (route) => {
        const path = this.#rewrite(route.path);
        const owner = this.#owners.get(path);
        if (owner)
          throw new PluginError(plugin, `route '${path}' is already registered by '${owner}'`);
        const number = this.#owners.size;
        this.#owners.set(path, plugin);
        this.#table.all(patternOf(path, number), this.#handlerOf(route, path, number));
      },
    };
  }

  /** Gives the request to the first route with its path. @returns undefined when there is none, or a parameter is not valid percent-encoding */
  answer(exchange: HttpExchange): Promise<true> | true | undefined {
    const { request, response, path } = exchange;
    if (!isDecodable(path)) return undefined;
    const turn: Turn = { exchange, url: request.url };
    (request as Routed)[TURN] = turn;
    void this.#table.handler(request as never, response, undefined as never);
    request.url = turn.url;
    return turn.answer;
  }

  /** Tells whether a route has this raw path. */
  has(path: string): boolean {
    return isDecodable(path) && this.#table.find('GET', path).handlers.length > 0;
  }

  #handlerOf(route: Route, path: string, number: number) {
    const names = path.match(/(?<=\/[:*])\w+/g) ?? [];
    return (request: Routed) => {
      const turn = request[TURN] as Turn;
      const { exchange } = turn;
      const { promise, resolve, reject } = Promise.withResolvers<true>();
      turn.answer = promise;
      turn.fail = reject;
      const { params = {} } = request;
      exchange.params = Object.fromEntries(
        names.map((name) => [name, params[groupOf(name, number)] ?? '']),
      );
      request.url = turn.url;
      exchange.route = path;
      markFor(path);
      const waiting = route.handle(exchange);
      if (waiting)
        return waiting.then(() => {
          markFor(path);
          resolve(true);
        });
      turn.answer = true;
    };
  }
}

/** The parameters of all routes with a path share one record in polka: the number keeps them apart. */
const groupOf = (name: string, number: number): string => `${name}_${number}`;

/** Case-sensitive, which polka's own patterns are not. A slash at the end makes no difference. */
function patternOf(path: string, number: number): RegExp {
  const parts = path.split('/').map((part) => {
    const group = groupOf(part.slice(1), number);
    if (part.startsWith(':')) return `(?<${group}>[^/]+?)`;
    return part.startsWith('*') ? `(?<${group}>.*)` : part.replace(/[^\w-]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}

function isDecodable(path: string): boolean {
  try {
    return !path.includes('%') || decodeURIComponent(path) !== '';
  } catch {
    // Not percent-encoding: the path names nothing.
    return false;
  }
}
