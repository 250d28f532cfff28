/** The program of a script thread: contexts by number, and the messages that reach them. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Script } from '../api.ts';
import type { FromThread, RunMessage, ThreadData, ToThread } from '../messages.ts';
import { pulse } from '../pulse.ts';
import { Blanks } from './blanks.ts';
import { Box } from './box.ts';
import { warmUp } from './warm-up.ts';

const { module, globals } = workerData as ThreadData;
const port = parentPort as MessagePort;
const blanks = new Blanks(module, globals);
/** A context, or why its script does not compile. */
const boxes = new Map<number, Promise<Box | string>>();
/** The runs after the present one, by context: they begin without a message in between. */
const ahead = new Map<number, RunMessage[]>();

function post(message: FromThread): void {
  const moved: ArrayBuffer[] = [];
  const give = (bytes: unknown) => {
    if (!(bytes instanceof Uint8Array) || bytes.byteLength === 0) return;
    if (bytes.byteLength === bytes.buffer.byteLength) moved.push(bytes.buffer as ArrayBuffer);
  };
  if (message.t === 'op') give(message.bytes);
  if (message.t === 'gone') give(message.body);
  if (message.t === 'done' && message.outcome.kind === 'response') give(message.outcome.body);
  port.postMessage(message, moved);
}

function forget(id: number): void {
  boxes.delete(id);
  ahead.delete(id);
}

async function load(id: number, script: Script): Promise<Box | string> {
  const box: Box = new Box(await blanks.take(script.heap), script, {
    done(run, outcome, over) {
      if (over?.lost) forget(id);
      post({ t: 'done', box: id, run, outcome, over });
      const next = nextOf(id);
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

/** Those that the main thread has taken back are passed over. */
function nextOf(id: number): RunMessage | undefined {
  const waiting = ahead.get(id);
  for (let next = waiting?.shift(); next; next = waiting?.shift()) if (isOurs(next)) return next;
  return undefined;
}

const isOurs = ({ turn }: RunMessage): boolean => turn === undefined || pulse.claim(turn);

async function start(message: RunMessage): Promise<void> {
  const { box: id, run, call } = message;
  const box = await boxes.get(id);
  if (box instanceof Box) {
    if (!box.isBusy) {
      if (isOurs(message)) box.start(run, call);
      return;
    }
    const waiting = ahead.get(id);
    if (waiting) waiting.push(message);
    else ahead.set(id, [message]);
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
    const loading = load(id, message.script);
    boxes.set(id, loading);
    const box = await loading;
    post({ t: 'loaded', box: id, failure: typeof box === 'string' ? box : null });
  } else if (message.t === 'run') await start(message);
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

await warmUp(blanks);
await blanks.fill();
port.on('message', (message: ToThread) => {
  take(message)
    .then(() => blanks.fillLater())
    .catch((error: unknown) => {
      // No script throws into this code: the thread is not to be trusted any more, and its owner learns why.
      process.nextTick(() => {
        throw error;
      });
    });
});
post({ t: 'ready' });
