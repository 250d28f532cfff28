import {
  type AccessContext,
  type Auth,
  type Clock,
  canonicalUuid,
  type Methods,
  RpcError,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { Uint64 } from '@svc/plugin-sdk/schemas';
import type { Deliveries } from '../deliveries.ts';
import { pause } from '../pause.ts';
import { mayListen } from '../permissions.ts';
import { TaskType } from '../type.ts';

/** Agents reconnect without delay after a refusal, and wait five seconds for an answer (clients.md §2.4). */
export const REFUSAL_MS = 4_000;

export interface RegisterOptions {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly deliveries: Deliveries;
  /** Largest message that a registered agent may send, bytes. */
  readonly maxUploadBytes: () => number;
}

/** `task_register_task` and `task_unregister_task` (task.md §4.1, §4.2). */
export function addRegisterMethod(methods: Methods, options: RegisterOptions): void {
  const { auth, clock, stopping, deliveries } = options;

  methods.addSubscription('task_register_task', {
    summary: 'Tasks for one agent, until another registration of the same agent replaces this one.',
    unsubscribe: 'task_unregister_task',
    params: { uuid: Uuid },
    item: Type.Object({
      task_id: Uint64,
      task_token: Type.String(),
      task_event_type: Type.Unsafe<unknown>(TaskType),
    }),
    right: {
      words: '`task` `listen`, in the scope `agent_uuid` `<uuid>`',
      scopes: [{ agent_uuid: '<uuid>' }],
      permissions: [{ task: 'listen' }],
    },
    access: { custom: ({ uuid }, call) => admit(uuid, call) },
    livesOn: ({ uuid }) => [mayListen(canonicalUuid(uuid))],
    mapError: bareText,
    open({ uuid }, { peer }, push) {
      peer.raiseMessageLimit(options.maxUploadBytes());
      return deliveries.register(canonicalUuid(uuid), peer, push);
    },
  });

  async function admit(uuid: string, call: AccessContext): Promise<void> {
    // A subscription without a connection is refused at once: no agent reconnects because of it.
    if (call.transport !== 'ws') throw new RpcError(-32603, 'Internal error');
    try {
      const caller = await call.authenticate();
      const right = mayListen(canonicalUuid(uuid));
      if (!(await auth.allows(caller, right))) throw new RpcError(DENIED, right.denied);
    } catch (error) {
      call.delayRefusal(pause(clock, REFUSAL_MS, [call.signal, stopping]));
      throw error;
    }
  }
}

const MALFORMED = 101;
const DENIED = 102;

/** A malformed credential carries its text without the usual prefix (conventions.md §5.2). */
function bareText(error: RpcError): RpcError {
  if (error.code !== MALFORMED) return error;
  const reason = error.message.replace(/^Parse error: (?:Failed to parse token: )?/, '');
  return new RpcError(MALFORMED, `Token Parse Error: ${reason}`);
}
