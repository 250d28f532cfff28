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
  return `${GENERATED}${head}${methods.map(section).join('')}`.trimEnd().concat('\n');
}

function section(method: Method): string {
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
    params.length === 0 ? 'No parameters.\n\n' : paramsTable(params),
    resultText(method),
    errorTable(errors),
    exampleText(method),
  ].join('');
}

function paramsTable(params: readonly Param[]): string {
  const rows = params.map(({ name, required, description = '', schema }) => {
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

/** Those of every method are on the first page. */
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
  const { credential = '' } = method['x-access'];
  const { [credential]: _, ...own } = params;
  if (method['x-subscription']) return streamExample(method.name, own, example);
  const request = { jsonrpc: '2.0', id: 1, method: method.name, params };
  const answer = { jsonrpc: '2.0', id: 1, result: example.result.value };
  const given = Object.keys(own).length === 0 ? '' : `, ${JSON.stringify(own)}`;
  return [
    '**Example**\n\n',
    block('sh', `curl -sS ${ADDRESS} -d '${JSON.stringify(request).replaceAll("'", "'\\''")}'`),
    block('js', `await client.call('${method.name}'${given});`),
    block('json', JSON.stringify(answer)),
  ].join('');
}

function streamExample(name: string, own: object, example: Pairing): string {
  const loop = `for await (const item of client.subscribe('${name}', ${JSON.stringify(own)})) console.log(item);`;
  return `**Example**\n\n${block('js', loop)}${block('json', JSON.stringify(example['x-item']))}`;
}
