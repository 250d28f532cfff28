/** The `code` of an error of Node or of a driver (`ENOENT`, `SQLITE_BUSY`, `57014`); the empty text for any other value. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
