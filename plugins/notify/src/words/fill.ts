/** Replaces `{name}` in a text of our own. */
export const fill = (form: string, values: { readonly [name: string]: string }): string =>
  form.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
