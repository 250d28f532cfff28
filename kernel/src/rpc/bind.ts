import { RpcError, type TSchema, Type } from '@svc/plugin-sdk';
import {
  Cursor,
  camelOf,
  holdsHalfPair,
  holdsInfinity,
  RawJson,
  stringifyJson,
} from '@svc/plugin-sdk/json';
import { Compile } from '@svc/plugin-sdk/typebox';
import { type Bounds, boundsOf } from './bounds.ts';
import { type Call, partsOf } from './envelope.ts';
import { reason, unknownField } from './reason.ts';
import { Repeats } from './repeats.ts';

type Bound = Record<string, unknown>;
type Sent = Pick<Call, 'params' | 'paramsText' | 'read' | 'isRepeated'>;

interface Parameter {
  readonly name: string;
  readonly camel: string;
  readonly optional: boolean;
  /** An explicit `null` reaches the handler. */
  readonly keepsNull: boolean;
  /** Tells whether the handler gets the JSON text instead of the value. */
  readonly asText: boolean;
  readonly schema: TSchema;
  /** Bounds of lists; undefined where the schema has none. */
  readonly tooLong: Bounds | undefined;
  /** Compiled by the first call: most methods of a server are never called. */
  validator?: ReturnType<typeof Compile>;
}

/** Parameters may nest 128 deep; the call's own object and the `params` container stand around them. */
const MAX_DEPTH = 129;

/** Reads `params` by position or by name (conventions.md §2.3). Errors are -32602 with the reason as data. */
export class Binder {
  readonly #parameters: readonly Parameter[];
  /** Parameters before the method's own: the credential, if any. */
  readonly #before: number;
  readonly #names: ReadonlySet<string>;
  /** Some parameter takes values that nest without bound. */
  readonly #isDeep: boolean;
  /** Repeats of a method that says of a parameter that it comes again; its values are shared by calls then. */
  readonly repeats: Repeats | undefined;

  constructor(params: { readonly [name: string]: TSchema }, credential?: string) {
    const before = credential === undefined ? [] : [[credential, Type.String()] as const];
    this.#before = before.length;
    this.#parameters = [...before, ...Object.entries(params)].map(parameter);
    this.#names = new Set(this.#parameters.flatMap(({ name, camel }) => [name, camel]));
    this.#isDeep = Object.values(params).some(isDeep);
    const comesAgain = Object.values(params).some((schema) => Object.hasOwn(schema, 'x-repeated'));
    if (comesAgain) this.repeats = new Repeats();
  }

  bind(call: Sent): Bound {
    return this.#bind(call, 0);
  }

  /** Binds the parameters of an in-process call: values without a text, and no credential. */
  bindOwn(params: unknown): Bound {
    return this.#bind({ params, paramsText: '' }, this.#before);
  }

  #bind(sent: Sent, from: number): Bound {
    const { params: given, paramsText: text, read } = sent;
    const bound: Bound = {};
    if (this.#parameters.length === from) return bound;
    if (read ? read.fault === 'half pair' : holdsHalfPair(text))
      throw RpcError.params('a string holds half of a surrogate pair');
    if (this.#isDeep && text.length > 2 * MAX_DEPTH && nestingOf(text) > MAX_DEPTH)
      throw RpcError.params('recursion limit exceeded');
    // Where every value has a type, its own check refuses the number.
    if (this.#isDeep && (read ? read.fault === 'infinity' : holdsInfinity(text)))
      throw RpcError.params('number out of range');
    const params = given ?? [];
    if (typeof params !== 'object') throw noContainer(text);
    const isList = Array.isArray(params);
    if (!isList) this.#refuseRepeated(params, sent);
    for (let at = from; at < this.#parameters.length; at++) {
      const parameter = this.#parameters[at] as Parameter;
      const key = isList ? at - from : nameIn(params, parameter);
      const value = key === undefined ? undefined : (params as Bound)[key];
      if (value === undefined) {
        if (parameter.optional) continue;
        throw RpcError.params(isList ? 'No more params' : this.#missing(parameter, params));
      }
      if (value === null && parameter.optional && !parameter.keepsNull) continue;
      if (!sent.isRepeated) check(parameter, value);
      bound[parameter.name] = parameter.asText ? textOf(value, sent, key) : value;
    }
    return bound;
  }

  #missing({ name }: Parameter, params: object): string {
    const others = Object.keys(params).filter((other) => !this.#names.has(other));
    const known = this.#parameters.map((parameter) => parameter.name);
    const unknown = unknownField(others, known);
    return `missing field \`${name}\`${unknown === '' ? '' : `; ${unknown}`}`;
  }

  /** `JSON.parse` keeps the last of two equal names; a repeated name is an error (conventions.md §2.3). */
  #refuseRepeated(params: object, sent: Sent): void {
    if (!sent.read && !this.#mayRepeat(sent.paramsText)) return;
    const items = sent.read?.params ?? partsOf(sent.paramsText);
    if (items.length === Object.keys(params).length) return;
    const seen = new Set<string>();
    for (const { name } of items) {
      if (seen.has(name) && this.#names.has(name)) throw repeated(name);
      seen.add(name);
    }
  }

  /** Says quickly that no name can stand twice; true means that the text must be scanned. */
  #mayRepeat(text: string): boolean {
    if (text.includes('\\u')) return true;
    for (const name of this.#names) {
      // Of a text that is full of quotes the name itself is found in half the time.
      for (let at = text.indexOf(name), seen = 0; at >= 0; at = text.indexOf(name, at + 1))
        if (text[at - 1] === '"' && text[at + name.length] === '"' && ++seen > 1) return true;
    }
    return false;
  }
}

/** @throws RpcError -32602 */
function check(parameter: Parameter, value: unknown): void {
  const { name, schema, tooLong } = parameter;
  const found = tooLong?.(value);
  if (found) throw RpcError.params(`${found.text}, at ${name}${found.at}`);
  parameter.validator ??= Compile(schema);
  if (!parameter.validator.Check(value))
    throw RpcError.params(reason(name, schema as never, value));
}

const repeated = (name: string) => RpcError.params(`duplicate field \`${name}\``);
const EXPECTED = `Invalid params. Expected one of '[', ']' or ',' but found`;
const noContainer = (text: string) => RpcError.params(`${EXPECTED} ${JSON.stringify(text)}`);

/** The spelling under which an object has the parameter. */
function nameIn(params: object, { name, camel }: Parameter): string | undefined {
  const hasName = Object.hasOwn(params, name);
  if (camel === name || !Object.hasOwn(params, camel)) return hasName ? name : undefined;
  if (hasName) throw repeated(name);
  return camel;
}

/** The JSON text of a parameter. In-process calls have no text, so their value is serialised. */
function textOf(value: unknown, sent: Sent, key: number | string | undefined): RawJson {
  if (sent.paramsText === '' && !sent.read) return new RawJson(stringifyJson(value));
  const parts = sent.read?.params ?? partsOf(sent.paramsText);
  const part = typeof key === 'number' ? parts[key] : parts.find(({ name }) => name === key);
  return new RawJson(part?.text() ?? 'null');
}

/** Returns how deep the one value of a JSON text nests; 0 for a scalar. */
function nestingOf(text: string): number {
  const cursor = new Cursor(text);
  cursor.space();
  cursor.pass();
  return cursor.deepest;
}

function parameter([name, schema]: readonly [name: string, schema: TSchema]): Parameter {
  return {
    name,
    camel: camelOf(name),
    optional: Object.hasOwn(schema, '~optional'),
    keepsNull: Object.hasOwn(schema, 'x-keep-null'),
    asText: Object.hasOwn(schema, 'x-json-text'),
    schema,
    tooLong: boundsOf(schema as never),
  };
}

/** A schema with a part that says nothing about its values, or that refers to itself. */
const isDeep = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return false;
  const { '~kind': kind, type, anyOf, enum: values } = schema as Record<string, unknown>;
  if (kind === undefined && !type && !anyOf && !values && !Array.isArray(schema)) {
    return Object.keys(schema).length === 0 || Object.values(schema).some(isDeep);
  }
  if (typeof kind === 'string' && DEEP.has(kind)) return true;
  return Object.values(schema).some(isDeep);
};
const DEEP = new Set(['Unknown', 'Any', 'Cyclic', 'Ref', 'This', 'Record']);
