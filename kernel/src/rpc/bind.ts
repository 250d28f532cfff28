import { RawJson, RpcError, stringifyJson, type TSchema } from '@svc/plugin-sdk';
import { Compile } from '@svc/plugin-sdk/typebox';
import { type Member, nesting, scanElements, scanMembers } from './scan.ts';

interface Parameter {
  readonly name: string;
  readonly camel: string;
  readonly optional: boolean;
  /** Takes values that nest without bound. */
  readonly isDeep: boolean;
  /** The handler tells `null` from absent. */
  readonly keepsNull: boolean;
  /** The handler gets the JSON text instead of the value. */
  readonly asText: boolean;
  readonly check: (value: unknown) => boolean;
  readonly explain: (value: unknown) => string;
}

/** Reads `params` by position or by name (conventions.md §2.3). Errors are -32602 with the reason as data. */
export class Binder {
  readonly #parameters: readonly Parameter[];
  readonly #names: ReadonlySet<string>;
  readonly #quotedNames: readonly string[];
  /** Some parameter takes values of any depth. */
  readonly #isDeep: boolean;

  constructor(parameters: readonly Parameter[]) {
    this.#parameters = parameters;
    this.#names = new Set(this.#parameters.flatMap(({ name, camel }) => [name, camel]));
    this.#quotedNames = [...this.#names].map((name) => `"${name}"`);
    this.#isDeep = parameters.some((parameter) => parameter.isDeep);
  }

  static of(params: { readonly [name: string]: TSchema }): Binder {
    return new Binder(Object.entries(params).map(([name, schema]) => parameter(name, schema)));
  }

  /** The same parameters behind one string: the credential. */
  behind(name: string): Binder {
    return new Binder([{ ...CREDENTIAL, name, camel: camelCase(name) }, ...this.#parameters]);
  }

  bind(params: unknown, text: string): Record<string, unknown> {
    if (this.#parameters.length === 0) return {};
    if (this.#isDeep && text.length > MAX_DEPTH && nesting(text) > MAX_DEPTH)
      throw RpcError.params('recursion limit exceeded at line 1 column 128');
    if (params === undefined || params === null) return this.#byPosition([], '');
    if (Array.isArray(params)) return this.#byPosition(params, text);
    if (typeof params === 'object') return this.#byName(params as Record<string, unknown>, text);
    throw RpcError.params(
      `Invalid params. Expected one of '[', ']' or ',' but found ${JSON.stringify(text)}`,
    );
  }

  #byPosition(params: readonly unknown[], text: string): Record<string, unknown> {
    const bound: Record<string, unknown> = {};
    const parameters = this.#parameters;
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index] as Parameter;
      const value = params[index];
      if (value === undefined) {
        if (!parameter.optional) throw RpcError.params('No more params');
        continue;
      }
      accept(bound, parameter, value);
      if (parameter.asText)
        keepText(bound, parameter.name, text, () => scanElements(text, 0)[index]);
    }
    return bound;
  }

  #byName(params: Record<string, unknown>, text: string): Record<string, unknown> {
    this.#refuseRepeated(params, text);
    const bound: Record<string, unknown> = {};
    for (const parameter of this.#parameters) {
      const { name, camel } = parameter;
      const snake = Object.hasOwn(params, name);
      const other = camel !== name && Object.hasOwn(params, camel);
      if (snake && other) throw repeated(name);
      if (!snake && !other) {
        if (parameter.optional) continue;
        throw RpcError.params(
          `missing field \`${name}\` at line 1 column ${Math.max(text.length, 1)}`,
        );
      }
      const given = snake ? name : camel;
      accept(bound, parameter, params[given]);
      if (!parameter.asText) continue;
      keepText(bound, name, text, () =>
        scanMembers(text, 0).find((member) => member.name === given),
      );
    }
    return bound;
  }

  /** Finds out without reading the whole text whether a closer look is needed. */
  #mayRepeat(text: string): boolean {
    if (text.includes('\\u')) return true;
    for (const name of this.#quotedNames) {
      const first = text.indexOf(name);
      if (first >= 0 && text.indexOf(name, first + name.length) >= 0) return true;
    }
    return false;
  }

  /** `JSON.parse` keeps the last of two equal names; the sender must hear of it. */
  #refuseRepeated(params: Record<string, unknown>, text: string): void {
    if (!this.#mayRepeat(text)) return;
    const members = scanMembers(text, 0);
    if (members.length === Object.keys(params).length) return;
    const seen = new Set<string>();
    for (const { name } of members) {
      if (seen.has(name) && this.#names.has(name)) throw repeated(name);
      seen.add(name);
    }
  }
}

/** Parameters may nest 128 deep; the call's own object and the `params` container stand around them. */
const MAX_DEPTH = 129;

const repeated = (name: string) =>
  RpcError.params(`duplicate field \`${name}\` at line 1 column 1`);

function accept(bound: Record<string, unknown>, parameter: Parameter, value: unknown): void {
  if (value === null && parameter.optional && !parameter.keepsNull) return;
  if (!parameter.check(value)) throw RpcError.params(parameter.explain(value));
  bound[parameter.name] = value;
}

/** Puts the JSON text in the place of the value. In-process calls have values only. */
function keepText(
  bound: Record<string, unknown>,
  name: string,
  text: string,
  find: () => Member | undefined,
): void {
  if (!Object.hasOwn(bound, name)) return;
  const member = text === '' ? undefined : find();
  const own = member ? text.slice(member.start, member.end) : stringifyJson(bound[name]);
  bound[name] = new RawJson(own);
}

function parameter(name: string, schema: TSchema): Parameter {
  const validator = Compile(schema);
  return {
    name,
    camel: camelCase(name),
    optional: Object.hasOwn(schema, '~optional'),
    isDeep: isDeep(schema),
    keepsNull: Object.hasOwn(schema, 'x-keep-null'),
    asText: Object.hasOwn(schema, 'x-json-text'),
    check: (value) => validator.Check(value),
    explain: (value) => reason(name, value, validator.Errors(value)),
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

const camelCase = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());

const CREDENTIAL: Parameter = {
  name: '',
  camel: '',
  optional: false,
  isDeep: false,
  keepsNull: false,
  asText: false,
  check: (value) => typeof value === 'string',
  explain: (value) => `invalid type: ${describe(value)}, expected a string at line 1 column 1`,
};

interface Failure {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** A reason in the wording of the page: texts are informative, the code and that `data` is a string are not. */
function reason(name: string, value: unknown, failures: readonly Failure[]): string {
  const failure = deepestOf(failures);
  const at = failure.instancePath;
  const found = at.split('/').slice(1).reduce(step, value);
  const where = ` at line 1 column ${JSON.stringify(found, plain)?.length ?? 1}`;
  if (failure.keyword === 'required') {
    const [missing] =
      (failure.params as { requiredProperties?: string[] }).requiredProperties ?? [];
    return `missing field \`${missing ?? name}\`${where}`;
  }
  if (failure.keyword === 'enum') return `unknown variant \`${String(found)}\`${where}`;
  const label = at === '' ? name : `${name}${at}`;
  return `invalid type: ${describe(found)}, ${label} ${failure.message}${where}`;
}

const deepestOf = (failures: readonly Failure[]): Failure =>
  failures.reduce(
    (deepest, next) =>
      next.instancePath.split('/').length > deepest.instancePath.split('/').length ? next : deepest,
    failures[0] ?? { keyword: 'type', instancePath: '', params: {}, message: 'does not fit' },
  );

const step = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name.replaceAll('~1', '/').replaceAll('~0', '~')]
    : undefined;

const plain = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value;

/** Never the value of a string: it may be a secret. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'boolean') return `boolean \`${value}\``;
  if (typeof value === 'bigint' || Number.isInteger(value)) return `integer \`${value}\``;
  if (typeof value === 'number') return `floating point \`${value}\``;
  return 'string';
}
