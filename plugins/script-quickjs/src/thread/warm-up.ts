import type { Call } from '../api.ts';
import { ScriptContext } from './context.ts';
import { DEFAULT_HEAP, type EmptyContexts } from './empty-contexts.ts';

const CALLS = 200;
const STACK = 1_048_576;
const SOURCE = `export default {
  request: (request) => new Response(request.url + new URL('http://a/').href),
  json: async (params) => params,
};`;
const REQUEST = '{"url":"http://a/","method":"GET","headers":[["a","b"]],"body":null}';

/** Runs a script many times: the first context of a thread takes long to make, and the code of both sides is cold. */
export async function warmUp(emptyContexts: EmptyContexts): Promise<void> {
  const script = { source: SOURCE, file: 'warm-up.js', heap: DEFAULT_HEAP, stack: STACK };
  const silent = { done() {}, quiet() {}, gone() {}, released() {}, op() {}, log() {} };
  const context = new ScriptContext(await emptyContexts.acquire(DEFAULT_HEAP), script, silent);
  context.compile();
  const rest = { env: '{}', context: {}, limit_ms: 1000, level: 0, cookies: false };
  const calls: readonly Call[] = [
    { ...rest, handler: 'request', mode: 'request', params: REQUEST },
    { ...rest, handler: 'json', mode: 'json', params: '{}' },
  ];
  for (let n = 0; n < CALLS; n++) for (const call of calls) context.start(0, call);
  context.dispose();
}
