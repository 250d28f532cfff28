import { effect, type Signal, signal } from '@preact/signals';

/** A choice that stays on the device. A browser that keeps nothing forgets it with the tab. */
function stored<T extends string>(key: string, allowed: readonly T[]): Signal<T> {
  const [first] = allowed as readonly [T, ...T[]];
  const last = localStorage.getItem(key) as T | null;
  const made = signal<T>(last !== null && allowed.includes(last) ? last : first);
  let isFirst = true;
  made.subscribe((value) => {
    if (!isFirst) localStorage.setItem(key, value);
    isFirst = false;
  });
  return made;
}

export const theme = stored('svc-theme', ['system', 'light', 'dark']);
export const density = stored('svc-density', ['comfortable', 'compact']);
/** Minutes without use until the page locks itself. */
export const lockAfter = stored('svc-lock', ['off', '5', '15', '60']);
export const rail = stored('svc-rail', ['wide', 'narrow']);
/** Tab of the last log-in on this device. */
export const loginWay = stored('svc-login', ['token', 'password']);

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
