import { type Node, units } from './engine.ts';
import type { Comparison, Vocabulary, WindowUse } from './types.ts';
import { readWindow } from './windows.ts';

const FLIPPED = { '>': '<', '>=': '<=', '<': '>', '<=': '>=', '==': '==', '!=': '!=' } as const;

/** Returns the comparisons with numbers that all must hold for a condition to hold. */
export function comparisonsOf(root: Node, vocabulary: Vocabulary): readonly Comparison[] {
  if (root.op === '&&')
    return (root.args as [Node, Node]).flatMap((side) => comparisonsOf(side, vocabulary));
  const one = comparisonOf(root, vocabulary);
  return one ? [one] : [];
}

/** Returns the one comparison with a number that a condition consists of; undefined: it is more than that. */
export function comparisonOf(root: Node, vocabulary: Vocabulary): Comparison | undefined {
  if (!(root.op in FLIPPED)) return undefined;
  const operator = root.op as Comparison['operator'];
  const [left, right] = root.args as [Node, Node];
  const value = numberOf(right);
  if (value !== undefined) return withMeasure(left, operator, value, vocabulary);
  const first = numberOf(left);
  return first === undefined ? undefined : withMeasure(right, FLIPPED[operator], first, vocabulary);
}

function withMeasure(
  node: Node,
  operator: Comparison['operator'],
  value: number,
  vocabulary: Vocabulary,
): Comparison | undefined {
  const window = windowOf(node, vocabulary);
  const variable = window ? window.variable : nameOf(node);
  if (variable === undefined) return undefined;
  const isMeasure = window !== undefined || vocabulary.variables[variable] === 'double';
  return isMeasure ? { variable, window, operator, value } : undefined;
}

function windowOf(node: Node, vocabulary: Vocabulary): WindowUse | undefined {
  if (node.op !== 'call') return undefined;
  const [name, args] = node.args as [string, Node[]];
  if (name in units) return undefined;
  const read = readWindow(name, args, vocabulary);
  return 'use' in read ? read.use : undefined;
}

function nameOf(node: Node): string | undefined {
  if (node.op === 'id') return node.args as string;
  if (node.op !== '.') return undefined;
  const [target, member] = node.args as [Node, string];
  return target.op === 'id' ? `${target.args}.${member}` : undefined;
}

/** Value of a number as it is written: `90`, `-5`, `GiB(10)`. */
function numberOf(node: Node): number | undefined {
  if (node.op === 'value') {
    const { args } = node;
    return typeof args === 'bigint' || typeof args === 'number' ? Number(args) : undefined;
  }
  if (node.op === '-_') {
    const inner = numberOf(node.args as Node);
    return inner === undefined ? undefined : -inner;
  }
  if (node.op !== 'call') return undefined;
  const [name, args] = node.args as [string, Node[]];
  const unit = Object.hasOwn(units, name) ? units[name] : undefined;
  const count = args[0] && numberOf(args[0]);
  return unit === undefined || count === undefined ? undefined : unit * count;
}
