import { setImmediate as nextTurn } from 'node:timers/promises';

/** Statements that a kept caller may use, by their first words. What carries code or settings is left out. */
const STATEMENTS =
  /^(?:select|values|table|with|insert|update|delete|merge|explain|show|truncate|analyze|vacuum|refresh|comment|(?:create|alter|drop)(?:\s+or\s+replace)?(?:\s+(?:global|local|temp|temporary|unlogged|recursive|unique|materialized))*\s+(?:table|view|index|sequence))\b/i;

/** Functions that take SQL as text, settings, locks, messages, sessions, files and large objects by name, and those that show texts of others. */
const NAMES =
  /\b(?:set_config|pg_notify|pg_(?:try_)?advisory_\w+|\w+_to_xml\w*|ts_stat|ts_rewrite|dblink\w*|lo_\w+|loread|lowrite|pg_(?:cancel|terminate)_backend|pg_stat_(?:get_)?activity|pg_stat_get_backend_\w+|pg_logical_\w+|pg_stat_statements\w*|pg_read_\w+|pg_ls_\w+|pg_stat_file)\b/i;

/** A name or text whose characters are written as codes. */
const ESCAPED = /\bu&["']/i;

/**
 * The second wall of a kept caller, behind the role without rights: no text that runs another text, sends messages to the
 * servers, takes their locks, or shows what other callers run. Names count wherever they stand, in texts and comments too.
 * @throws Error
 */
export function refuseText(sql: string): void {
  const text = sql.slice(beginning(sql));
  if (text !== '' && !STATEMENTS.test(text)) throw refusal('a statement of this kind');
  const found = NAMES.exec(sql) ?? ESCAPED.exec(sql);
  if (found) throw refusal(found[0]);
}

/** Files, programs and libraries of the host, functions that run a text, roles with such rights. */
const HOST_NAMES =
  /\b(?:pg_read_\w+|pg_ls_\w+|pg_stat_file|pg_file_\w+|pg_(?:write|execute)_server_\w+|lo_import|lo_export|file_fdw|dblink\w*|superuser|(?:query|cursor)_to_xml\w*|ts_stat|ts_rewrite|crosstab\w*|connectby|xpath_table|\w+_preload_libraries|dynamic_library_path|adminpack|plperlu|plpython\w*u|pltclu)\b/i;
const HOST_STATEMENTS =
  /^(?:copy|load|import|alter system|(?:create|alter)(?: (?:or|replace|trusted|procedural|foreign|user))* (?:extension|server|data|mapping|language|tablespace|subscription))\b/;
/** Catalogues that say which code a name stands for. */
const CATALOGUES =
  /\bpg_(?:proc|language|operator|cast|aggregate|am|amproc|amop|opclass|type|conversion|range|ts_parser|ts_template|trigger|event_trigger|authid|auth_members|db_role_setting|foreign_\w+|user_mapping)\b/i;
const CHANGING = /\b(?:insert|update|delete|merge|create|alter|do)\b/i;
const CODE = /^(?:do|create(?: or replace)? (?:function|procedure))\b/;
/** Texts that are put together as they run, and what reaches the host in a body. */
const CODE_WORDS = /\b(?:execute|copy|load|extension|system|server|tablespace|subscription)\b/i;

/**
 * Finds what every caller is kept from on a connection with the rights of a superuser: the host's files and programs. Comments
 * and constant texts are read as well; code must be plain enough to be read.
 * @returns what is refused; undefined: nothing
 */
export function hostWord(sql: string): string | undefined {
  const first = firstWords(sql);
  const found =
    HOST_STATEMENTS.exec(first) ??
    HOST_NAMES.exec(sql) ??
    ESCAPED.exec(sql) ??
    (CHANGING.test(sql) ? CATALOGUES.exec(sql) : undefined);
  return found?.[0] ?? (CODE.test(first) ? codeFault(sql.slice(beginning(sql))) : undefined);
}

/** Returns the first words in lower case, one blank between them, without comments. */
function firstWords(sql: string): string {
  const words: string[] = [];
  for (let rest = sql; words.length < 8; ) {
    rest = rest.slice(beginning(rest));
    const word = /^\w+/.exec(rest)?.[0];
    if (word === undefined) break;
    words.push(word.toLowerCase());
    rest = rest.slice(word.length);
  }
  return words.join(' ');
}

/** Code is refused that could hide its words: in a text in quotes, behind escapes, or in another language. */
function codeFault(text: string): string | undefined {
  const word = CODE_WORDS.exec(text);
  if (word) return `${word[0]} in code`;
  const languages = text.match(/\blanguage\b/gi)?.length ?? 0;
  const allowed = text.match(/\blanguage\s+(?:sql|plpgsql)\b/gi)?.length ?? 0;
  if (languages !== allowed || languages > 1) return 'code in another language';
  // What stands around the body hides nothing: no second text, no comment, no quoted name.
  const around =
    /^[^$'"]*$|^([^$'"]*)(?<![\w$\u0080-\uffff])\$(\w*)\$[\s\S]*?\$\2\$([^$'"]*)$/.exec(text);
  const isPlain =
    around && !/--|\/\*/.test(around[1] === undefined ? text : `${around[1]} ${around[3]}`);
  return isPlain ? undefined : 'code whose body is not one text between $$ and $$';
}

const BLANKS = /[\s(;]+/y;
const LINE = /--[^\n\r]*/y;
/** Up to the next mark of a comment, or the end. */
const INSIDE = /[^*/]+/y;

/** Finds the end of blanks, comments and opening brackets. Comments stand inside comments here. Runs are skipped at once: texts have megabytes. */
function beginning(sql: string): number {
  let depth = 0;
  let at = 0;
  const skips = (run: RegExp): boolean => {
    run.lastIndex = at;
    if (!run.test(sql)) return false;
    at = run.lastIndex;
    return true;
  };
  while (at < sql.length) {
    if (sql.startsWith('/*', at)) depth++;
    else if (depth === 0) {
      if (skips(BLANKS) || skips(LINE)) continue;
      break;
    } else if (sql.startsWith('*/', at)) depth--;
    else {
      if (!skips(INSIDE)) at++;
      continue;
    }
    at += 2;
  }
  return at;
}

/** Characters of SQL that are looked through in a turn of their own: megabytes take some 30 ms, and were parsed in the turn before. */
const LONG_TEXT = 100_000;

/** Looks through a text of a caller; others come in before and after a long one. */
export async function inOwnTurn<T>(sql: string, examine: (sql: string) => T): Promise<T> {
  if (sql.length <= LONG_TEXT) return examine(sql);
  await nextTurn();
  const found = examine(sql);
  await nextTurn();
  return found;
}

/** @throws Error for a word of `hostWord` */
export const refusedHost = (what: string): Error =>
  new Error(`not authorized: ${what} leads to files or programs of the host`);

const refusal = (what: string): Error =>
  new Error(`not authorized: ${what} is open to the Super Token only`);
