import { BoundedCache } from '@svc/plugin-sdk/driver';

/**
 * Strings, quoted names, comments and dollar quotes, which may hold a `?`; then the placeholders themselves. What has no
 * end goes on to the end of the text, so each character is looked at once.
 */
const tokens =
  /\be'(?:[^'\\]|\\.|'')*'?|'[^']*'?|"[^"]*"?|(?<![\w$])\$([a-z_]\w*)?\$.*?(?:\$\1\$|$)|--[^\n]*|\/\*.*?(?:\*\/|$)|\?\??/gis;

const cache = new BoundedCache<string, string>({ most: 500 });

/** Turns `?` into `$1`, `$2`, …; `??` stands for the operator `?`. */
export function numbered(sql: string): string {
  let text = cache.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replace(tokens, (token) =>
      token === '?' ? `$${++count}` : token === '??' ? '?' : token,
    );
    cache.set(sql, text);
  }
  return text;
}
