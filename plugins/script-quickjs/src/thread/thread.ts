/** The program of a script thread: contexts by number, and the messages that reach them. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Script } from '../api.ts';
import type { FromThread, RunMessage, ThreadData, ToThread } from '../messages.ts';
import { pulse } from '../pulse.ts';
import { ScriptContext } from './context.ts';
import { EmptyContexts } from './empty-contexts.ts';
import { warmUp } from './warm-up.ts';

const { module, globals } = workerData as ThreadData;
const port = parentPort as MessagePort;
const emptyContexts = new EmptyContexts(module, globals);
/** A context, or why its script does not compile. */
const contexts = new Map<number, Promise<ScriptContext | string>>();
/** The runs after the present one, by context: they begin without a message in between. */
const ahead = new Map<number, RunMessage[]>();

function post(message: FromThread): void {
  const moved: ArrayBuffer[] = [];
  const transfer = (bytes: unknown) => {
    if (!(bytes instanceof Uint8Array) || bytes.byteLength === 0) return;
    if (bytes.byteLength === bytes.buffer.byteLength) moved.push(bytes.buffer as ArrayBuffer);
  };
  if (message.t === 'op') transfer(message.bytes);
  if (message.t === 'gone') transfer(message.body);
  if (message.t === 'done' && message.outcome.kind === 'response') transfer(message.outcome.body);
  port.postMessage(message, moved);
}

function forget(id: number): void {
  contexts.delete(id);
  ahead.delete(id);
}

async function load(id: number, script: Script): Promise<ScriptContext | string> {
  const context: ScriptContext = new ScriptContext(
    await emptyContexts.acquire(script.heap),
    script,
    {
      done(run, outcome, over) {
        if (over?.lost) forget(id);
        post({ t: 'done', context: id, run, outcome, over });
        const next = nextOf(id);
        if (next) queueMicrotask(() => context.start(next.run, next.call));
      },
      quiet(run, lost) {
        if (lost) forget(id);
        post({ t: 'quiet', context: id, run, lost });
      },
      released: (run, body) => post({ t: 'released', context: id, run, body }),
      gone: (run, { body }) => post({ t: 'gone', context: id, run, body }),
      op: (run, op, kind, text, bytes) =>
        post({ t: 'op', context: id, run, id: op, kind, text, bytes }),
      log: (line) => post({ t: 'log', context: id, ...line }),
    },
  );
  const failure = context.compile();
  if (failure !== undefined) context.dispose();
  return failure ?? context;
}

/** Returns the next run; those that the main thread has taken back are passed over. */
function nextOf(id: number): RunMessage | undefined {
  const waiting = ahead.get(id);
  for (let next = waiting?.shift(); next; next = waiting?.shift()) if (isOurs(next)) return next;
  return undefined;
}

const isOurs = ({ turn }: RunMessage): boolean => turn === undefined || pulse.claim(turn);

async function start(message: RunMessage): Promise<void> {
  const { context: id, run, call } = message;
  const context = await contexts.get(id);
  if (context instanceof ScriptContext) {
    if (!context.isBusy) {
      if (isOurs(message)) context.start(run, call);
      return;
    }
    const waiting = ahead.get(id);
    if (waiting) waiting.push(message);
    else ahead.set(id, [message]);
    return;
  }
  if (context === undefined) {
    post({ t: 'gone', context: id, run, body: call.body });
    return;
  }
  const detail = `[js_load] ${context}`;
  const outcome = { kind: 'failure', detail, late: false } as const;
  post({ t: 'done', context: id, run, outcome, over: { lost: true } });
}

async function handle(message: ToThread): Promise<void> {
  const { context: id } = message;
  if (message.t === 'load') {
    const loading = load(id, message.script);
    contexts.set(id, loading);
    const context = await loading;
    post({ t: 'loaded', context: id, failure: typeof context === 'string' ? context : null });
  } else if (message.t === 'run') await start(message);
  else {
    const context = await contexts.get(id);
    if (message.t === 'drop') forget(id);
    if (!(context instanceof ScriptContext)) return;
    if (message.t === 'drop') context.dispose();
    else settle(context, message);
  }
}

function settle(context: ScriptContext, { id, ok, text, bytes, body }: Settle): void {
  if (body === undefined) {
    context.settle(id, ok, text, bytes);
    return;
  }
  if (bytes) context.keepBody(body, bytes);
  context.settle(id, ok, text);
}
type Settle = Extract<ToThread, { t: 'settle' }>;

await warmUp(emptyContexts);
await emptyContexts.fill();
port.on('message', (message: ToThread) => {
  handle(message)
    .then(() => emptyContexts.fillLater())
    .catch((error: unknown) => {
      // No script throws into this code: the thread is not to be trusted any more, and its owner learns why.
      process.nextTick(() => {
        throw error;
      });
    });
});
post({ t: 'ready' });
