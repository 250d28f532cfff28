import { RotateCw, TriangleAlert } from 'lucide';
import { Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useConfigurationWarnings } from '../model.ts';

/** Keys that nothing reads, and what a change leaves for a restart. */
export function ConfigurationNotes() {
  const { warnings } = useConfigurationWarnings();
  const restart = warnings.filter(({ kind }) => kind === 'restart');
  return (
    <>
      {warnings.map(
        ({ kind, message }) =>
          kind === 'unknown' && (
            <div class="note warn" role="status" key={message}>
              <Icon of={TriangleAlert} />
              <span class="grow">{message}</span>
            </div>
          ),
      )}
      {restart.length > 0 && <Waiting changes={restart} />}
    </>
  );
}

interface WaitingProps {
  readonly changes: readonly { readonly key?: string; readonly message: string }[];
}

function Waiting({ changes }: WaitingProps) {
  return (
    <div class="note warn" role="status">
      <Icon of={RotateCw} />
      <div class="grow">
        <strong>{t.server.configuration.restart}</strong>
        <ul>
          {changes.map(({ key, message }) => (
            <li key={message}>{key === undefined ? message : <code>{key}</code>}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
