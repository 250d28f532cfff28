import { RpcError } from '@svc/client';
import { Lock } from 'lucide';
import { parse } from 'smol-toml';
import { usePoll, useServer } from '../../../frame/index.ts';
import { Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

/** Keys of the file that change on the machine only; none until the server has told. */
export function useFileOnly(text: string): readonly string[] {
  const { call, may } = useServer();
  const isAllowed = may('svc-server_config_warnings') === true;
  const { data } = usePoll(`file only ${isAllowed} ${text}`, async () => {
    if (!isAllowed) return [];
    // A server of an earlier version tells none.
    const told: { readonly file_only?: string[] } = await call('svc-server_config_warnings');
    return told.file_only ?? [];
  });
  return data ?? [];
}

/** Which of these keys have another value in the draft; none where one of the two is no TOML. */
export function changedOf(keys: readonly string[], text: string, draft: string): string[] {
  try {
    const [before, after] = [parse(text), parse(draft)];
    return keys.filter((key) => valueAt(before, key) !== valueAt(after, key));
  } catch {
    // The server says at which line.
    return [];
  }
}

const REFUSED = /^Config not found: (.+): change it in the file on the machine \(/;

/** The failure of a save in this page's words, where the server named keys that change in the file only. */
export const inWords = (error: unknown): unknown => {
  const [, keys] = (error instanceof RpcError && REFUSED.exec(error.message)) || [];
  return keys === undefined ? error : new Error(t.server.configuration.fileOnly.refused(keys));
};

function valueAt(tree: unknown, key: string): string | undefined {
  let value: unknown = tree;
  for (const name of key.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return JSON.stringify(value);
}

/** The keys that the editor beside it does not change, and why. */
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
