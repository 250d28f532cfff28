import { en, type Words } from './en.ts';
import { zhCn } from './zh-cn.ts';

export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

const all: { readonly [language in Language]: Words } = { en, 'zh-CN': zhCn };
export const wordsOf = (language: Language): Words => all[language];
