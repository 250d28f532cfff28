/** Bodies of requests and responses. Bytes that the host holds stay there until they are read. */
(function body(api, { viewOf, encode, decode }) {
  const { sync, op, takeBytes, loaded } = api;
  /** Bytes up to which a body is a copy of what was given: a larger one need not fit twice. */
  const MOST_COPIED = 262_144;

  const is = (name, value) => {
    const Known = loaded[name];
    return Known !== undefined && value instanceof Known;
  };
  const TEXT = 'text/plain;charset=UTF-8';
  /** `{ text | bytes | stream | host, type }` of what a caller gives as body; null for none. */
  function extract(body) {
    if (body === undefined || body === null) return null;
    if (typeof body === 'string') return { text: body, type: TEXT };
    if (body instanceof URLSearchParams)
      return { text: body.toString(), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
    if (is('ReadableStream', body)) {
      if (body.locked) throw new TypeError('ReadableStream is locked');
      return { stream: body };
    }
    if (is('Blob', body)) return { bytes: loaded.blobBytes(body), type: body.type || undefined };
    if (is('FormData', body)) return loaded.formBody(body);
    if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
      const bytes = viewOf(body);
      const isGiven = bytes === (body.buffer ?? body);
      return { bytes: isGiven && bytes.byteLength <= MOST_COPIED ? bytes.slice(0) : bytes };
    }
    return { text: String(body), type: TEXT };
  }

  /** Resolves to the result of `work`, unless the signal comes first. */
  const until = (signal, work) => (signal ? watched(signal, work) : work);
  async function watched(signal, work) {
    let stop;
    const aborted = new Promise((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
  function signalOf(given) {
    if (given === undefined || given === null) return undefined;
    if (!is('AbortSignal', given)) throw new TypeError('signal is not an AbortSignal');
    return given;
  }

  /** A body that the host has, for one reader. The signal that ends it calls `stop`. */
  const held = (host, signal, stop) => ({ host, signal, stop, readers: 1 });
  /** The host has the whole of this body afterwards, for every clone. */
  const pulled = (body) => {
    body.signal?.throwIfAborted();
    body.pulled ??= until(body.signal, pull(body));
    return body.pulled;
  };
  async function pull(body) {
    await op('pull', body.host);
    // Given up when it was on its way already.
    if (body.signal?.aborted || body.readers === 0) sync('release', body.host);
  }
  /** One reader needs it no more. @returns whether no reader does */
  function release(body) {
    if (--body.readers > 0) return false;
    body.signal?.removeEventListener('abort', body.stop);
    sync('release', body.host);
    return true;
  }
  async function bytesOf(body) {
    if (body === null) return new ArrayBuffer(0);
    if (body.bytes) return body.bytes;
    if (body.text !== undefined) return encode(body.text).buffer;
    if (body.stream) return joined(body.stream);
    await pulled(body);
    const bytes = takeBytes(sync('body', body.host), true);
    release(body);
    return bytes;
  }
  async function textOf(body) {
    if (body === null) return '';
    if (body.text !== undefined) return body.text.toWellFormed().replace(/^\ufeff/, '');
    const utf8 = { label: 'utf-8', fatal: false, ignoreBOM: false };
    if (body.host === undefined) return decode(await bytesOf(body), utf8);
    await pulled(body);
    const text = decode(undefined, { ...utf8, body: body.host });
    release(body);
    return text;
  }
  async function joined(stream) {
    const chunks = [];
    let length = 0;
    for await (const chunk of chunksOf(stream)) {
      chunks.push(chunk);
      length += chunk.length;
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole.buffer;
  }
  async function* chunksOf(stream) {
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (!(value instanceof Uint8Array))
        throw new TypeError('a body stream must give Uint8Arrays');
      yield value;
    }
  }

  class Body {
    #body;
    #used = false;
    constructor(body) {
      this.#body = body;
    }
    static fill(one, body) {
      one.#body = body;
      return one;
    }
    static content = (one) => (one.bodyUsed ? null : one.#body);
    static take(one) {
      if (one.bodyUsed || one.#body?.stream?.locked) throw new TypeError('Body is already read');
      if (one.#body !== null) one.#used = true;
      return one.#body;
    }
    static split(one) {
      if (one.bodyUsed) throw new TypeError('Body is already read');
      const body = one.#body;
      if (body?.host !== undefined) body.readers++;
      if (!body?.stream) return body;
      const [left, right] = body.stream.tee();
      one.#body = { stream: left };
      return { stream: right };
    }
    get bodyUsed() {
      const stream = this.#body?.stream;
      return this.#used || (stream !== undefined && loaded.isRead?.(stream) === true);
    }
    get body() {
      const body = this.#body;
      if (body === null) return null;
      if (!body.stream) this.#body = { stream: streamOf(body) };
      return this.#body.stream;
    }
    async text() {
      return textOf(take(this));
    }
    async json() {
      const text = await textOf(take(this));
      if (text === '') throw new SyntaxError('JSON input is empty');
      return JSON.parse(text);
    }
    async arrayBuffer() {
      const body = take(this);
      const bytes = await bytesOf(body);
      return body?.bytes ? bytes.slice(0) : bytes;
    }
    async bytes() {
      return new Uint8Array(await this.arrayBuffer());
    }
    async blob() {
      const type = this.headers.get('content-type') ?? '';
      return new Blob([await this.arrayBuffer()], { type });
    }
    async formData() {
      const type = this.headers.get('content-type') ?? '';
      const body = take(this);
      const isHeld = body?.host !== undefined;
      const given = isHeld ? void (await pulled(body)) : await bytesOf(body);
      const { value, bytes } = await op('form', [type, body?.host ?? null], given);
      if (isHeld) release(body);
      void FormData;
      return loaded.formOf(value, bytes);
    }
  }
  const { take, split, fill, content } = Body;
  for (const name of ['take', 'split', 'fill', 'content']) delete Body[name];

  function streamOf(body) {
    let at = 0;
    const { ReadableStream } = globalThis;
    return new ReadableStream(
      {
        async pull(controller) {
          if (body.host === undefined) {
            const bytes = new Uint8Array(await bytesOf(body));
            if (bytes.length > 0) controller.enqueue(bytes.slice());
            return controller.close();
          }
          if (body.readers > 1 || body.pulled) await pulled(body);
          const { value, bytes } = await until(body.signal, op('chunk', [body.host, at]));
          if (value === null) {
            release(body);
            return controller.close();
          }
          at += value;
          return controller.enqueue(new Uint8Array(bytes));
        },
        cancel() {
          if (body.host !== undefined && release(body)) void op('cancel', body.host);
        },
      },
      { highWaterMark: 0 },
    );
  }
  return {
    Body,
    take,
    split,
    fill,
    content,
    extract,
    bytesOf,
    held,
    pulled,
    chunksOf,
    until,
    signalOf,
  };
});
