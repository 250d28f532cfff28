/** The `code` of an error of Node or of a driver (`ENOENT`, `SQLITE_BUSY`, `57014`); the empty text for any other value. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** Tells whether the error, or one of its causes, has one of these codes. */
export function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (codes.has(codeOf(at))) return true;
  }
  return false;
}
