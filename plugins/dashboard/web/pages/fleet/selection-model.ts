import { setValue, useServer } from '../../frame/index.ts';
import { toast } from '../../parts/index.ts';
import { DAY_MS, LIMITED } from '../../parts/kept-days.ts';
import { t } from '../../strings/index.ts';
import type { Vital } from './model.ts';

/** Tries all of it, and throws the first failure. */
async function settle(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Rights of the reader over the machines that are selected; of changes the first machine decides. */
export function useSelectionRights(chosen: readonly Vital[]) {
  const { has, may, covers } = useServer();
  const uuid = chosen[0]?.uuid ?? '';
  return {
    mayTask: has('task') && chosen.some((one) => covers('task', 'create', one.uuid)),
    mayWrite:
      has('kv') &&
      may('kv_set_value', { namespace: uuid, key: 'metadata_tags', value: [] }) !== false,
    mayRemove: may('agent-uuid_delete', { agent_uuid: uuid }) !== false,
  };
}

/** Tags that all of these machines have. */
export const commonTags = (chosen: readonly Vital[]): readonly string[] =>
  chosen[0]?.machine?.tags?.filter((tag) =>
    chosen.every(({ machine }) => machine?.tags?.includes(tag)),
  ) ?? [];

/** Changes of the machines that are selected. */
export function useSelectionChanges(chosen: readonly Vital[], onChanged: () => void) {
  const server = useServer();
  const setTags = (tagsOf: (vital: Vital) => readonly string[]) =>
    settle(chosen.map((vital) => setValue(server, vital.uuid, 'metadata_tags', tagsOf(vital))));
  return {
    /** Tags that only some of the machines have are kept there. */
    tag: async (wanted: readonly string[]) => {
      const common = commonTags(chosen);
      const before = (vital: Vital) => vital.machine?.tags ?? [];
      await setTags((vital) => [
        ...new Set([...wanted, ...before(vital).filter((tag) => !common.includes(tag))]),
      ]);
      const run = () =>
        void setTags(before).then(onChanged, (failure: unknown) =>
          toast(String(failure), { kind: 'bad' }),
        );
      toast(t.fleet.tagged(chosen.length), { action: { label: t.fleet.undo, run } });
    },
    retain: async (days: number) => {
      const value = Math.round(days * DAY_MS);
      for (const kind of LIMITED)
        await settle(
          chosen.map(({ uuid }) => setValue(server, uuid, `database_limit_${kind}`, value)),
        );
      toast(t.fleet.retained(chosen.length));
    },
    remove: async () => {
      await settle(
        chosen.map(({ uuid }) => server.call('agent-uuid_delete', { agent_uuid: uuid })),
      );
      toast(t.fleet.removed(chosen.length));
    },
  };
}
