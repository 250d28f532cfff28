import { en } from './en.ts';

/** The same shape with other words: texts, and functions that make one. */
type Words<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : T[K] extends readonly unknown[]
        ? readonly string[]
        : Words<T[K]>;
};
export type Strings = Words<typeof en>;

/** Every language is one file with the shape of `en.ts`; a third one is one more line here. */
const languages = {
  en: { name: 'English', load: async (): Promise<Strings> => en },
  zh: { name: '简体中文', load: async (): Promise<Strings> => (await import('./zh.ts')).zh },
};
export type Language = keyof typeof languages;

/** The words of the language that was chosen, or of the browser's. Set before the first drawing; another choice loads the page anew. */
export let t: Strings = en;

const KEY = 'svc-language';
const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text);

let current: Language = 'en';
/** For `Intl`: words are in the language that is shown, dates, numbers and the clock are those of the browser's region. */
let locale = 'en';

export const languageNames = Object.entries(languages).map(([id, { name }]) => ({
  id: id as Language,
  name,
}));
export const language = (): string => locale;
export const chosenLanguage = (): Language => current;

export async function loadLanguage(): Promise<void> {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  const found = wanted
    .map((tag) => [tag, tag.split('-')[0] ?? ''] as const)
    .find(([, word]) => isLanguage(word));
  current = (found?.[1] as Language | undefined) ?? 'en';
  locale = localeOf(current, navigator.language);
  t = await languages[current].load();
  document.documentElement.lang = current === 'zh' ? 'zh-CN' : current;
}

/** `en` in a German browser is `en-DE`: English months, 14:02 and 1.234,5. */
function localeOf(shown: Language, browser: string): string {
  if (browser.split('-')[0] === shown) return browser;
  const { region } = new Intl.Locale(browser).maximize();
  const { hourCycle } = new Intl.DateTimeFormat(browser, { hour: 'numeric' }).resolvedOptions();
  return new Intl.Locale(shown, {
    ...(region !== undefined && { region }),
    ...(hourCycle !== undefined && { hourCycle }),
  }).toString();
}

export function chooseLanguage(id: Language): void {
  localStorage.setItem(KEY, id);
  location.reload();
}
