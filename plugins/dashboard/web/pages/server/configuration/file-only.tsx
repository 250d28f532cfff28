import { Lock } from 'lucide';
import { Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

/** Keys that the editor does not change, and why. */
export function FileOnly({ keys }: { readonly keys: readonly string[] }) {
  const s = t.server.configuration.fileOnly;
  if (keys.length === 0) return null;
  return (
    <div class="note server-locked">
      <Icon of={Lock} />
      <div class="grow">
        <strong>{s.title}</strong>
        <p>{s.why}</p>
        <ul class="row" aria-label={s.title}>
          {keys.map((key) => (
            <li key={key}>
              <code>{key}</code>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
