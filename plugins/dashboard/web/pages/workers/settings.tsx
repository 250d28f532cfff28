import { TextArea, TextField } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { type Draft, limits, mistake } from './draft.ts';

interface Props {
  readonly draft: Draft;
  readonly isReadOnly: boolean;
  readonly onDraft: (draft: Draft) => void;
}

/** Everything of a worker but its script; saved together with it. */
export function Settings({ draft, isReadOnly, onDraft }: Props) {
  const labels = {
    max_run_time: [t.workers.maxRun, '30000'],
    max_heap_size: [t.workers.maxHeap, '8388608'],
    max_stack_size: [t.workers.maxStack, '1048576'],
    runtime_clean_time: [t.workers.cleanTime, t.workers.never],
  } as const;
  return (
    <div class="workers-tab stack">
      <TextField
        label={t.workers.description}
        value={draft.description}
        disabled={isReadOnly}
        onText={(description) => onDraft({ ...draft, description })}
      />
      <TextField
        label={t.workers.route}
        value={draft.route}
        disabled={isReadOnly}
        hint={t.workers.routeHint}
        error={mistake('route', draft.route)}
        mono
        autocomplete="off"
        spellcheck={false}
        onText={(route) => onDraft({ ...draft, route })}
      />
      <TextArea
        label={t.workers.env}
        hint={t.workers.envHint}
        error={mistake('env', draft.env)}
        rows={5}
        disabled={isReadOnly}
        placeholder="{}"
        value={draft.env}
        onText={(env) => onDraft({ ...draft, env })}
        mono
      />
      {limits.map((limit) => (
        <TextField
          key={limit}
          label={labels[limit][0]}
          value={draft[limit]}
          disabled={isReadOnly}
          hint={t.workers.standard(labels[limit][1])}
          error={mistake(limit, draft[limit])}
          mono
          autocomplete="off"
          onText={(text) => onDraft({ ...draft, [limit]: text })}
        />
      ))}
    </div>
  );
}
