import { LANGUAGES, type Language } from '../page.ts';
import { en, type Words } from './en.ts';
import { zhCn } from './zh-cn.ts';

export type { Words } from './en.ts';

const all: { readonly [language in Language]: Words } = { en, 'zh-CN': zhCn };
export const wordsOf = (language: Language): Words => all[language];

const MOST_HEADER = 300;

/** The first language of the header that there is; Traditional Chinese is read as Simplified, which is nearer than English. */
export function languageOf(header: string | undefined): Language {
  const wishes = (header ?? '')
    .slice(0, MOST_HEADER)
    .split(',')
    .map((part) => {
      const [tag = '', ...rest] = part.trim().toLowerCase().split(';');
      const q = /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(rest.join(';'))?.[1];
      return { tag: tag.trim(), weight: q === undefined ? 1 : Number(q) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { tag } of wishes) {
    if (/^zh(?:-|$)/.test(tag)) return 'zh-CN';
    if (/^en(?:-|$)/.test(tag)) return 'en';
  }
  return 'en';
}

export const isLanguage = (text: string | null): text is Language =>
  LANGUAGES.some((one) => one === text);
