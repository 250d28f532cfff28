/** Header lists as the Fetch standard has them. */
(function headers({ define }) {
  const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

  class Headers {
    #list = [];
    #drop;
    constructor(init) {
      if (init === undefined || init === null) return;
      if (typeof init !== 'object') throw new TypeError('headers must be an object');
      const pairs = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
      for (const pair of pairs) {
        const both = [...pair];
        if (both.length !== 2) throw new TypeError('each header must be a name and a value');
        this.append(both[0], both[1]);
      }
    }
    /** `drop`: names that are left out silently. */
    static make(list, drop) {
      const headers = new Headers();
      headers.#drop = drop;
      for (const [name, value] of list) headers.append(name, value);
      return headers;
    }
    /** Returns the headers of pairs that the host has checked: names in lower case, values trimmed. */
    static given(list) {
      const headers = new Headers();
      headers.#list = list;
      return headers;
    }
    /** Returns a copy with the same rule for what is set later. */
    static copy(from) {
      const headers = new Headers();
      headers.#drop = from.#drop;
      headers.#list = [...from.#list];
      return headers;
    }
    static list = (headers) => headers.#list;
    /** The type of a body, unless there is one. */
    static typed(headers, type) {
      const list = headers.#list;
      for (let at = 0; at < list.length; at++) if (list[at][0] === 'content-type') return;
      list.push(['content-type', type.trim()]);
    }
    #pair(name, value) {
      const key = String(name).toLowerCase();
      if (!TOKEN.test(key)) throw new TypeError(`Invalid header name: ${name}`);
      const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
      if (/[\0\r\n]|[^\0-\xff]/.test(text)) throw new TypeError(`Invalid header value of ${key}`);
      return [key, text];
    }
    append(name, value) {
      const pair = this.#pair(name, value);
      if (!this.#drop?.(pair[0], pair[1])) this.#list.push(pair);
    }
    set(name, value) {
      const [key, text] = this.#pair(name, value);
      if (this.#drop?.(key, text)) return;
      const at = this.#list.findIndex(([other]) => other === key);
      this.#list = this.#list.filter(([other]) => other !== key);
      this.#list.splice(at < 0 ? this.#list.length : at, 0, [key, text]);
    }
    delete(name) {
      const [key] = this.#pair(name, '');
      this.#list = this.#list.filter(([other]) => other !== key);
    }
    get(name) {
      const [key] = this.#pair(name, '');
      const values = this.#list.filter(([other]) => other === key).map(([, value]) => value);
      return values.length === 0 ? null : values.join(', ');
    }
    has(name) {
      const [key] = this.#pair(name, '');
      return this.#list.some(([other]) => other === key);
    }
    getSetCookie() {
      return this.#list.filter(([name]) => name === 'set-cookie').map(([, value]) => value);
    }
    *entries() {
      const names = [...new Set(this.#list.map(([name]) => name))].sort();
      for (const name of names) {
        if (name !== 'set-cookie') yield [name, this.get(name)];
        else for (const value of this.getSetCookie()) yield [name, value];
      }
    }
    *keys() {
      for (const [name] of this.entries()) yield name;
    }
    *values() {
      for (const [, value] of this.entries()) yield value;
    }
    forEach(callback, self) {
      for (const [name, value] of this.entries()) callback.call(self, value, name, this);
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    get [Symbol.toStringTag]() {
      return 'Headers';
    }
  }
  const { make, given, copy, list, typed } = Headers;
  for (const name of ['make', 'given', 'copy', 'list', 'typed']) delete Headers[name];
  const pairsOf = (init) => (init === undefined || init === null ? [] : list(new Headers(init)));

  define('Headers', Headers);
  return { make, given, copy, list, typed, pairsOf };
});
