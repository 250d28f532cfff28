import { Loaded, navigate, to, useTokenName } from '../../../frame/index.ts';
import { Confirm, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Token, useDependents, useTokenActions } from '../model.ts';

const SHOWN = 5;

interface Props {
  readonly token: Token;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Says what hangs on the token before it goes. */
export function DeleteToken({ token, onClose, onDone }: Props) {
  const { remove } = useTokenActions(token);
  const found = useDependents(token);
  const name = useTokenName()(token);
  const kinds = t.tokens.dependents as { readonly [kind: string]: string };
  return (
    <Confirm
      title={t.tokens.deleteTitle(name)}
      action={t.tokens.delete}
      onClose={onClose}
      onConfirm={async () => {
        await remove();
        toast(t.tokens.deleted(name));
        onDone();
        navigate(to('tokens'));
      }}
    >
      <p>{t.tokens.deleteText}</p>
      <Loaded of={found} what={t.tokens.unreadableDependents}>
        {({ dependents }) => {
          const some = dependents.filter(({ names }) => names.length > 0);
          if (some.length === 0) return <p>{t.tokens.nothingHangs}</p>;
          return (
            <>
              <p>{t.tokens.hangs}</p>
              <ul class="tokens-hang">
                {some.map(({ kind, names }) => (
                  <li key={kind}>
                    {t.tokens.hangsLine(
                      kinds[kind] ?? kind,
                      names.slice(0, SHOWN).join(t.tokens.comma),
                      Math.max(0, names.length - SHOWN),
                    )}
                  </li>
                ))}
              </ul>
              <p class="hint">{t.tokens.hangsHint}</p>
            </>
          );
        }}
      </Loaded>
    </Confirm>
  );
}
