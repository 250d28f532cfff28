import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Brand, Example, Plugin } from '@svc/plugin-sdk';
import type { RegisteredMethod } from '@svc/plugin-sdk/kernel';
import { accessOf } from './access.ts';
import { errorsOf } from './errors.ts';
import { jsonSchema } from './json-schema.ts';

/** Parts of the document. */
export interface Sources {
  readonly methods: ReadonlyMap<string, RegisteredMethod>;
  readonly plugins: readonly Plugin[];
  readonly brand: Brand;
  /** `X.Y.Z` */
  readonly version: string;
}

/** Placeholder in examples, where a client puts its own. */
const CREDENTIAL = 'KEY:SECRET';

/** The methods of this server as an OpenRPC 1.3 document. What OpenRPC has no words for stands under `x-`. */
export const openRpc = (sources: Sources) => ({
  ...headOf(sources),
  methods: [...methodObjects(sources)],
});

/** The document without its methods. */
export const headOf = ({ brand, version }: Sources) => ({
  openrpc: '1.3.2',
  info: {
    title: `${brand.title} server`,
    version,
    description:
      'JSON-RPC 2.0 over WebSocket and POST. Parameters go by position or by name. `x-access` is the right that a call needs; ' +
      '`x-subscription` describes a stream: the result is its id, and its items come as notifications with `params` `{"subscription":id,"result":item}`. ' +
      '`x-addition` marks what other servers of this protocol lack.',
    // A server does not know under which name its clients reach it.
    'x-path': brand.rewrite('/svc/rpc'),
  },
});

/** The methods of the document, one at a time. */
export function* methodObjects(sources: Sources) {
  const { methods, brand } = sources;
  const examples = examplesOf(sources);
  for (const method of [...methods.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    yield methodOf(method, examples.get(method.name) ?? [], brand);
    yield* unsubscribeOf(method, brand);
  }
}

/** The document as text, made in pieces between which other calls have their turn. */
export async function documentText(sources: Sources): Promise<string> {
  const texts: string[] = [];
  for (const object of methodObjects(sources)) {
    texts.push(JSON.stringify(object));
    if (texts.length % PER_TURN === 0) await nextTurn();
  }
  return `${JSON.stringify(headOf(sources)).slice(0, -1)},"methods":[${texts.join(',')}]}`;
}

const PER_TURN = 8;

/** The examples by the wire name of their method, those of the method's own plugin first. */
function examplesOf({ methods, plugins, brand }: Sources): Map<string, Example[]> {
  const found = new Map<string, Example[]>();
  for (const { name, examples = [] } of plugins)
    for (const example of examples) {
      const wire = brand.rewrite(example.method);
      const others = found.get(wire) ?? [];
      const isOwn = methods.get(wire)?.plugin === name;
      const split = isOwn
        ? others.findLastIndex((one) => examples.includes(one)) + 1
        : others.length;
      found.set(wire, others.toSpliced(split, 0, example));
    }
  return found;
}

function methodOf(method: RegisteredMethod, examples: readonly Example[], brand: Brand) {
  const { name, plugin, credential, notification, definition } = method;
  const { summary, description, deprecated, addition, result, item, unsubscribe } = definition;
  return {
    name,
    summary,
    ...(description && { description }),
    ...(deprecated && { deprecated }),
    tags: [{ name: name.replace(/_.*/, '') }],
    paramStructure: 'either',
    params: paramsOf(method),
    result: result
      ? { name: 'result', schema: jsonSchema(result) }
      : { name: 'subscription', schema: SUBSCRIPTION_ID },
    errors: errorsOf(method, examples),
    ...(examples.length > 0 && {
      examples: examples.map((example, at) => pairing(example, at, credential)),
    }),
    'x-plugin': plugin,
    'x-access': accessOf(method, examples),
    ...(addition && { 'x-addition': true }),
    ...(unsubscribe !== undefined && {
      'x-subscription': {
        transport: 'websocket',
        notification,
        unsubscribe: brand.rewrite(unsubscribe),
        item: { name: 'item', schema: jsonSchema(item ?? {}) },
      },
    }),
  };
}

const SUBSCRIPTION_ID = { type: 'integer', minimum: 0, description: 'Id of the subscription.' };

function paramsOf({ credential, definition }: RegisteredMethod) {
  const first =
    credential === undefined
      ? []
      : [
          {
            name: credential,
            description: 'The credential: `key:secret`, or `username|password`.',
            required: true,
            schema: { type: 'string' },
          },
        ];
  const given = Object.entries(definition.params);
  const lastRequired = given.findLastIndex(([, schema]) => !isOptional(schema));
  const own = given.map(([name, param], at) => {
    const schema = jsonSchema(param);
    // OpenRPC wants optional parameters behind all others: one that stands before a required one is null by position.
    const isBetween = isOptional(param) && at < lastRequired;
    const required = !isOptional(param) || isBetween;
    const note = isBetween && { 'x-optional': 'by name' };
    return { name, ...describedBy(schema), required, schema, ...note };
  });
  return [...first, ...own];
}

const isOptional = (schema: object) => Object.hasOwn(schema, '~optional');

const describedBy = ({ description }: { description?: string }) => description && { description };

/** One example; a refusal has `x-error` in place of the result. */
function pairing(
  { params, result, item, error }: Example,
  at: number,
  credential: string | undefined,
) {
  const given = credential === undefined ? params : { [credential]: CREDENTIAL, ...params };
  return {
    name: at === 0 ? 'example' : `example ${at + 1}`,
    params: Object.entries(given).map(([name, value]) => ({ name, value })),
    ...(error
      ? { 'x-error': error }
      : { result: { name: item === undefined ? 'result' : 'subscription', value: result } }),
    ...(item !== undefined && { 'x-item': item }),
  };
}

/** The method that ends a stream takes its id and no credential. */
function unsubscribeOf({ name, plugin, definition }: RegisteredMethod, { rewrite }: Brand) {
  const { unsubscribe, addition } = definition;
  if (unsubscribe === undefined) return [];
  return [
    {
      name: rewrite(unsubscribe),
      summary: `Ends a stream of \`${name}\`; false when this connection has no such stream.`,
      tags: [{ name: name.replace(/_.*/, '') }],
      paramStructure: 'either',
      params: [{ name: 'subscription', required: true, schema: SUBSCRIPTION_ID }],
      result: { name: 'result', schema: { type: 'boolean' } },
      errors: [{ code: -32603, message: 'Internal error' }],
      'x-plugin': plugin,
      'x-access': { rule: 'public', words: 'The connection that opened the stream.' },
      ...(addition && { 'x-addition': true }),
    },
  ];
}
