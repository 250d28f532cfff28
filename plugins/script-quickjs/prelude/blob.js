/** Blob, File and FormData; evaluated at first use. */
(function blob(api) {
  const { loaded } = api;
  const encoder = new TextEncoder();
  const partOf = (part) => {
    if (part instanceof Blob) return bytesOf(part);
    if (part instanceof ArrayBuffer) return new Uint8Array(part);
    if (ArrayBuffer.isView(part))
      return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    return encoder.encode(String(part));
  };
  function joined(parts) {
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  class Blob {
    #bytes;
    #type;
    constructor(parts = [], options = {}) {
      const type = String(options?.type ?? '');
      if (
        typeof parts !== 'object' ||
        parts === null ||
        typeof parts[Symbol.iterator] !== 'function'
      )
        throw new TypeError('parts must be iterable');
      const list = [...parts];
      // Bytes of a Blob never change.
      const isSame = list.length === 1 && list[0] instanceof Blob;
      this.#bytes = isSame ? bytesOf(list[0]) : joined(list.map(partOf));
      this.#type = /[^ -~]/.test(type) ? '' : type.toLowerCase();
    }
    static bytes = (one) => one.#bytes;
    get size() {
      return this.#bytes.length;
    }
    get type() {
      return this.#type;
    }
    slice(start = 0, end = this.size, type = '') {
      return new Blob([this.#bytes.subarray(start, end)], { type });
    }
    async arrayBuffer() {
      return this.#bytes.slice().buffer;
    }
    async bytes() {
      return this.#bytes.slice();
    }
    async text() {
      return new TextDecoder().decode(this.#bytes);
    }
    stream() {
      return new Response(this.#bytes).body;
    }
    get [Symbol.toStringTag]() {
      return 'Blob';
    }
  }
  const bytesOf = Blob.bytes;
  delete Blob.bytes;

  class File extends Blob {
    #name;
    #modified;
    constructor(parts, name, options = {}) {
      if (name === undefined) throw new TypeError('a file must have parts and a name');
      super(parts, options);
      this.#name = String(name).toWellFormed();
      this.#modified = Number(options?.lastModified ?? Date.now());
    }
    get name() {
      return this.#name;
    }
    get lastModified() {
      return this.#modified;
    }
    get [Symbol.toStringTag]() {
      return 'File';
    }
  }

  const entryOf = (given, value, filename) => {
    const name = String(given).toWellFormed();
    if (!(value instanceof Blob)) {
      if (filename !== undefined) throw new TypeError('only a Blob has a file name');
      return [name, String(value).toWellFormed()];
    }
    if (value instanceof File && filename === undefined) return [name, value];
    const { type, lastModified } = value;
    return [name, new File([value], filename ?? 'blob', { type, lastModified })];
  };
  class FormData {
    #list = [];
    append(name, value, filename) {
      this.#list.push(entryOf(name, value, filename));
    }
    set(name, value, filename) {
      const entry = entryOf(name, value, filename);
      const at = this.#list.findIndex(([key]) => key === entry[0]);
      this.#list = this.#list.filter(([key]) => key !== entry[0]);
      this.#list.splice(at < 0 ? this.#list.length : at, 0, entry);
    }
    delete(name) {
      this.#list = this.#list.filter(([key]) => key !== String(name));
    }
    get(name) {
      return this.#list.find(([key]) => key === String(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#list.filter(([key]) => key === String(name)).map(([, value]) => value);
    }
    has(name) {
      return this.#list.some(([key]) => key === String(name));
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() {
      yield* this.#list.map(([name, value]) => [name, value]);
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
    get [Symbol.toStringTag]() {
      return 'FormData';
    }
  }

  const escaped = (text) => text.replace(/\r\n|\r|\n/g, '%0D%0A').replaceAll('"', '%22');
  loaded.Blob = Blob;
  loaded.FormData = FormData;
  loaded.blobBytes = (one) => bytesOf(one).buffer;
  loaded.formBody = (form) => {
    const boundary = `----form${randomUUID().replaceAll('-', '')}`;
    const parts = [];
    for (const [name, value] of form) {
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"`;
      if (typeof value === 'string') {
        parts.push(encoder.encode(`${head}\r\n\r\n${value.replace(/\r\n|\r|\n/g, '\r\n')}\r\n`));
        continue;
      }
      const type = value.type || 'application/octet-stream';
      parts.push(
        encoder.encode(
          `${head}; filename="${escaped(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`,
        ),
      );
      parts.push(bytesOf(value), encoder.encode('\r\n'));
    }
    parts.push(encoder.encode(`--${boundary}--\r\n`));
    return { bytes: joined(parts).buffer, type: `multipart/form-data; boundary=${boundary}` };
  };
  /** Makes a form from `[name, text]` and, of the files in `content` one after the other, `[name, size, filename, type]`. */
  loaded.formOf = (entries, content) => {
    const form = new FormData();
    let at = 0;
    for (const [name, value, filename, type] of entries) {
      if (filename === undefined) form.append(name, value);
      else {
        const bytes = new Uint8Array(content, at, value);
        at += value;
        form.append(name, new File([bytes], filename, { type }));
      }
    }
    return form;
  };
  return { Blob, File, FormData };
});
