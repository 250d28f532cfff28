/** Events and signals that end what is waited for; evaluated at first use. */
(function abort({ loaded, log, describe }) {
  class Event {
    #init;
    #target = null;
    #prevented = false;
    #stopped = false;
    constructor(type, init) {
      this.#init = { ...init, type: String(type) };
    }
    static sent(event, target) {
      event.#target = target;
      event.#stopped = false;
    }
    static stopped = (event) => event.#stopped;
    get type() {
      return this.#init.type;
    }
    get cancelable() {
      return Boolean(this.#init.cancelable);
    }
    get bubbles() {
      return Boolean(this.#init.bubbles);
    }
    get target() {
      return this.#target;
    }
    get currentTarget() {
      return this.#target;
    }
    get defaultPrevented() {
      return this.#prevented;
    }
    preventDefault() {
      if (this.cancelable) this.#prevented = true;
    }
    stopPropagation() {}
    stopImmediatePropagation() {
      this.#stopped = true;
    }
    get [Symbol.toStringTag]() {
      return 'Event';
    }
  }
  const { sent, stopped } = Event;
  for (const name of ['sent', 'stopped']) delete Event[name];

  class EventTarget {
    #listeners = [];
    addEventListener(type, listener, options) {
      if (listener === null || listener === undefined) return;
      const { once = false, signal } = typeof options === 'object' && options ? options : {};
      if (signal?.aborted || this.#has(String(type), listener)) return;
      this.#listeners.push({ type: String(type), listener, once });
      signal?.addEventListener('abort', () => this.removeEventListener(type, listener));
    }
    #has(type, listener) {
      return this.#listeners.some((one) => one.type === type && one.listener === listener);
    }
    removeEventListener(type, listener) {
      this.#listeners = this.#listeners.filter(
        (one) => one.type !== String(type) || one.listener !== listener,
      );
    }
    dispatchEvent(event) {
      sent(event, this);
      for (const { type, listener, once } of [...this.#listeners]) {
        if (type !== event.type || !this.#has(type, listener)) continue;
        if (once) this.removeEventListener(type, listener);
        try {
          if (typeof listener === 'function') listener.call(this, event);
          else listener.handleEvent(event);
        } catch (error) {
          logged(error);
        }
        if (stopped(event)) break;
      }
      return !event.defaultPrevented;
    }
  }
  /** One listener's exception is not the others'. */
  const logged = (error) => log('error', 'event', describe(error));

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    onabort = null;
    constructor(own) {
      if (own !== loaded) throw new TypeError('Illegal constructor');
      super();
    }
    static end(signal, reason = new DOMException('This operation was aborted', 'AbortError')) {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason;
      signal.dispatchEvent(new Event('abort'));
    }
    static abort(reason) {
      const signal = new AbortSignal(loaded);
      end(signal, reason);
      return signal;
    }
    static timeout(ms) {
      const signal = new AbortSignal(loaded);
      const text = 'The operation was aborted due to timeout';
      setTimeout(() => end(signal, new DOMException(text, 'TimeoutError')), ms);
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal(loaded);
      const list = [...signals];
      const first = list.find(({ aborted }) => aborted);
      if (first) end(signal, first.reason);
      else {
        for (const one of list)
          one.addEventListener('abort', () => end(signal, one.reason), { signal });
      }
      return signal;
    }
    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    dispatchEvent(event) {
      if (event.type === 'abort' && typeof this.onabort === 'function') {
        const { onabort } = this;
        this.addEventListener('abort', onabort, { once: true });
      }
      return super.dispatchEvent(event);
    }
    get [Symbol.toStringTag]() {
      return 'AbortSignal';
    }
  }
  const { end } = AbortSignal;
  delete AbortSignal.end;

  class AbortController {
    #signal = new AbortSignal(loaded);
    get signal() {
      return this.#signal;
    }
    abort(reason) {
      end(this.#signal, reason);
    }
    get [Symbol.toStringTag]() {
      return 'AbortController';
    }
  }

  loaded.AbortSignal = AbortSignal;
  return { Event, EventTarget, AbortSignal, AbortController };
});
