import { codeOf } from '@svc/plugin-sdk/util';

/** The outcome of work on a file; undefined when there is no such file, for others may delete it at any time. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
