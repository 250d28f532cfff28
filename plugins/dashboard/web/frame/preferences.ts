import { effect, type Signal, signal } from '@preact/signals';

/** A choice that stays on the device. A browser that keeps nothing forgets it with the tab. */
function kept<T extends string>(key: string, allowed: readonly T[]): Signal<T> {
  const [first] = allowed as readonly [T, ...T[]];
  const stored = localStorage.getItem(key) as T | null;
  const made = signal<T>(stored !== null && allowed.includes(stored) ? stored : first);
  let isFirst = true;
  made.subscribe((value) => {
    if (!isFirst) localStorage.setItem(key, value);
    isFirst = false;
  });
  return made;
}

export const theme = kept('svc-theme', ['system', 'light', 'dark']);
export const density = kept('svc-density', ['comfortable', 'compact']);
/** Minutes without use until the page locks itself. */
export const lockAfter = kept('svc-lock', ['off', '5', '15', '60']);
export const rail = kept('svc-rail', ['wide', 'narrow']);
/** How somebody logged in here last. */
export const loginWay = kept('svc-login', ['token', 'password']);

const media = matchMedia('(prefers-color-scheme: dark)');
const prefersDark = signal(media.matches);
media.addEventListener('change', () => {
  prefersDark.value = media.matches;
});

/** Puts the choices on the root element, where the tokens look for them. */
export function applyPreferences(): void {
  const { dataset } = document.documentElement;
  effect(() => {
    const isDark = theme.value === 'system' ? prefersDark.value : theme.value === 'dark';
    dataset['theme'] = isDark ? 'dark' : 'light';
    queueMicrotask(changed);
  });
  density.subscribe((value) => {
    dataset['density'] = value;
  });
}

/** Grows when the colours change: charts that draw with them subscribe. */
export const colours = signal(0);
const changed = () => {
  colours.value++;
};
