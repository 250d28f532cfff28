/** Text that stands in the place of a secret. */
export const MASK = '***';

/** Values of fields with these names are never written, nor of names that end in the second list. */
const NAMES = 'token task_token father_token super_token token_hash secret_hash authorization';
const ENDINGS = 'secret password password_hash credential supertoken headers';
const NAME = `(?:${pattern(NAMES)}|\\w*(?:${pattern(ENDINGS)}))`;

const WHOLE_NAME = new RegExp(`^${NAME}$`, 'i');
/** The beginning of a JSON member with such a name, also in JSON text that is itself quoted (`\"secret\":`). */
const MEMBER = new RegExp(`(\\\\*)"${NAME}\\1"\\s*:\\s*`, 'gi');
/** A value that is neither text nor an object, an array, null or a boolean. */
const PLAIN_VALUE = /[^\s,}\]"\\[{tfn][^\s,}\]"\\]*/y;

/** The name of the user stays; a password may hold `@` and `/`. */
const DATABASE_URL = /\b((?:postgres|postgresql|mysql|mariadb):\/\/[^\s:@/]*:)[^\s"'`]{0,1000}@/gi;
const BROKER_URL = /\b((?:nats|tls|redis|rediss|amqp):\/\/)[^\s:@/]*:[^\s"'`]{0,1000}@/gi;
/** A token may stand as the user, with or without a password. */
const OTHER_URL =
  /\b((?!(?:postgres|postgresql|mysql|mariadb):)[a-z][a-z0-9+.-]{0,40}:\/\/)[^\s/?#"'`]*@/gi;
/** The key of a token or session, and its secret: a caller gave a whole credential in the place of a key. */
const CREDENTIAL = /\b([A-Za-z0-9]{16}):[A-Za-z0-9]{32}\b/g;
/** The same with a user name: what was not found is named by errors. */
const ACCOUNT = /\b(found by key\/username: [^|\n]{0,1000}\|)[^\n]+/g;
const PAIR = /\b(\w*password|\w*secret|token)=[^\s&"'`]+/gi;

/** Secrets of configurations, longest first. */
let hidden: readonly string[] = [];
/** Limit of secrets; beyond it those of earlier configurations of the process are dropped. */
const MOST_KNOWN = 200;

/** Masks these texts from now on, wherever they stand. */
export function hideInLogs(secrets: readonly string[]): void {
  const all = [...new Set([...secrets, ...hidden])].slice(0, MOST_KNOWN);
  hidden = all.sort((a, b) => b.length - a.length);
}

/** Tells whether values under a name are never written: `password`, `token_hash`, `fatherToken` … */
export function isSecretName(name: string): boolean {
  return WHOLE_NAME.test(name);
}

/** Hides secrets of the configuration, whole credentials, passwords in URLs and query texts, and secret members of JSON texts, cut-off ones included. */
export function maskText(text: string): string {
  let masked = text;
  for (const secret of hidden)
    if (masked.includes(secret)) masked = masked.replaceAll(secret, MASK);
  if (masked.includes('://')) {
    for (const url of [DATABASE_URL, BROKER_URL, OTHER_URL])
      masked = masked.replace(url, `$1${MASK}@`);
  }
  if (masked.includes(':')) masked = masked.replace(CREDENTIAL, `$1:${MASK}`);
  if (masked.includes('|')) masked = masked.replace(ACCOUNT, `$1${MASK}`);
  if (masked.includes('=')) masked = masked.replace(PAIR, `$1=${MASK}`);
  return masked.includes('"') ? maskMembers(masked) : masked;
}

function maskMembers(text: string): string {
  let masked = '';
  let from = 0;
  for (const head of text.matchAll(MEMBER)) {
    if (head.index < from) continue;
    const start = head.index + head[0].length;
    const quote = `${head[1]}"`;
    const end = text.startsWith(quote, start)
      ? endOfText(text, start + quote.length, quote.length - 1)
      : endOfPlain(text, start);
    if (end === start) continue;
    masked += `${text.slice(from, start)}${quote}${MASK}${quote}`;
    from = end;
  }
  return masked + text.slice(from);
}

/**
 * Finds the end of a quoted text whose own quotes carry `depth` backslashes: at a quote that is not escaped on that level.
 * A quote with fewer backslashes ends the text around it.
 */
function endOfText(text: string, from: number, depth: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (at - backslashes > from && text[at - backslashes - 1] === '\\') backslashes++;
    if (backslashes < depth) return at - backslashes;
    if (((backslashes - depth) / (depth + 1)) % 2 === 0) return at + 1;
  }
  return text.length;
}

function endOfPlain(text: string, from: number): number {
  PLAIN_VALUE.lastIndex = from;
  return PLAIN_VALUE.test(text) ? PLAIN_VALUE.lastIndex : from;
}

/** Each name with and without its underscores, for the camelCase spelling. */
function pattern(names: string): string {
  return names.replaceAll('_', '_?').replaceAll(' ', '|');
}
