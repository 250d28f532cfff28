import type { Methods } from '@svc/client';
import { diffLines, fromBase64, prettyJson, readJson, textToBase64 } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export type Stored = Methods['js-worker_read']['result'];

export const limits = [
  'max_run_time',
  'max_heap_size',
  'max_stack_size',
  'runtime_clean_time',
] as const;
type Limit = (typeof limits)[number];

/** A worker as it stands in the fields. */
export type Draft = {
  readonly script: string;
  readonly description: string;
  readonly route: string;
  /** JSON, or nothing. */
  readonly env: string;
} & { readonly [K in Limit]: string };

export const draftOf = (stored: Stored): Draft => ({
  script: new TextDecoder().decode(fromBase64(stored.js_script_base64)),
  description: stored.description ?? '',
  route: stored.route_name ?? '',
  env: stored.env === null || stored.env === undefined ? '' : prettyJson(stored.env),
  max_run_time: String(stored.max_run_time ?? ''),
  max_heap_size: String(stored.max_heap_size ?? ''),
  max_stack_size: String(stored.max_stack_size ?? ''),
  runtime_clean_time: String(stored.runtime_clean_time ?? ''),
});

const NUMBER = /^[1-9]\d{0,14}$/;

/** Returns what is wrong with a field, in words. */
export function mistake(field: keyof Draft, text: string): string | undefined {
  if (text.trim() === '') return undefined;
  if (field === 'env') {
    const read = readJson(text);
    return 'error' in read ? read.error : undefined;
  }
  if (field === 'route')
    return /^(?!\.+$)[A-Za-z0-9._-]{1,128}$/.test(text.trim()) ? undefined : t.workers.routeHint;
  if ((limits as readonly string[]).includes(field))
    return NUMBER.test(text.trim()) ? undefined : t.workers.badNumber;
  return undefined;
}

export const isSound = (draft: Draft): boolean =>
  draft.script.trim() !== '' &&
  (Object.keys(draft) as (keyof Draft)[]).every(
    (field) => mistake(field, draft[field]) === undefined,
  );

/** Parameters of `js-worker_create` and `js-worker_update`. */
export function wireOf(name: string, draft: Draft) {
  const read = draft.env.trim() === '' ? undefined : readJson(draft.env);
  const number = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    name,
    js_script_base64: textToBase64(draft.script),
    description: draft.description === '' ? null : draft.description,
    route_name: draft.route.trim() === '' ? null : draft.route.trim(),
    env: read && 'value' in read ? read.value : null,
    max_run_time: number(draft.max_run_time),
    max_heap_size: number(draft.max_heap_size),
    max_stack_size: number(draft.max_stack_size),
    runtime_clean_time: number(draft.runtime_clean_time),
  };
}

export const isSame = (a: Draft, b: Draft): boolean =>
  (Object.keys(a) as (keyof Draft)[]).every((field) => a[field] === b[field]);

/** Returns what deploying does, a sentence each. `pathOf` makes the public path of a route. */
export function effectsOf(
  before: Draft,
  after: Draft,
  pathOf: (route: string) => string,
): readonly string[] {
  const words = t.workers.effects;
  const lines = diffLines(before.script, after.script);
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  const moved = before.route !== after.route.trim();
  return [
    before.script !== after.script && words.script(count('added'), count('removed')),
    moved && before.route !== '' && words.routeRemoved(pathOf(before.route)),
    moved && after.route.trim() !== '' && words.routeAdded(pathOf(after.route.trim())),
    before.env !== after.env && words.env,
    limits.some((limit) => before[limit] !== after[limit]) && words.limits,
    before.description !== after.description && words.description,
    words.context,
  ].filter((line) => typeof line === 'string');
}

/** Script that a new worker begins with. */
export const EXAMPLE = `export default {
  /** Answers a call: the Run button, or js-worker_run. */
  async onCall(params, env, ctx) {
    console.log('called with', JSON.stringify(params));
    return { hello: params?.name ?? 'world', worker: ctx.workerName };
  },

  /** Answers HTTP requests to its route. */
  async onRoute(request) {
    const { pathname } = new URL(request.url);
    return new Response(\`Hello from \${pathname}\\n\`);
  },
};
`;

/** The line of the script that an error names, counting from 1. */
export const lineOf = (text: string, name: string): number | undefined => {
  const place = [...text.matchAll(/(?<![^()\s])([^()\s]+\.js):(\d+):\d+/g)].find(
    ([, file]) => file === 'js_worker.js' || file === `${name}.js`,
  );
  return place && Number(place[2]);
};
