import type { Sandbox } from '@svc/plugin-script-quickjs/api';
import { RpcError } from '@svc/plugin-sdk';
import type { Components } from '../components.ts';
import { effective } from '../limits.ts';
import { shareOf } from '../owners.ts';
import { FILE } from '../run/pool.ts';
import type { Worker, WorkerContent } from '../store/workers.ts';

/** The heap that the compiler may always use, bytes (js-worker.md §2). */
const COMPILER_HEAP = 8_388_608;

/**
 * Compiles what is to be stored, then stores it. The context that was compiled in serves the next run, where the
 * worker's own limits let the compiler work. @throws RpcError 999, and what `write` throws
 */
export async function compileAndStore<Stored>(
  components: Components,
  content: WorkerContent,
  { write, rowOf }: { write: () => Promise<Stored>; rowOf: (stored: Stored) => Worker },
): Promise<Stored> {
  const context = await compiled(components, content);
  try {
    const stored = await write();
    const worker = rowOf(stored);
    components.changed(worker.id);
    if (context) components.pool.adopt(worker, context);
    return stored;
  } catch (error) {
    context?.dispose();
    throw error;
  }
}

async function compiled(
  { contexts, kernel }: Components,
  content: WorkerContent,
): Promise<Sandbox | undefined> {
  const { heap, stack } = effective(content, kernel.config);
  const { js_script: source } = content;
  const nul = source.indexOf('\0');
  if (nul >= 0) throw precompile(`Script contains NUL byte: at position ${nul}`);
  try {
    const room = Math.max(heap, COMPILER_HEAP);
    const script = { source, file: FILE, stack, heap: room, share: shareOf(content) };
    const context = await contexts.compile(script);
    if (heap >= COMPILER_HEAP) return context;
    context.dispose();
    return undefined;
  } catch (error) {
    throw precompile((error as Error).message);
  }
}

const precompile = (detail: string): RpcError =>
  RpcError.other(
    `JavaScript precompile failed: Error converting from js 'js_compile' into type 'String': ${detail}`,
  );
