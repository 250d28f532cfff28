/** Replaces `{name}` in a text of our own by values that are safe where the result goes. */
export const fill = (template: string, values: { readonly [name: string]: string }): string =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
