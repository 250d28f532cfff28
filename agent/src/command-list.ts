/** The last word of a line: whatever arguments follow. */
const REST = '...';

/** Returns what is wrong with a line of `execute_only`; undefined for a good one. */
export function problemOfLine(line: string): string | undefined {
  const [program = '', ...words] = wordsOf(line);
  if (program === '') return 'is empty';
  if (program.includes('*') || program === REST) return 'must begin with the name of one program';
  if (words.slice(0, -1).includes(REST)) return `may have ${REST} only at its end`;
  // More of them would take time on long arguments.
  if (words.some((word) => word.split('*').length > 3)) return 'may have two * in a word';
  return undefined;
}

/**
 * Tells whether one of the lines allows this program with these arguments. Words are compared exactly. `*` in an argument
 * stands for one or more characters other than `/`, but not for a `-` at the beginning or for `..`: otherwise a path could
 * leave its folder, and a name become an option. `...` at the end stands for any arguments.
 */
export const isListed = (lines: readonly string[], cmd: string, args: readonly string[]): boolean =>
  lines.some((line) => {
    const [program, ...words] = wordsOf(line);
    const isOpen = words.at(-1) === REST;
    const wanted = isOpen ? words.slice(0, -1) : words;
    if (program !== cmd || args.length < wanted.length) return false;
    if (!isOpen && args.length > wanted.length) return false;
    return wanted.every((word, at) => fits(word, args[at] ?? ''));
  });

const wordsOf = (line: string): string[] => line.trim().split(/\s+/);

/** Longest argument that a `*` is compared with. */
const LONGEST = 4096;

function fits(word: string, argument: string): boolean {
  if (!word.includes('*')) return word === argument;
  if (argument.length > LONGEST || argument.split('/').includes('..')) return false;
  const literal = word.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  const start = word.startsWith('*') ? '(?!-)' : '';
  return new RegExp(`^${start}${literal.join('[^/]+')}$`, 'su').test(argument);
}
