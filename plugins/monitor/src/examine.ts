import { Secrets } from '@svc/plugin-notify/api';
import { type Finding, finding, type Kernel } from '@svc/plugin-sdk';

/** Returns what `doctor` reports of monitors: whether the key of their secrets is there. */
export async function examine(kernel: Kernel): Promise<Finding[]> {
  const text = "select count(*) as n from monitor where secret <> '{}'";
  const { n = 0 } = (await kernel.db.first<{ n: number | string }>(text)) ?? {};
  if (Number(n) === 0) return [];
  const monitors = `${n} ${Number(n) === 1 ? 'monitor has' : 'monitors have'} secrets`;
  const secrets = kernel.useOptional(Secrets);
  if (!secrets) {
    const message = `${monitors}, and the plugin notify, which has their key, does not run.`;
    return [finding('configuration', 'problem', message, 'List notify under plugins.')];
  }
  const problem = await secrets.look();
  if (problem === undefined)
    return [finding('configuration', 'ok', `${monitors}, and the key of these is there.`)];
  const [message = '', advice] = problem.split(': ');
  const found = `${monitors} that cannot be opened: ${message}.`;
  return [finding('configuration', 'problem', found, advice && `${advice}.`)];
}
