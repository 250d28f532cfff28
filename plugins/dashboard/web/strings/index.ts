import { en } from './en.ts';

/** The same shape with other words: texts, and functions that make one. */
export type Words<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : T[K] extends readonly unknown[]
        ? readonly string[]
        : Words<T[K]>;
};
export type SharedStrings = Words<typeof en>;
/** Texts by section. The `en.ts` of a page adds its section. */
export interface Strings extends SharedStrings {}

/** Languages, each a file with the shape of `en.ts` here and in every page. */
const languages = {
  en: { name: 'English', load: async (): Promise<SharedStrings> => en },
  zh: { name: '简体中文', load: async (): Promise<SharedStrings> => (await import('./zh.ts')).zh },
};
export type Language = keyof typeof languages;

/**
 * Words of the language that was chosen, or of the browser's. Set before the first drawing, those of a page before the page
 * is drawn; another choice loads everything anew.
 */
export const t = { ...en } as unknown as Strings;

const KEY = 'svc-language';
const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text);

let current: Language = 'en';
/** Locale for `Intl`: words are in the language that is shown; dates, numbers and the clock are those of the browser's region. */
let locale = 'en';

export const languageNames = Object.entries(languages).map(([id, { name }]) => ({
  id: id as Language,
  name,
}));
export const language = (): string => locale;
export const chosenLanguage = (): Language => current;

/** Chooses the language at once, and loads its words. */
export async function loadLanguage(): Promise<void> {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  const found = wanted
    .map((tag) => [tag, tag.split('-')[0] ?? ''] as const)
    .find(([, word]) => isLanguage(word));
  current = (found?.[1] as Language | undefined) ?? 'en';
  locale = localeOf(current, navigator.language);
  document.documentElement.lang = current === 'zh' ? 'zh-CN' : current;
  Object.assign(t, await languages[current].load());
}

/** Loads a page, and with it its section of `t` in the language that is shown. */
export function withWords<S extends keyof Strings, P>(
  section: S,
  words: { readonly [L in Language]: () => Promise<{ readonly words: Strings[S] }> },
  load: () => Promise<P>,
): () => Promise<P> {
  return async () => {
    const [page, loaded] = await Promise.all([load(), words[current]()]);
    Object.assign(t, { [section]: loaded.words });
    return page;
  };
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
