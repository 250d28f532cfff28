const own = { writable: true, enumerable: true, configurable: true };

/** Sets a member of an object that was parsed: assigning to `__proto__` would change the prototype. */
export function setOwn(
  object: { [name: string | number]: unknown },
  name: string | number,
  value: unknown,
): void {
  if (name === '__proto__') Object.defineProperty(object, name, { ...own, value });
  else object[name] = value;
}
