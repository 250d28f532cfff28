/** The regular expressions of the product: literals, `new RegExp` of a text, and `pattern` in schemas. */
import { hash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

const FILES =
  '{kernel,server,plugin-sdk,fair-turns,conditions,checks,plugins/*,agent,client,cli}/{src,web,bin}/**/*.{ts,tsx,js}';

/** Arguments of `new RegExp`, or the value of `pattern`; undefined for any other node. */
function made(node) {
  if (node.type === 'NewExpression' && node.callee.name === 'RegExp') return node.arguments;
  if (node.type !== 'Property' || node.shorthand || node.key.name !== 'pattern') return undefined;
  return [node.value];
}

/** @returns `/source/flags` of an expression, or the source of what makes one as the server runs */
function expressionOf(node, text) {
  if (node.type === 'Literal' && node.regex) return `/${node.regex.pattern}/${node.regex.flags}`;
  const [source, flags] = made(node) ?? [];
  if (!source || source.regex) return undefined;
  const isText = typeof source.value === 'string';
  return isText
    ? `/${source.value}/${flags?.value ?? ''}`
    : `built: ${text.slice(node.start, node.end)}`;
}

/** Expressions of one file with their lines. */
function expressionsIn(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const found = [];
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return;
    const expression = typeof node.type === 'string' ? expressionOf(node, text) : undefined;
    if (expression !== undefined)
      found.push([expression, text.slice(0, node.start).split('\n').length]);
    for (const part of Object.values(node)) visit(part);
  };
  visit(program);
  return found;
}

/** Parsing all files takes some seconds: what did not change is remembered from the last time. */
function readCache(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // None yet, or half of one: everything is parsed.
    return {};
  }
}

/**
 * @param {string} root of the repository
 * @returns {Map<string, string[]>} by expression, the places where it stands
 */
export function collect(root) {
  const folder = join(root, 'node_modules', '.cache');
  const path = join(folder, 'regular-expressions.json');
  const cache = readCache(path);
  const kept = {};
  const found = new Map();
  for (const file of globSync(FILES, { cwd: root, exclude: ['**/node_modules'] })) {
    const text = readFileSync(join(root, file), 'utf8');
    const digest = hash('sha1', `${file}\0${text}`);
    kept[digest] = cache[digest] ?? expressionsIn(file, text);
    for (const [expression, line] of kept[digest])
      found.set(expression, [...(found.get(expression) ?? []), `${file}:${line}`]);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, JSON.stringify(kept));
  return found;
}
