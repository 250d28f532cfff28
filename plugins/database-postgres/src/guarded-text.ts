/** Statements that a kept caller may use, by their first words. What carries code or settings is left out. */
const STATEMENTS =
  /^(?:select|values|table|with|insert|update|delete|merge|explain|show|truncate|analyze|vacuum|refresh|comment|(?:create|alter|drop)(?:\s+or\s+replace)?(?:\s+(?:global|local|temp|temporary|unlogged|recursive|unique|materialized))*\s+(?:table|view|index|sequence))\b/i;

/** What takes SQL as text, settings, locks, messages, sessions, files and large objects by name, and what shows texts of others. */
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

/** Where blanks, comments and opening brackets end. Comments stand inside comments here. */
function beginning(sql: string): number {
  let depth = 0;
  let at = 0;
  while (at < sql.length) {
    const two = sql.slice(at, at + 2);
    if (two === '/*' || (depth > 0 && two === '*/')) {
      depth += two === '/*' ? 1 : -1;
      at += 2;
    } else if (depth === 0 && two === '--') {
      while (at < sql.length && sql[at] !== '\n' && sql[at] !== '\r') at++;
    } else if (depth > 0 || /[\s(;]/.test(sql[at] as string)) at++;
    else break;
  }
  return at;
}

const refusal = (what: string): Error =>
  new Error(`not authorized: ${what} is open to the Super Token only`);
