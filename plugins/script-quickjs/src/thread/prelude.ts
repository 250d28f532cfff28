import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { STREAM_IS_READ } from './quirks.ts';

const folder = new URL('../../prelude/', import.meta.url);
/** Text of a file of the prelude: one function expression. */
const own = (name: string): string =>
  readFileSync(new URL(`${name}.js`, folder), 'utf8').replace(/;\s*$/, '');

let text: string | undefined;
/** Evaluated in every context: a function of the host's bridge that gives the driver. `globals`: always the same. */
export function eager(globals: string): string {
  text ??= joined(globals);
  return text;
}

const joined = (globals: string): string => `((host) => {
const { api, driver } = ${own('core')}(host);
const web = ${own('web')}(api);
const headers = ${own('headers')}(api);
const bodies = ${own('body')}(api, web);
const http = ${own('http')}(api, headers, bodies);
${own('fetch')}(api, headers, bodies, http);
${own('lazy')}(api);
const { define, log, op: ask } = api;
const { contextOf = (context) => context } = (${globals})({ define, ask, log }) ?? {};
api.contextOf = contextOf;
return driver;
})`;

/** A library of CommonJS modules as a function of `api`; `body` uses `require`. */
function library(body: string, sources: { readonly [name: string]: string }): string {
  const parts = Object.entries(sources).map(
    ([name, path]) =>
      `${JSON.stringify(name)}(module, exports, require) {${readFileSync(path, 'utf8')}\n}`,
  );
  return `((api) => {
const sources = {${parts.join(',\n')}};
const made = {};
const require = (name) => {
  if (made[name]) return made[name].exports;
  const module = (made[name] = { exports: {} });
  sources[name].call(module.exports, module, module.exports, require);
  return module.exports;
};
${body}
})`;
}

const require = createRequire(import.meta.url);

function streams(): string {
  const name = 'web-streams-polyfill';
  const body = `const streams = require('${name}');
api.loaded.ReadableStream = streams.ReadableStream;
api.loaded.isRead = ${STREAM_IS_READ};
return streams;`;
  return library(body, { [name]: require.resolve(name) });
}

function buffer(): string {
  // The slash tells the package from Node's own module of this name.
  const main = require.resolve('buffer/');
  const within = createRequire(main);
  const needed = ['base64-js', 'ieee754'].map((name) => [name, within.resolve(name)]);
  return library("return { Buffer: require('buffer').Buffer };", {
    buffer: main,
    ...Object.fromEntries(needed),
  });
}

const makers: { readonly [file: string]: () => string } = {
  abort: () => own('abort'),
  blob: () => own('blob'),
  clone: () => own('clone'),
  crypto: () => own('crypto'),
  dispose: () => own('dispose'),
  streams,
  buffer,
};
const texts = new Map<string, string>();

/** Text of a part that is evaluated at its first use: a function of `api`. */
export function lazy(file: string): string | undefined {
  const text = texts.get(file) ?? makers[file]?.();
  if (text !== undefined) texts.set(file, text);
  return text;
}
