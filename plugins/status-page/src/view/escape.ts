const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for an element or a quoted attribute, of HTML and of XML. Nothing else may put a text of an operator into a page. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] as string);

/** Replaces `{name}` in a text of our own by values that are safe where the result goes. */
export const fill = (template: string, values: { readonly [name: string]: string }): string =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
