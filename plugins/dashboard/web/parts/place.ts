import { language } from '../strings/index.ts';

/** The country of two letters in the reader's language; any other text as it is. */
export function placeOf(code: string): string {
  if (!/^[A-Z]{2}$/i.test(code)) return code;
  return new Intl.DisplayNames(language(), { type: 'region' }).of(code.toUpperCase()) ?? code;
}
