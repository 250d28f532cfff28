import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { home } from './meta.ts';

/** Address of the view: `/svc/dashboard/agent/<uuid>/charts?range=1h` has the page `agent` and the rest `[uuid, 'charts']`. */
export interface Address {
  readonly page: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** Earlier names of queries: links that people have kept still work. */
const EARLIER = { agent: 'machine', agents: 'machine' };

function read(): Address {
  const [page = '', ...rest] = location.pathname
    .slice(home.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  const query = new URLSearchParams(location.search);
  for (const [earlier, name] of Object.entries(EARLIER)) {
    const value = query.get(earlier);
    if (value !== null && !query.has(name)) query.set(name, value);
    query.delete(earlier);
  }
  return { page: page === '' ? 'fleet' : page, rest, query };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address as a signal: what reads it in a component follows it. */
export const address = signal<Address>(read());
addEventListener('popstate', () => {
  address.value = read();
});

type Query = { readonly [name: string]: string | undefined };

/** An address of this page: `to('agent', uuid, 'charts')`; a query as the last value. */
export function to(page: string, ...rest: readonly (string | Query)[]): string {
  const last = rest.at(-1);
  const query = typeof last === 'object' ? last : {};
  const parts = [page, ...rest.filter((part) => typeof part === 'string')];
  const path = parts.map((part) => encodeURIComponent(part as string)).join('/');
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, value);
  const text = search.toString();
  return `${home}${page === 'fleet' && parts.length === 1 ? '' : path}${text === '' ? '' : `?${text}`}`;
}

/** Goes there; `replace` leaves no step in the history. */
export function navigate(url: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  address.value = read();
  if (!replace) document.getElementById('content')?.scrollTo?.(0, 0);
}

/** Changes the query of this view: filters live in the address. `undefined` removes a value. */
export function setQuery(changes: Query, { replace = true } = {}): void {
  const query = new URLSearchParams(address.value.query);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  const text = query.toString();
  navigate(location.pathname + (text === '' ? '' : `?${text}`), { replace });
}

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly title?: string;
  readonly label?: string;
  readonly current?: boolean;
}

/** A link inside the page. With a modifier key it is an ordinary one: a new tab works. */
export function Link({ to: href, children, class: name, title, label, current }: LinkProps) {
  return (
    <a
      href={href}
      class={name}
      title={title}
      aria-label={label}
      {...(current && { 'aria-current': 'page' })}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
          return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}
