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
/** For `Intl`: dates and numbers follow the browser's region where its language is the one that is shown. */
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
  locale =
    navigator.languages.find((tag) => tag.startsWith(current)) ??
    (current === 'zh' ? 'zh-CN' : current);
  t = await languages[current].load();
  document.documentElement.lang = current === 'zh' ? 'zh-CN' : current;
}

export function chooseLanguage(id: Language): void {
  localStorage.setItem(KEY, id);
  location.reload();
}
