import type { AccessFacts } from '../../plugins/discovery/src/access.ts';
import type { ErrorFacts } from '../../plugins/discovery/src/errors.ts';
import type { JsonSchema } from '../../plugins/discovery/src/json-schema.ts';
import { typeText } from '../../plugins/discovery/src/typescript.ts';
import { block, code, GENERATED, namespaceOf, table } from './markdown.ts';
import { meaning } from './schema-words.ts';

/** A method object of the document. */
export interface Method {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly params: readonly Param[];
  readonly result: { readonly schema: JsonSchema };
  readonly errors: readonly ErrorFacts[];
  readonly examples?: readonly Pairing[];
  readonly 'x-plugin': string;
  readonly 'x-access': AccessFacts;
  readonly 'x-addition'?: true;
  readonly 'x-subscription'?: {
    readonly notification: string;
    readonly unsubscribe: string;
    readonly item: { readonly schema: JsonSchema };
  };
}

interface Param {
  readonly name: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Pairing {
  readonly params: readonly { readonly name: string; readonly value: unknown }[];
  readonly result?: { readonly value: unknown };
  readonly 'x-item'?: unknown;
}

const ADDRESS = 'http://127.0.0.1:2211/svc/rpc';

/** One page for each namespace. */
export function methodPages(methods: readonly Method[]): Map<string, string> {
  const pages = Map.groupBy(methods, ({ name }) => namespaceOf(name));
  return new Map([...pages].map(([namespace, own]) => [`${namespace}.md`, pageOf(namespace, own)]));
}

function pageOf(namespace: string, methods: readonly Method[]): string {
  const plugins = [...new Set(methods.map((method) => method['x-plugin']))].map(code).join(', ');
  const head = `# ${code(namespace)}\n\nMethods of the plugin ${plugins}.\n\n`;
  const text = methods.map((method) => section(method, streamEndedBy(method, methods))).join('');
  return `${GENERATED}${head}${text}`.trimEnd().concat('\n');
}

const streamEndedBy = ({ name }: Method, methods: readonly Method[]): Method | undefined =>
  methods.find((method) => method['x-subscription']?.unsubscribe === name);

/** `stream`: the method that this one ends. */
function section(method: Method, stream: Method | undefined): string {
  const { name, summary, description, deprecated, params, errors } = method;
  const notes = [
    summary,
    description,
    deprecated && 'Deprecated.',
    method['x-addition'] && 'An addition: [other servers of this protocol lack it](additions.md).',
  ];
  return [
    `## ${code(name)}\n\n${notes.filter(Boolean).join('\n')}\n\n`,
    `**Who may:** ${method['x-access'].words}\n\n`,
    params.length === 0 ? 'No parameters.\n\n' : paramsTable(name, params),
    resultText(method),
    errorTable(errors),
    stream ? endExample(stream) : exampleText(method),
  ].join('');
}

function paramsTable(method: string, params: readonly Param[]): string {
  const rows = params.map(({ name, required, description = '', schema }) => {
    if (`${description}${schema.description ?? ''}` === '')
      throw new Error(`${method}: the parameter '${name}' has no description; give its schema one`);
    const type = typeText(schema);
    const isLong = type.includes('\n') || type.length > 80;
    const shown = isLong ? 'see below' : code(type);
    return [code(name), shown, required ? 'yes' : 'no', meaning({ description, ...schema })];
  });
  const long = params
    .map(({ name, schema }) => [name, typeText(schema)] as const)
    .filter(([, type]) => type.includes('\n') || type.length > 80)
    .map(([name, type]) => `${code(name)}:\n\n${block('ts', type)}`);
  return table(['Parameter', 'Type', 'Required', 'Meaning'], rows) + long.join('');
}

function resultText(method: Method): string {
  const { result } = method;
  const stream = method['x-subscription'];
  const { description = '' } = result.schema as JsonSchema;
  if (!stream)
    return `${`**Result:** ${description}`.trim()}\n\n${block('ts', typeText(result.schema))}`;
  const { notification, unsubscribe, item } = stream;
  return (
    `**Stream**, over a WebSocket: the result is the id of the subscription. Items come as notifications ${code(notification)}; ${code(unsubscribe)} ends it.\n\n` +
    `**Item:**\n\n${block('ts', typeText(item.schema))}`
  );
}

/** Errors of every method, which are on the first page. */
export const COMMON: readonly ErrorFacts[] = [
  { code: -32602, message: 'Invalid params' },
  { code: -32008, message: 'Response is too big' },
  {
    code: 101,
    message:
      "Parse error: Failed to parse token: Invalid token format: must be 'key:secret' or 'username|password'",
  },
  { code: 102, message: 'Permission denied: Invalid credentials' },
  { code: 999, message: 'Other error: Internal server error' },
];

function errorTable(errors: readonly ErrorFacts[]): string {
  const isCommon = (error: ErrorFacts) =>
    COMMON.some(({ code: number, message }) => number === error.code && message === error.message);
  const own = errors.filter((error) => !isCommon(error));
  if (own.length === 0) return '**Errors:** [those of every method](README.md#errors).\n\n';
  const rows = own.map(({ code: number, message }) => [String(number), message]);
  return `**Errors** beside [those of every method](README.md#errors):\n\n${table(['Code', 'For example'], rows)}`;
}

function exampleText(method: Method): string {
  const [example] = method.examples ?? [];
  if (!example?.result) return '';
  const params = Object.fromEntries(example.params.map(({ name, value }) => [name, value]));
  const own = ownParams(method, params);
  if (method['x-subscription']) return streamExample(method.name, own, example);
  const request = { jsonrpc: '2.0', id: 1, method: method.name, params };
  const answer = { jsonrpc: '2.0', id: 1, result: example.result.value };
  return [
    '**Example**\n\n',
    block(
      'sh',
      `curl -sS ${ADDRESS} -H 'content-type: application/json' -d ${quoted(JSON.stringify(request))}`,
    ),
    block('js', `await client.call(${args(method.name, own)});`),
    block('json', JSON.stringify(answer)),
  ].join('');
}

type Values = { readonly [name: string]: unknown };

/** Parameters without the credential, which the client fills in. */
function ownParams(method: Method, params: Values): Values {
  const { [method['x-access'].credential ?? '']: _, ...own } = params;
  return own;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const args = (name: string, params: Values) =>
  [`'${name}'`, ...(Object.keys(params).length > 0 ? [JSON.stringify(params)] : [])].join(', ');

/** curl speaks no WebSocket: the program `svc` stands in for it. */
function streamExample(name: string, own: Values, example: Pairing): string {
  const pairs = Object.entries(own).map(
    ([key, value]) =>
      ` ${key}=${typeof value === 'string' ? value : quoted(JSON.stringify(value))}`,
  );
  const loop = `for await (const item of client.subscribe(${args(name, own)})) console.log(item);`;
  return [
    '**Example**, with [`svc`](../../cli/README.md), since curl has no streams:\n\n',
    block('sh', `npx svc call -f ${name}${pairs.join('')}`),
    block('js', loop),
    block('json', JSON.stringify(example['x-item'])),
  ].join('');
}

/** Example that ends a stream: only its connection can, so no example stands alone. */
function endExample(stream: Method): string {
  const [example] = stream.examples ?? [];
  const params = Object.fromEntries(
    (example?.params ?? []).map(({ name, value }) => [name, value]),
  );
  const text = `const stream = client.subscribe(${args(stream.name, ownParams(stream, params))});\nawait stream.ready;\nstream.close();`;
  return `**Example:** the client sends it at the end of a loop over the stream, and when it is closed. \`svc call -f\` sends it at its end.\n\n${block('js', text)}`;
}
