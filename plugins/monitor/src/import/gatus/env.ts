export type Env = Readonly<Record<string, string | undefined>>;

const MOST_DEPTH = 20;

/** Puts the values of `$NAME` and `${NAME}` into the texts of a value; names without one are collected. */
export function filled(value: unknown, env: Env, missing: Set<string>, depth = 0): unknown {
  if (typeof value === 'string') return filledText(value, env, missing);
  if (depth > MOST_DEPTH || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => filled(one, env, missing, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, filled(one, env, missing, depth + 1)]),
  );
}

const filledText = (text: string, env: Env, missing: Set<string>): string =>
  text.replace(/\$\$|\$\{(\w{1,100})\}|\$([A-Za-z_]\w{0,99})/g, (whole, braced, plain) => {
    if (whole === '$$') return '$';
    const name = String(braced ?? plain);
    const found = Object.hasOwn(env, name) ? env[name] : undefined;
    if (found === undefined) missing.add(name);
    return found ?? '';
  });
