import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { CallOrder, FromThread, LoadOrder, ThreadData, ToThread } from '../messages.ts';
import { type Blank, createBlank, DEFAULT_HEAP } from './blank.ts';
import { Box } from './box.ts';

/** Idle time after which the next blank context is made in advance, ms: whoever comes meanwhile would wait for that. */
const REFILL_MS = 15;
const WARM_UP_CALLS = 200;

const { module, brand } = workerData as ThreadData;
const port = parentPort as MessagePort;
const boxes = new Map<number, Promise<Box | string>>();
/** The run after the present one, by context: it begins without a message in between. */
const ahead = new Map<number, { readonly run: number; readonly call: CallOrder }>();
let spare: Promise<Blank> | undefined;
let refill: NodeJS.Timeout | undefined;

function post(message: FromThread): void {
  const moved: ArrayBuffer[] = [];
  const give = (bytes: unknown) => {
    if (
      bytes instanceof Uint8Array &&
      bytes.byteLength === bytes.buffer.byteLength &&
      bytes.byteLength > 0
    )
      moved.push(bytes.buffer as ArrayBuffer);
  };
  if (message.t === 'op') give(message.bytes);
  if (message.t === 'gone') give(message.body);
  if (message.t === 'done' && message.outcome.kind === 'response') give(message.outcome.body);
  port.postMessage(message, moved);
}

function blank(heap: number): Promise<Blank> {
  const ready = heap === DEFAULT_HEAP ? spare : undefined;
  if (ready) spare = undefined;
  return ready ?? createBlank(module, heap, brand);
}

function forget(id: number): void {
  boxes.delete(id);
  ahead.delete(id);
}

async function load(id: number, order: LoadOrder): Promise<Box | string> {
  const box: Box = new Box(await blank(order.heap), order, {
    done(run, outcome, over) {
      if (over?.lost) forget(id);
      post({ t: 'done', box: id, run, outcome, over });
      const next = ahead.get(id);
      ahead.delete(id);
      if (next) queueMicrotask(() => box.start(next.run, next.call));
    },
    quiet(run, lost) {
      if (lost) forget(id);
      post({ t: 'quiet', box: id, run, lost });
    },
    released: (run, body) => post({ t: 'released', box: id, run, body }),
    gone: (run, { body }) => post({ t: 'gone', box: id, run, body }),
    op: (run, op, kind, text, bytes) => post({ t: 'op', box: id, run, id: op, kind, text, bytes }),
    log: (line) => post({ t: 'log', box: id, ...line }),
  });
  const failure = box.compile();
  if (failure !== undefined) box.dispose();
  return failure ?? box;
}

async function start(id: number, run: number, call: CallOrder): Promise<void> {
  const box = await boxes.get(id);
  if (box instanceof Box) {
    if (box.isBusy) ahead.set(id, { run, call });
    else box.start(run, call);
    return;
  }
  if (box === undefined) {
    post({ t: 'gone', box: id, run, body: call.body });
    return;
  }
  const detail = `[js_load] ${box}`;
  const outcome = { kind: 'failure', detail, late: false } as const;
  post({ t: 'done', box: id, run, outcome, over: { lost: true } });
}

async function take(message: ToThread): Promise<void> {
  const { box: id } = message;
  if (message.t === 'load') {
    const loading = load(id, message.load);
    boxes.set(id, loading);
    const box = await loading;
    post({ t: 'loaded', box: id, failure: typeof box === 'string' ? box : null });
  } else if (message.t === 'run') await start(id, message.run, message.call);
  else {
    const box = await boxes.get(id);
    if (message.t === 'drop') forget(id);
    if (!(box instanceof Box)) return;
    if (message.t === 'drop') box.dispose();
    else settle(box, message);
  }
}

function settle(box: Box, { id, ok, text, bytes, body }: Settle): void {
  if (body === undefined) {
    box.settle(id, ok, text, bytes);
    return;
  }
  if (bytes) box.keepBody(body, bytes);
  box.settle(id, ok, text);
}
type Settle = Extract<ToThread, { t: 'settle' }>;

/** The first context of a thread takes long to make, and its code is cold. */
async function warmUp(): Promise<void> {
  const order = { file: 'warm-up.js', heap: DEFAULT_HEAP, stack: 1_048_576 };
  const script = `export default { onRoute: (request) => new Response(request.url + new URL('http://a/').href),
    onCall: async (params) => params };`;
  const silent = { done() {}, quiet() {}, gone() {}, released() {}, op() {}, log() {} };
  const box = new Box(await createBlank(module, DEFAULT_HEAP, brand), { ...order, script }, silent);
  box.compile();
  const ctx = { runType: 'onRoute', workerName: '', inlineCaller: null };
  const request = '{"url":"http://a/","method":"GET","headers":[["a","b"]],"body":null}';
  const call = { env: '{}', ctx, limit_ms: 1000, level: 0, cookies: false };
  for (let n = 0; n < WARM_UP_CALLS; n++) {
    box.start(0, { ...call, handler: 'onRoute', mode: 'route', params: request });
    box.start(0, { ...call, handler: 'onCall', mode: 'json', params: '{}' });
  }
  box.dispose();
  await makeSpare();
}

/** Nothing depends on it: whoever needs a context when none could be made in advance makes his own, or learns why not. */
async function makeSpare(): Promise<void> {
  const made = createBlank(module, DEFAULT_HEAP, brand);
  spare = made;
  await made.catch(() => {
    if (spare === made) spare = undefined;
  });
}

/** Begins to wait anew for a time in which nothing happens here. */
function refillLater(): void {
  if (spare) return;
  clearTimeout(refill);
  refill = setTimeout(() => void makeSpare(), REFILL_MS);
}

await warmUp();
port.on('message', (message: ToThread) => {
  take(message)
    .then(refillLater)
    .catch((error: unknown) => {
      // Nothing of a script's ends here: the thread is not to be trusted any more, and its owner learns why.
      process.nextTick(() => {
        throw error;
      });
    });
});
post({ t: 'ready' });
