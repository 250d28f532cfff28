/** structuredClone; evaluated at first use. */
(function clone({ tagOf }) {
  const refuse = (value) => {
    throw new DOMException(`${String(value)} could not be cloned.`, 'DataCloneError');
  };
  const primitives = [Boolean, Number, String, BigInt];
  const unclonable = [Promise, WeakMap, WeakSet, WeakRef, Symbol];
  const known = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const arrays = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array];
  arrays.push(Uint32Array, BigInt64Array, BigUint64Array, Float32Array, Float64Array);
  if (typeof Float16Array === 'function') arrays.push(Float16Array);
  const hidden = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });

  function copy(value, seen) {
    if (typeof value === 'function' || typeof value === 'symbol') refuse(value);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const made = shell(value, seen);
    seen.set(value, made);
    fill(value, made, seen);
    return made;
  }
  function shell(value, seen) {
    if (Array.isArray(value)) return new Array(value.length);
    if (value instanceof Date) return new Date(value.getTime());
    if (value instanceof RegExp) return new RegExp(value.source, value.flags);
    if (value instanceof Map) return new Map();
    if (value instanceof Set) return new Set();
    if (value instanceof ArrayBuffer) return value.slice(0);
    if (ArrayBuffer.isView(value)) return view(value, copy(value.buffer, seen));
    if (value instanceof DOMException) return new DOMException(value.message, value.name);
    if (value instanceof Error) return errorShell(value);
    if (primitives.some((kind) => value instanceof kind)) return Object(value.valueOf());
    const text = Object.prototype.toString.call(value);
    if (unclonable.some((kind) => value instanceof kind) || text.endsWith('Generator]'))
      refuse(text);
    return {};
  }
  /** Returns a view of the same kind, whatever a script has derived from it. */
  function view(value, buffer) {
    const tag = tagOf(value);
    if (tag === undefined) return new DataView(buffer, value.byteOffset, value.byteLength);
    const Kind = arrays.find(({ name }) => name === tag);
    return new Kind(buffer, value.byteOffset, value.length);
  }
  function errorShell(error) {
    const made = new (known[error.name] ?? Error)(error.message);
    return hidden(made, 'stack', error.stack);
  }
  function fill(value, made, seen) {
    if (value instanceof Map) {
      for (const [key, item] of [...value]) made.set(copy(key, seen), copy(item, seen));
    } else if (value instanceof Set) {
      for (const item of [...value]) made.add(copy(item, seen));
    } else if (value instanceof Error) {
      if ('cause' in value) hidden(made, 'cause', copy(value.cause, seen));
    } else if (Array.isArray(made) || Object.getPrototypeOf(made) === Object.prototype) {
      for (const key of Object.keys(value)) {
        const item = copy(value[key], seen);
        const open = { writable: true, enumerable: true, configurable: true };
        Object.defineProperty(made, key, { value: item, ...open });
      }
    }
  }
  function structuredClone(...args) {
    if (args.length === 0) throw new TypeError('there is nothing to clone');
    const [value, options] = args;
    const seen = new Map();
    const given = [...(options?.transfer ?? [])];
    for (const item of given) if (!(item instanceof ArrayBuffer) || item.detached) refuse(item);
    if (new Set(given).size < given.length) refuse('a buffer that is given twice');
    const made = copy(value, seen);
    for (const item of given) item.transfer();
    return made;
  }
  return { structuredClone };
});
