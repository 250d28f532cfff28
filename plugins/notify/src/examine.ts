import { type Finding, finding, type Kernel } from '@svc/plugin-sdk';
import type { Config } from './config.ts';
import { keyPath, keyProblem } from './keys.ts';
import { StateStore } from './store/state.ts';
import { Statements } from './store/statements.ts';

/** Returns what `doctor` reports of channels: whether the key of their secrets is there. */
export async function examine(kernel: Kernel<Config>): Promise<Finding[]> {
  const path = keyPath(kernel);
  try {
    const problem = await keyProblem(path, new StateStore(new Statements(kernel.db)));
    if (problem === undefined)
      return [finding('configuration', 'ok', `The key of the secrets of channels is ${path}.`)];
    const [message = '', advice] = problem.split(': ');
    return [finding('configuration', 'problem', `${message}.`, advice && `${advice}.`)];
  } catch (error) {
    const message = `The key of the secrets of channels cannot be read: ${(error as Error).message}.`;
    return [finding('configuration', 'problem', message, `Put the right file at ${path}.`)];
  }
}
