import type { Machine } from './machine.ts';

/** The process that all threads of the kernel come from. Not so in a container, whose process 2 is one like the others. */
const KERNEL = '/proc/2';

/** Number of processes, without the threads of the kernel. @throws Error where `/proc` lists none */
export async function countProcesses(machine: Machine): Promise<number> {
  const numbers = (await machine.names('/proc')).filter((name) => /^\d+$/.test(name));
  if (numbers.length === 0) throw new Error('/proc lists no processes');
  if (machine.textNow(`${KERNEL}/comm`).trim() !== 'kthreadd') return numbers.length;
  // One file instead of one for each process; kernels may be built without it.
  const children = machine.textNow(`${KERNEL}/task/2/children`).trim();
  if (children !== '') return Math.max(1, numbers.length - 1 - children.split(/\s+/).length);
  let count = 0;
  for (const number of numbers) {
    // `number (name) state parent …`; a name may hold brackets and blanks.
    const [, parent] = /^.*\) \S (\d+)/s.exec(machine.textNow(`/proc/${number}/stat`)) ?? [];
    if (parent !== undefined && parent !== '2' && number !== '2') count += 1;
  }
  return count;
}
