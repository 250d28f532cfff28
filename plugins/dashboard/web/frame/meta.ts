/** Reads what the server says of itself in the head of the page. */
const meta = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="svc-${name}"]`)?.content ?? '';

/** First word of wire names: `svc` unless the server has another brand. */
export const word = meta('word') || 'svc';
/** Name of the product, for people. */
export const brandTitle = meta('title') || 'svc';
/** Path below which the page lives, with a slash at both ends. */
export const home = new URL(document.baseURI).pathname;
/** Origins of the servers that this page may show; its own comes first. */
export const origins: readonly string[] = [
  location.origin,
  ...meta('servers')
    .split(' ')
    .filter((origin) => origin !== '' && origin !== location.origin),
];
/** Nonce for libraries that write style elements: without it the browser refuses them. */
export const styleNonce: string =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
/** `svc-server_hello` and `/svc/rpc` as this server spells them. */
export const wire = (name: string): string =>
  word === 'svc'
    ? name
    : name.replace(/^svc-server_/, `${word}-server_`).replace(/^\/svc\//, `/${word}/`);
