import { definePlugin, type Methods, optional, Type } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';
import { JsonText } from '@svc/plugin-sdk/schemas';
import type { TestApp } from '@svc/plugin-sdk/testing';

/** A message over this shows a credential before it is parsed, bytes. */
export const CLAIM_BYTES = 256 * 1024;

/** Methods that give back what they got, with credentials under two names and without any. */
export const echo = definePlugin({
  name: 'echo',
  version: '1.0.0',
  namespaces: ['echo'],
  setup(kernel) {
    kernel.hooks.methods.tap((methods) => {
      methods.add('echo_any', { ...anything, access: 'authenticated' });
      methods.add('echo_open', { ...anything, access: 'public' });
      addFather(methods);
    });
  },
});

const anything = {
  summary: 'Gives back its parameters.',
  params: {
    first_value: Type.Unknown(),
    second_value: Type.Optional(JsonText),
    params: optional(Type.Unknown()),
  },
  result: Type.Unknown(),
  handle: (given: { first_value: unknown; second_value?: RawJson; params?: unknown }) => [
    given.first_value,
    given.second_value === undefined ? null : String(given.second_value.text),
    given.params ?? null,
  ],
};

function addFather(methods: Methods): void {
  methods.add('echo_father', {
    summary: 'The length of its parameter.',
    credential: 'father_token',
    params: { first_value: Type.Unknown() },
    access: 'authenticated',
    result: Type.Integer(),
    handle: ({ first_value }) => JSON.stringify(first_value).length,
  });
}

/** The answer to a text that is posted, as text. */
export async function post(app: TestApp, text: string | Uint8Array): Promise<string> {
  const response = await fetch(`${app.url}/svc/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text as string,
  });
  return response.text();
}
