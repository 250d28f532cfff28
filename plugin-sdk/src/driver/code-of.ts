/** The driver's own code of an error (`SQLITE_BUSY`, `57014`), or the empty text. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
