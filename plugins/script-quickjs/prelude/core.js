/**
 * Runs first in every script context: bridge to the host, errors, timers, console, and the driver that the host calls.
 * Gives `api`, which the other files of this folder extend. Primordials are captured: a script may break its own.
 */
(function core(host) {
  const { parse, stringify } = JSON;
  const { apply, defineProperty } = Reflect;
  const { resolve: resolved, prototype: promises } = Promise;
  const NativePromise = Promise;
  const { then } = promises;
  const global = globalThis;
  const RUNTIME = '<runtime>';

  const define = (name, value) =>
    defineProperty(global, name, { value, writable: true, configurable: true, enumerable: false });

  /** Places are the codes of old (Web IDL §4.4); 0 for any other name. */
  const CODES =
    ' IndexSize  HierarchyRequest WrongDocument InvalidCharacter  NoModificationAllowed NotFound NotSupported InUseAttribute InvalidState Syntax InvalidModification Namespace InvalidAccess  TypeMismatch Security Network Abort URLMismatch QuotaExceeded Timeout InvalidNodeType DataClone';
  const codes = CODES.split(' ').map((name) => (name === '' ? undefined : `${name}Error`));
  class DOMException extends Error {
    constructor(message = '', name = 'Error') {
      super(message);
      defineProperty(this, 'name', { value: String(name), configurable: true });
    }
    get code() {
      return Math.max(0, codes.indexOf(this.name));
    }
    get [Symbol.toStringTag]() {
      return 'DOMException';
    }
  }
  define('DOMException', DOMException);

  // The engine knows no other error for its stack than the one for its memory.
  const OVERFLOW = 'stack overflow';
  Object.setPrototypeOf(InternalError.prototype, RangeError.prototype);
  defineProperty(InternalError.prototype, 'name', {
    get() {
      return this.message === OVERFLOW ? 'RangeError' : 'InternalError';
    },
    set(value) {
      defineProperty(this, 'name', { value, writable: true, configurable: true });
    },
    configurable: true,
  });

  const errors = { TypeError, RangeError, SyntaxError, Error, InternalError };
  function errorOf([name, message, cause]) {
    const options = cause === undefined ? undefined : { cause };
    const Known = errors[name];
    return Known ? new Known(message, options) : new DOMException(message, name);
  }
  const full = () => new InternalError('out of memory');

  const PIECE = 262_144;
  /** Returns what stands for bytes in a call of the host; large ones go ahead in pieces. */
  function handed(bytes) {
    if (bytes === undefined || bytes.byteLength <= PIECE) return bytes;
    for (let at = 0; at < bytes.byteLength; at += PIECE) {
      const refused = host.out(bytes.slice(at, at + PIECE));
      if (refused === undefined) throw full();
      if (refused !== '') throw new Error(refused);
    }
    return true;
  }

  /** Asks the host and has the answer at once. */
  function sync(kind, value, bytes) {
    const text = host.sync(kind, stringify(value) ?? 'null', handed(bytes));
    if (text === undefined) throw full();
    const answer = parse(text);
    if (answer.e) throw errorOf(answer.e);
    return answer.v;
  }

  /** Bytes that the last `sync` left with the host. `isBody`: they do not count as the script's own. */
  function takeBytes(length, isBody = false) {
    // Exhaustion shows here, where it can be caught, and not in the host.
    if (!isBody) void new ArrayBuffer(length);
    const bytes = host.take();
    if (bytes === undefined) throw full();
    return bytes;
  }

  const waiting = new Map();
  let lastOp = 0;
  /** Asks the host for something that takes time. Resolves to `{ value, bytes }`. */
  function op(kind, value, bytes) {
    return new NativePromise((resolve, reject) => {
      const id = ++lastOp;
      const text = stringify(value) ?? 'null';
      const refused = host.op(id, kind, text, handed(bytes));
      if (refused === undefined) throw full();
      if (refused !== '') throw new Error(refused);
      waiting.set(id, { resolve, reject });
    });
  }
  function settle(id, ok, text, bytes) {
    const open = waiting.get(id);
    waiting.delete(id);
    if (!open) return;
    if (ok) open.resolve({ value: parse(text), bytes });
    else open.reject(errorOf(parse(text)));
  }

  const timers = new Map();
  function start(kind, callback, delay, args) {
    if (typeof callback !== 'function') throw new TypeError('callback is not a function');
    const ms = Math.max(0, Math.min(2 ** 31 - 1, Number(delay) || 0));
    const id = sync('timer', [kind, kind === 'interval' ? Math.max(4, ms) : ms]);
    timers.set(id, { callback, args, once: kind !== 'interval' });
    return id;
  }
  function clear(id) {
    if (timers.delete(Number(id))) sync('clear', Number(id));
  }
  function fire(id) {
    const timer = timers.get(id);
    if (!timer) return;
    if (timer.once) timers.delete(id);
    try {
      apply(timer.callback, undefined, timer.args);
    } catch (error) {
      log('error', 'timer', describe(error));
    }
  }
  define('setTimeout', (callback, delay, ...args) => start('timeout', callback, delay, args));
  define('setInterval', (callback, delay, ...args) => start('interval', callback, delay, args));
  define('setImmediate', (callback, ...args) => start('immediate', callback, 0, args));
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate'])
    define(name, (id) => clear(id));
  define('queueMicrotask', (callback) => {
    if (typeof callback !== 'function') throw new TypeError('callback is not a function');
    apply(then, apply(resolved, NativePromise, []), [() => callback()]);
  });

  function log(level, namespace, message) {
    sync('log', [level, namespace, message]);
  }
  const levels = ['trace', 'debug', 'info', 'warn', 'error'];
  function shown(value) {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return describe(value);
    try {
      return (typeof value === 'object' ? stringify(value) : undefined) ?? String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  }
  const print =
    (level) =>
    (...values) =>
      log(level, 'console', values.map(shown).join(' '));
  const console = { log: print('info') };
  for (const level of levels) console[level] = print(level);
  define('console', console);

  const MOST_FRAMES = 40;
  /** Frames of the script; the runtime's own are left out. */
  function visible(stack) {
    if (typeof stack !== 'string') return '';
    const frames = stack.split('\n').filter((line) => line !== '' && !line.includes(`(${RUNTIME}`));
    if (frames.at(-1) === '    at apply (native)') frames.pop();
    const shown = frames.slice(0, MOST_FRAMES).map((line) => `${line}\n`);
    if (frames.length > MOST_FRAMES) shown.push('    ...\n');
    return shown.join('');
  }

  /** The engine's own words, of its interpreter and its parsers. */
  const isOverflow = (head) =>
    head === `RangeError: ${OVERFLOW}` || head === `SyntaxError: ${OVERFLOW}`;
  /** Text of anything thrown (js-worker.md §5.2). */
  function describe(error) {
    try {
      if (typeof error !== 'object' || error === null) return stringify(error) ?? String(error);
      const { message } = error;
      const stack = visible(error.stack);
      if (typeof message !== 'string') return stringify(error) ?? 'null';
      if (message === '') return stack || String(error.name);
      const head = error.name ? `${error.name}: ${message}` : message;
      const told = isOverflow(head) ? 'RangeError: Maximum call stack size exceeded' : head;
      return stack ? `${told}\n${stack}` : told;
    } catch {
      return 'an error that cannot be shown';
    }
  }
  const MOST_TEXT = 16_384;
  const fullInvoke = '["js_invoke","InternalError: out of memory"]';
  const fullEval = '["js_eval","InternalError: out of memory"]';
  function fail(stage, error) {
    let text = stage === 'js_eval' ? fullEval : fullInvoke;
    try {
      // Without room for an error the engine throws none: the host knows whether that was it.
      const bare = typeof error !== 'object' || error === null;
      text = stringify([stage, describe(error).slice(0, MOST_TEXT), bare]);
    } catch {
      // There is no room to say more.
    }
    host.done('fail', text);
  }

  /** Records what a handler has returned. */
  function record(value) {
    if (typeof value === 'string') return host.done('text', stringify(value));
    if (typeof value === 'function' || typeof value === 'symbol') {
      const text = 'Script return is not JSON-serializable (got function/symbol)';
      return host.done('fail', stringify(['json_parse', text]));
    }
    if (value === undefined) {
      return fail('js_invoke', new Error('JS handler must return a JSON-serializable value'));
    }
    let text;
    try {
      text = stringify(value);
    } catch (error) {
      if (describe(error).startsWith('InternalError: out of memory')) throw error;
      return host.done('fail', stringify([null, 'Exception generated by QuickJS']));
    }
    if (text === undefined) {
      return host.done(
        'fail',
        stringify(['json_parse', 'Script return is not JSON-serializable (got function/symbol)']),
      );
    }
    return host.done('json', text);
  }

  function finish(value) {
    try {
      record(value);
    } catch (error) {
      fail('js_invoke', error);
    }
  }

  let main;
  let pending;
  const isThenable = (value) =>
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof value.then === 'function';

  function call({ handler, params, env, context, mode, cookies }) {
    api.cookies = cookies;
    try {
      if (typeof main !== 'object' || main === null)
        throw new Error('export default must be an object');
      const method = main[handler];
      if (typeof method !== 'function') {
        throw new Error(`Missing handler function export default.${handler}`);
      }
      const input = mode === 'json' ? parse(params) : api.requestOf(parse(params), mode, handler);
      const result = apply(method, main, [input, parse(env) || {}, api.contextOf(context)]);
      const done = mode === 'json' ? finish : (value) => api.respond(value, handler);
      if (!isThenable(result)) return done(result);
      const failed = (error) => fail('js_invoke', error);
      return void apply(then, apply(resolved, NativePromise, [result]), [done, failed]);
    } catch (error) {
      return fail('js_invoke', error);
    }
  }

  const api = { host, handed, define, sync, op, takeBytes, fail, log, describe, loaded: {} };
  const driver = {
    settle,
    fire,
    /** The module's namespace, or a promise of it while its top level waits. */
    loaded(module, text, params, env) {
      pending = { ...parse(text), params, env };
      if (!(module instanceof NativePromise)) {
        main = module.default;
        return call(pending);
      }
      const ready = (namespace) => {
        main = namespace.default;
        call(pending);
      };
      return void apply(then, module, [ready, (error) => fail('js_eval', error)]);
    },
    run: (text, params, env) => call({ ...parse(text), params, env }),
    failed: fail,
    clearTimers: () => timers.clear(),
  };
  return { api, driver };
});
