const MOST_HEADER = 300;

/** Chooses the language that an `Accept-Language` header prefers, the first where it names none: `zh-TW` is served by `zh-CN`, too. */
export function acceptedLanguage<Language extends string>(
  header: string | undefined,
  languages: readonly [Language, ...Language[]],
): Language {
  const wishes = (header ?? '')
    .slice(0, MOST_HEADER)
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [tag = '', ...rest] = part.trim().split(';');
      const q = /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(rest.join(';'))?.[1];
      return { tag: tag.trim(), weight: q === undefined ? 1 : Number(q) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { tag } of wishes) {
    const found = languages.find((one) => primary(one) === primary(tag));
    if (found) return found;
  }
  return languages[0];
}

const primary = (tag: string): string => tag.split('-', 1)[0] ?? '';
