import { nearest } from '@svc/plugin-sdk/util';
import { type Node, units } from './engine.ts';
import { below, children, isWritten } from './nodes.ts';
import { compilePattern, type Pattern } from './patterns.ts';
import type { Fault, Vocabulary, WindowUse } from './types.ts';
import { type Way, wayOf } from './ways.ts';
import { readWindow } from './windows.ts';

/** Facts of a parsed condition. */
export interface Findings {
  readonly faults: Fault[];
  /** Variables, those of window functions included; `plain` are those that stand outside of them. */
  readonly variables: Set<string>;
  readonly plain: Set<string>;
  readonly windows: Map<string, WindowUse>;
  /** Patterns of `re` by their text. */
  readonly patterns: Map<string, Pattern>;
  /** Ways into objects, as far as the text names them: `json.items[0]` is `['json', 'items', 0]`. */
  readonly looked: Way[];
  /** Whole numbers, which are read as doubles: `10 / 4` is 2.5. */
  readonly wholes: Node[];
  readonly size: Size;
}

/** Facts that the work of an evaluation depends on, beside the values. */
export interface Size {
  nodes: number;
  loops: number;
  /** Characters of the longest text that is written. */
  longest: number;
  /** Elements of the longest list that is written. */
  elements: number;
  /** A loop looks at a variable that is a list in each of its turns. */
  isSquared: boolean;
  /** Parts that may look at all of a value: `==` of two values, `in`. */
  comparisons: number;
}

interface Walk extends Findings {
  readonly vocabulary: Vocabulary;
  /** Names that loops around a node give to their elements. */
  readonly bound: readonly string[];
  /** The node is a part of a way that was noted. */
  readonly isNoted?: boolean;
}

const MOST_LOOPS = 4;
/** Patterns take time when a condition is checked. */
const MOST_PATTERNS = 8;
const LOOPS = ['all', 'exists', 'exists_one', 'map', 'filter'];
const METHODS = [
  ...LOOPS,
  'contains',
  'startsWith',
  'endsWith',
  'lowerAscii',
  'upperAscii',
  'trim',
  'size',
];
const PLAIN = [
  'percent',
  'least',
  'greatest',
  're',
  'size',
  'has',
  'double',
  'string',
  ...Object.keys(units),
];
const WINDOWS = ['avg', 'max', 'min', 'rate', 'predict', 'traffic'];
const OPERATORS = new Set([
  'value',
  'list',
  '?:',
  '||',
  '&&',
  '!_',
  '-_',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  '+',
  '-',
  '*',
  '/',
]);
/** Types of sums; `dyn` is a member of an object. */
const NUMBERS = ['double', 'int', 'dyn'];
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Looks at all nodes: at which names, functions and windows are used, and whether they may be. */
export function inspect(root: Node, vocabulary: Vocabulary): Findings {
  const walk: Walk = {
    vocabulary,
    bound: [],
    faults: [],
    variables: new Set(),
    plain: new Set(),
    windows: new Map(),
    patterns: new Map(),
    looked: [],
    wholes: [],
    size: { nodes: 0, loops: 0, longest: 0, elements: 0, isSquared: false, comparisons: 0 },
  };
  visit(root, walk);
  return walk;
}

function visit(node: Node, walk: Walk): undefined {
  measure(node, walk);
  switch (node.op) {
    case 'id':
      return visitName(node, node.args as string, noted(node, walk));
    case '.':
      return visitMember(node, noted(node, walk));
    case '[]':
      return visitIndex(node, noted(node, walk));
    case 'call':
      return visitCall(node, walk);
    case 'rcall':
      return visitMethod(node, walk);
    case 'value':
      if (typeof node.args === 'bigint') walk.wholes.push(node);
      return undefined;
  }
  if (!OPERATORS.has(node.op))
    return fault(walk, node, `${signOf(node.op)} is not available in conditions`);
  // The library finds two meanings for `x in []`.
  if (node.op === 'list' && children(node).length === 0)
    return fault(walk, node, 'a list needs an element');
  for (const child of children(node)) visit(child, walk);
}

function measure({ op, args }: Node, { size, bound, vocabulary }: Walk): void {
  size.nodes += bound.length > 0 && isFailing(op, args) ? FAILURE_NODES : 1;
  if (op === 'value' && typeof args === 'string')
    size.longest = Math.max(size.longest, args.length);
  if (op === 'list') size.elements = Math.max(size.elements, (args as Node[]).length);
  if (op === 'id' && bound.length > 0) {
    const type = !bound.includes(args as string) && vocabulary.variables[args as string];
    if (type === 'list') size.isSquared = true;
  }
  if (op === 'in' || ((op === '==' || op === '!=') && !(args as Node[]).some(isWritten)))
    size.comparisons += 1;
}

/** Parts of a condition that cost as much as a failure, which a loop may go on after. */
const FAILURE_NODES = 100;
const isFailing = (op: string, args: unknown) =>
  op === '[]' || (op === 'call' && (args as [string])[0] === 'double');

/** Tells whether there is a loop in what a loop goes through: its result could grow from loop to loop. */
const hasLoop = (node: Node): boolean =>
  (node.op === 'rcall' && LOOPS.includes((node.args as [string])[0])) || below(node).some(hasLoop);

/** Returns the additions, after the check of types, of what is no number: texts and lists would grow. */
export function joins(node: Node): Node[] {
  const type = node.op === '+' ? node.checkedType?.type : undefined;
  const own = type !== undefined && !NUMBERS.includes(type) ? [node] : [];
  return [...own, ...below(node).flatMap(joins)];
}

/** Returns the lists of several kinds that loops go through, after the check of types: most operations on them fail. */
export function mixedLoops(node: Node): Node[] {
  const [name, target] = node.op === 'rcall' ? (node.args as [string, Node]) : [];
  const isMixed = target?.op === 'list' && target.checkedType?.hasDynType;
  const own = isMixed && LOOPS.includes(name as string) ? [target] : [];
  return [...own, ...below(node).flatMap(mixedLoops)];
}

const signOf = (op: string) => (op === 'map' ? 'a map in braces' : op);

function fault(walk: Walk, { range }: Node, message: string, meant?: string): undefined {
  walk.faults.push({
    message,
    from: range.start,
    to: range.end,
    ...(meant !== undefined && { nearest: meant }),
  });
}

/** Refuses a name that is unknown, and says which one was probably meant. */
const guess = (walk: Walk, node: Node, message: string, meant: string | undefined): undefined =>
  fault(walk, node, meant === undefined ? message : `${message}; did you mean ${meant}?`, meant);

function use(name: string, walk: Walk): undefined {
  walk.variables.add(name);
  walk.plain.add(name);
}

/** Notes the way into an object that a chain of members is. @returns how to walk through the parts of the chain */
function noted(node: Node, walk: Walk): Walk {
  const way = walk.isNoted ? undefined : wayOf(node);
  const [head = ''] = way ?? [];
  const isObject = !walk.bound.includes(`${head}`) && walk.vocabulary.variables[head] === 'object';
  if (!way || !isObject) return walk;
  walk.looked.push(way);
  return { ...walk, isNoted: true };
}

function visitName(node: Node, name: string, walk: Walk): undefined {
  if (walk.bound.includes(name)) return undefined;
  const { variables } = walk.vocabulary;
  if (Object.hasOwn(variables, name)) return use(name, walk);
  const members = Object.keys(variables).filter((known) => known.startsWith(`${name}.`));
  if (members.length > 0)
    return fault(
      walk,
      node,
      `${name} needs a member: ${members.slice(0, 5).join(', ')}`,
      members[0],
    );
  guess(walk, node, `there is no variable ${name}`, nearest(name, Object.keys(variables)));
}

/** `disk.free` is one variable; a member of an object is a member of its variable. */
function visitMember(node: Node, walk: Walk): undefined {
  const [target, member] = node.args as [Node, string];
  if (FORBIDDEN.has(member)) return fault(walk, node, `${member} is no name for a member`);
  const head = target.op === 'id' ? (target.args as string) : undefined;
  const { variables } = walk.vocabulary;
  if (head === undefined || walk.bound.includes(head) || Object.hasOwn(variables, head)) {
    return visit(target, walk);
  }
  const name = `${head}.${member}`;
  if (Object.hasOwn(variables, name)) return use(name, walk);
  guess(walk, node, `there is no variable ${name}`, nearest(name, Object.keys(variables)));
}

function visitIndex(node: Node, walk: Walk): undefined {
  const [target, index] = node.args as [Node, Node];
  visit(target, walk);
  // A list takes whole numbers only: this one stays what it is.
  if (index.op === 'value' && typeof index.args === 'bigint') return undefined;
  if (index.op !== 'value' || typeof index.args !== 'string') {
    return fault(walk, index, 'a place in brackets is a number or a text as it is written');
  }
  if (FORBIDDEN.has(index.args)) fault(walk, index, `${index.args} is no name for a member`);
}

function visitCall(node: Node, walk: Walk): undefined {
  const [name, args] = node.args as [string, Node[]];
  if (WINDOWS.includes(name) && walk.vocabulary.windows) return visitWindow(node, walk);
  if (!PLAIN.includes(name)) {
    const known = walk.vocabulary.windows ? [...PLAIN, ...WINDOWS] : PLAIN;
    return guess(walk, node, refusal(name), nearest(name, known));
  }
  if (name === 're') visitPattern(args[1], walk);
  for (const argument of args) visit(argument, walk);
}

const refusal = (name: string) =>
  name === 'matches'
    ? 'matches is not available; use contains, or re(text, "pattern")'
    : `there is no function ${name}`;

function visitMethod(node: Node, walk: Walk): undefined {
  const [name, target, args] = node.args as [string, Node, Node[]];
  if (!METHODS.includes(name)) return guess(walk, node, refusal(name), nearest(name, METHODS));
  visit(target, walk);
  if (!LOOPS.includes(name)) {
    for (const argument of args) visit(argument, walk);
    return undefined;
  }
  if (walk.bound.length > 0) return fault(walk, node, `${name} stands inside another loop`);
  if (hasLoop(target)) return fault(walk, node, `${name} goes through the result of another loop`);
  if (++walk.size.loops > MOST_LOOPS)
    return fault(walk, node, `the condition has more than ${MOST_LOOPS} loops`);
  const [variable, ...bodies] = args;
  const bound = variable?.op === 'id' ? [variable.args as string] : [];
  for (const body of bodies) visit(body, { ...walk, bound });
}

function visitPattern(node: Node | undefined, walk: Walk): undefined {
  if (node === undefined) return undefined;
  if (node.op !== 'value' || typeof node.args !== 'string') {
    return fault(walk, node, 'the pattern of re is a text as it is written');
  }
  if (walk.patterns.size === MOST_PATTERNS)
    return fault(walk, node, `the condition has more than ${MOST_PATTERNS} patterns`);
  try {
    walk.patterns.set(node.args, compilePattern(node.args));
  } catch (error) {
    fault(walk, node, `the pattern cannot be read: ${(error as Error).message}`);
  }
}

function visitWindow(node: Node, walk: Walk): undefined {
  const [name, args] = node.args as [string, Node[]];
  const read = readWindow(name, args, walk.vocabulary);
  if ('message' in read) return guess(walk, read.node ?? node, read.message, read.nearest);
  walk.windows.set(read.use.key, read.use);
  if (read.use.variable) walk.variables.add(read.use.variable);
}
