import { LANGUAGES, type Language } from '../page.ts';
import { en, type Words } from './en.ts';
import { zhCn } from './zh-cn.ts';

export type { Words } from './en.ts';

const all: { readonly [language in Language]: Words } = { en, 'zh-CN': zhCn };
export const wordsOf = (language: Language): Words => all[language];

export const isLanguage = (text: string | null): text is Language =>
  LANGUAGES.some((one) => one === text);
