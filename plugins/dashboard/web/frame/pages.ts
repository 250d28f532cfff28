import type { IconNode } from 'lucide';
import type { ComponentType } from 'preact';
import type { Strings } from '../strings/index.ts';
import type { Method, Server } from './server.ts';

export interface Page {
  readonly id: PageId;
  readonly icon: IconNode;
  /** Tells whether the menu has it; other pages are reached from one of those. */
  readonly inMenu: boolean;
  /** One of these plugins is enough. */
  readonly plugins: readonly string[];
  /** One of these rights, held anywhere, is enough, or one of the methods; neither: any credential. */
  readonly rights?: readonly (readonly [kind: string, verb?: string])[];
  readonly methods?: readonly Method[];
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

export type PageId = keyof Strings['frame']['pages'];

/** Pages of the dashboard, in the order of the menu. */
export let pages: readonly Page[] = [];

/** Sets the pages before the first drawing. */
export function setPages(list: readonly Page[]): void {
  pages = list;
}

export const pageOf = (id: string): Page | undefined => pages.find((page) => page.id === id);

/** Returns what keeps this reader from the page: nothing, a plugin that is off, or a right. */
export function obstacle(
  { plugins, rights = [], methods = [] }: Page,
  { has, may, holds }: Server,
): { readonly plugin: string } | { readonly right: string } | undefined {
  const [plugin = ''] = plugins;
  if (!plugins.some(has)) return { plugin };
  const wanted = [...rights.map((right) => right.join(' ')), ...methods];
  if (wanted.length === 0 || rights.some((right) => holds(...right))) return undefined;
  if (methods.some((method) => may(method) !== false)) return undefined;
  return { right: wanted.join(', ') };
}

/** Page where a reader begins: the first one of the menu that is for this token. */
export const firstPage = (server: Server): Page | undefined =>
  pages.find((page) => page.inMenu && !obstacle(page, server));
