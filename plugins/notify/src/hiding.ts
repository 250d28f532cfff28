import type { Values } from './secrets.ts';

const HIDDEN = '•••';
/** Shorter values are words. */
const SHORTEST = 4;
/** Parts of a path that are shorter are no keys. */
const SHORTEST_PART = 8;

/** Returns a function that takes secrets out of texts that are stored or shown: a receiver may repeat what it was sent, whole or in parts. */
export function hiding(secrets: Values): (text: string) => string {
  // Most messages are taken without a word that could hold a secret.
  let forms: readonly string[] | undefined;
  return (text) => {
    forms ??= allForms(secrets);
    return forms.reduce((hidden, form) => hidden.replaceAll(form, HIDDEN), withoutEscapes(text));
  };
}

/** Returns the forms of all secrets and their parts, the longest first. */
function allForms(secrets: Values): string[] {
  const values = Object.values(secrets).flat().map(String).flatMap(partsOf);
  const forms = new Set(values.filter(({ length }) => length >= SHORTEST).flatMap(formsOf));
  return [...forms].sort((a, b) => b.length - a.length);
}

/** Values that stand in a secret one: in a header, a query or an address. */
function partsOf(value: string): string[] {
  const header = /^[\w!#$%&'*+.^`|~-]+:[ \t]*(\S.*)$/.exec(value)?.[1] ?? '';
  const words = header.split(/[\s,;]+/).filter(({ length }) => length >= SHORTEST_PART);
  const url = URL.parse(value);
  const path = url?.pathname.split('/').filter(({ length }) => length >= SHORTEST_PART) ?? [];
  const query = url ? url.search.slice(1) : value.includes('=') ? value.replace(/^\?/, '') : '';
  const pairs = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  const encoded = [...path, ...pairs];
  const whole = url ? [url.href, url.pathname + url.search, url.pathname, url.search] : [];
  return [value, header, ...words, ...whole, query, ...encoded, ...encoded.map(decoded)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A `%` of its own: the text is not encoded.
    return text;
  }
}

/** Forms that a value takes in a request and in an answer that repeats it. */
function formsOf(value: string): string[] {
  const url = encodeURIComponent(value);
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  const json = jsonOf(value);
  return [
    ...[value, url, url.replace(/%../g, (code) => code.toLowerCase()), form, encodeURI(value)],
    ...[json, jsonOf(json), json.replaceAll('/', '\\/')],
    ...[0, 1, 2].flatMap((before) => base64Of(value, before)),
  ].filter(({ length }) => length >= SHORTEST);
}

const jsonOf = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Base64 of a value that stands `before` bytes behind a group of three, as a password behind its user: the characters that it alone decides. */
function base64Of(value: string, before: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
  const text = bytes.toString('base64').replace(/={1,2}$/, '');
  const end = bytes.length % 3 === 0 ? text.length : text.length - 1;
  const inner = text.slice(before === 0 ? 0 : before + 1, end);
  const all = before === 0 ? [text, inner] : [inner];
  return all.flatMap((one) => [one, one.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** Text with plain characters in the place of `\u0041` and `\/`; those that JSON needs stay escaped. */
const withoutEscapes = (text: string): string =>
  text.replace(/(?<!\\)\\(?:u([0-9A-Fa-f]{4})|\/)/g, (escaped, code: string | undefined) => {
    const plain = code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16));
    return /["\\\p{Cc}]/u.test(plain) ? escaped : plain;
  });
