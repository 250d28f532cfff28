import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

interface Crumb {
  readonly label: string;
  readonly to?: string;
}

/** Steps after the page's name in the first line, and in the window's title. */
export const crumbs = signal<readonly Crumb[]>([]);

/** Names where the reader is inside of a page: a machine, a bucket and its folder. */
export function useCrumbs(...list: readonly Crumb[]): void {
  const key = JSON.stringify(list);
  useEffect(() => {
    const mine = JSON.parse(key) as Crumb[];
    crumbs.value = mine;
    return () => {
      // What comes in its place may have named itself already.
      if (crumbs.value === mine) crumbs.value = [];
    };
  }, [key]);
}
