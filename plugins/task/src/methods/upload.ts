import { canonicalUuid, described, type Methods, Type } from '@svc/plugin-sdk';
import { Uint64 } from '@svc/plugin-sdk/schemas';
import type { Tokens } from '@svc/plugin-token/api';
import type { Deliveries } from '../deliveries.ts';
import { demandSomeWrite } from '../permissions.ts';
import { Upload } from '../result.ts';
import type { StoreResult } from '../uploads.ts';

/** `task_upload_task_result` (task.md §4.5). */
export function addUploadMethod(
  methods: Methods,
  tokens: Tokens | undefined,
  storeResult: StoreResult,
  deliveries: Pick<Deliveries, 'uploading'>,
): void {
  methods.add('task_upload_task_result', {
    summary: 'Stores the one result of a running task and wakes its blocking caller.',
    params: { task_response: described(Upload, 'What the agent answers to a task.') },
    result: Type.Object({ id: Uint64 }),
    right: {
      words: '`task` `write` of the type of the task, in the scope `agent_uuid` `<agent_uuid>`',
      scopes: [{ agent_uuid: '<agent_uuid>' }],
      permissions: [{ task: { write: '<type>' } }],
    },
    access: {
      custom: ({ task_response }, call) =>
        demandSomeWrite(tokens, call, canonicalUuid(task_response.agent_uuid)),
    },
    async handle({ task_response }, { caller, peer, log }) {
      const { agent_uuid, success } = task_response;
      const answered = deliveries.uploading(canonicalUuid(agent_uuid), peer);
      try {
        const id = await storeResult(task_response, caller);
        log.info('task answered', { task_id: id, agent_uuid, success });
        return { id };
      } finally {
        answered();
      }
    },
  });
}
