/** structuredClone; evaluated at first use. */
(function clone() {
  const refuse = (value) => {
    throw new DOMException(`${String(value)} could not be cloned.`, 'DataCloneError');
  };
  const primitives = [Boolean, Number, String, BigInt];

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
    if (value instanceof DataView)
      return new DataView(copy(value.buffer, seen), value.byteOffset, value.byteLength);
    if (ArrayBuffer.isView(value))
      return new value.constructor(copy(value.buffer, seen), value.byteOffset, value.length);
    if (value instanceof Error) return errorShell(value);
    if (primitives.some((kind) => value instanceof kind)) return Object(value.valueOf());
    if (
      value instanceof Promise ||
      value instanceof WeakMap ||
      value instanceof WeakSet ||
      value instanceof WeakRef
    )
      refuse(Object.prototype.toString.call(value));
    return {};
  }
  const known = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  function errorShell(error) {
    const made = new (known[error.name] ?? Error)(error.message);
    Object.defineProperty(made, 'stack', {
      value: error.stack,
      writable: true,
      configurable: true,
    });
    return made;
  }
  function fill(value, made, seen) {
    if (value instanceof Map) {
      for (const [key, item] of value) made.set(copy(key, seen), copy(item, seen));
    } else if (value instanceof Set) {
      for (const item of value) made.add(copy(item, seen));
    } else if (value instanceof Error) {
      if ('cause' in value) made.cause = copy(value.cause, seen);
    } else if (!(value instanceof ArrayBuffer) && !ArrayBuffer.isView(value)) {
      for (const key of Object.keys(value)) made[key] = copy(value[key], seen);
    }
  }
  return { structuredClone: (value) => copy(value, new Map()) };
});
