/** How a failed test is told. */
import { styleText } from 'node:util';

/** Lines of a stack that lie in Node, in the runner or in the assertions. */
const OF_OTHERS =
  /^\s*at .*(?:[( ](?:node:|internal\/)|\/test\/runner\/|\/uvu\/assert\/|\/test\/run\.ts:)/;

/** The test's name, the message, what differs, and where. */
export function failure(suite: string, test: string, error: unknown): string {
  const title = `  ${styleText(['bold', 'red'], 'FAIL')} ${suite} "${test}"`;
  return [title, ...linesOf(error).map((line) => `    ${line}`)].join('\n');
}

function linesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [`threw ${String(error)}`];
  const { name, message, stack = '' } = error;
  const difference = differenceOf(error);
  const at = stack.indexOf('\n    at ');
  const places = at < 0 ? [] : stack.slice(at + 1).split('\n');
  return [
    ...(name.startsWith('Assertion') || name === 'Error' ? message : `${name}: ${message}`).split(
      '\n',
    ),
    ...(difference ? ['', ...difference.split('\n').map((line) => `    ${line}`)] : []),
    ...places.filter((line) => !OF_OTHERS.test(line)).map((line) => line.trim()),
    ...partsOf(error).flatMap((part) => [
      'caused by:',
      ...linesOf(part).map((line) => `  ${line}`),
    ]),
  ];
}

/** uvu's comparison of what was expected with what came. */
const differenceOf = (error: Error): string =>
  'details' in error && typeof error.details === 'string' ? error.details : '';

const partsOf = (error: Error): unknown[] => [
  ...(error instanceof AggregateError ? error.errors : []),
  ...(error.cause === undefined ? [] : [error.cause]),
];
