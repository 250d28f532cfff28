/** URL, text encodings, base64 and clock: the host does the work (Node's own implementations). */
(function web(api) {
  const { define, sync, takeBytes } = api;
  const PARTS = [
    'href',
    'origin',
    'protocol',
    'username',
    'password',
    'host',
    'hostname',
    'port',
    'pathname',
    'search',
    'hash',
  ];

  const usv = (value) => String(value).toWellFormed();

  class URLSearchParams {
    #list = [];
    #changed;
    constructor(init = '') {
      if (typeof init === 'object' && init !== null) {
        const entries =
          typeof init[Symbol.iterator] === 'function' ? [...init] : Object.entries(init);
        for (const entry of entries) {
          const pair = [...entry];
          if (pair.length !== 2) throw new TypeError('each pair must have a name and a value');
          this.#list.push([usv(pair[0]), usv(pair[1])]);
        }
      } else this.#list = sync('query', String(init));
    }
    static bound(text, changed) {
      const params = new URLSearchParams(text);
      params.#changed = changed;
      return params;
    }
    static reset(params, text) {
      params.#list = sync('query', text);
    }
    #notify() {
      this.#changed?.(this.toString());
    }
    get size() {
      return this.#list.length;
    }
    append(name, value) {
      this.#list.push([usv(name), usv(value)]);
      this.#notify();
    }
    delete(name, value) {
      this.#list = this.#list.filter(
        ([key, item]) => key !== String(name) || (value !== undefined && item !== String(value)),
      );
      this.#notify();
    }
    get(name) {
      return this.#list.find(([key]) => key === String(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#list.filter(([key]) => key === String(name)).map(([, value]) => value);
    }
    has(name, value) {
      return this.#list.some(
        ([key, item]) => key === String(name) && (value === undefined || item === String(value)),
      );
    }
    set(name, value) {
      const pair = [usv(name), usv(value)];
      const at = this.#list.findIndex(([key]) => key === pair[0]);
      if (at < 0) this.#list.push(pair);
      else {
        this.#list[at] = pair;
        this.#list = this.#list.filter(([key], index) => key !== pair[0] || index <= at);
      }
      this.#notify();
    }
    sort() {
      this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#notify();
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#list) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#list) yield name;
    }
    *values() {
      for (const [, value] of this.#list) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return sync('querytext', this.#list);
    }
    get [Symbol.toStringTag]() {
      return 'URLSearchParams';
    }
  }

  const { bound, reset } = URLSearchParams;
  delete URLSearchParams.bound;
  delete URLSearchParams.reset;

  class URL {
    #parts;
    #params;
    constructor(url, base) {
      this.#parts = sync('url', base === undefined ? [String(url)] : [String(url), String(base)]);
    }
    static canParse(url, base) {
      try {
        return new URL(url, base) !== undefined;
      } catch {
        return false;
      }
    }
    static parse(url, base) {
      try {
        return new URL(url, base);
      } catch {
        return null;
      }
    }
    static read = (url, at) => url.#parts[at];
    static write(url, name, value) {
      url.#parts = sync('urlset', [url.#parts[0], name, value]);
      if (name !== 'hash' && url.#params) reset(url.#params, url.#parts[9]);
    }
    get searchParams() {
      this.#params ??= bound(this.#parts[9], (text) => {
        this.#parts = sync('urlset', [this.#parts[0], 'search', text]);
      });
      return this.#params;
    }
    toString() {
      return this.#parts[0];
    }
    toJSON() {
      return this.#parts[0];
    }
    get [Symbol.toStringTag]() {
      return 'URL';
    }
  }
  const { read, write } = URL;
  delete URL.read;
  delete URL.write;
  for (const [at, name] of PARTS.entries()) {
    Object.defineProperty(URL.prototype, name, {
      get() {
        return read(this, at);
      },
      ...(name === 'origin'
        ? {}
        : {
            set(value) {
              write(this, name, String(value));
            },
          }),
      enumerable: true,
      configurable: true,
    });
  }

  const { get: tag } = Object.getOwnPropertyDescriptor(
    Object.getPrototypeOf(Uint8Array.prototype),
    Symbol.toStringTag,
  );
  /** Name of a typed array's kind; undefined for anything else. */
  const tagOf = (value) => Reflect.apply(tag, value, []);
  const viewOf = (input) => {
    if (input instanceof ArrayBuffer) return input;
    if (!ArrayBuffer.isView(input)) throw new TypeError('not an ArrayBuffer or a view of one');
    const { buffer, byteOffset, byteLength } = input;
    return byteOffset === 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer
      ? buffer
      : new Uint8Array(buffer, byteOffset, byteLength).slice().buffer;
  };

  const encode = (text) => new Uint8Array(takeBytes(sync('encode', text)));
  /** Text of bytes, in pieces: no piece is larger than the host bridge can take at once. */
  function decode(bytes, options) {
    const parts = [];
    let from = sync('decode', options, bytes);
    while (from.more) {
      parts.push(from.text);
      from = sync('more', null);
    }
    return parts.length === 0 ? from.text : parts.join('') + from.text;
  }

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }
    encode(text = '') {
      return encode(String(text));
    }
    encodeInto(text, target) {
      if (!(target instanceof Uint8Array)) throw new TypeError('the target must be a Uint8Array');
      // No character has less than one byte for each of its units.
      const bytes = encode(String(text).slice(0, target.length));
      let written = Math.min(bytes.length, target.length);
      while (written < bytes.length && (bytes[written] & 0xc0) === 0x80) written--;
      const done = bytes.subarray(0, written);
      target.set(done);
      let read = 0;
      for (const byte of done) if ((byte & 0xc0) !== 0x80) read += byte >= 0xf0 ? 2 : 1;
      return { read, written };
    }
  }

  class TextDecoder {
    #options;
    #state = 0;
    #encoding;
    constructor(label = 'utf-8', options = {}) {
      const { fatal, ignoreBOM } = options ?? {};
      this.#encoding = sync('decoder', String(label));
      this.#options = {
        label: this.#encoding,
        fatal: Boolean(fatal),
        ignoreBOM: Boolean(ignoreBOM),
      };
    }
    get encoding() {
      return this.#encoding;
    }
    get fatal() {
      return this.#options.fatal;
    }
    get ignoreBOM() {
      return this.#options.ignoreBOM;
    }
    decode(input, given) {
      const stream = Boolean(given?.stream);
      const bytes = input === undefined ? new ArrayBuffer(0) : viewOf(input);
      if (stream && this.#state === 0) this.#state = sync('decoderstate', this.#options);
      const options = { ...this.#options, state: this.#state, stream };
      if (!stream) this.#state = 0;
      return decode(bytes, options);
    }
  }

  define('URL', URL);
  define('URLSearchParams', URLSearchParams);
  define('TextEncoder', TextEncoder);
  define('TextDecoder', TextDecoder);
  define('atob', (text) => sync('atob', String(text)));
  define('btoa', (text) => sync('btoa', String(text)));
  define('randomUUID', () => sync('uuid', null));
  define('performance', { now: () => sync('now', null), timeOrigin: sync('origin', null) });

  Array.fromAsync ??= async function fromAsync(items, map, self) {
    const list = typeof this === 'function' && this !== Array ? new this() : [];
    const iterable =
      items[Symbol.asyncIterator] || items[Symbol.iterator] ? items : Array.from(items);
    let at = 0;
    for await (const item of iterable) {
      const value = map ? await map.call(self, item, at) : item;
      Object.defineProperty(list, at++, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    list.length = at;
    return list;
  };
  Object.defineProperty(Array, 'fromAsync', { enumerable: false });
  Object.assign(api, { tagOf, viewOf });
  return { viewOf, encode, decode };
});
