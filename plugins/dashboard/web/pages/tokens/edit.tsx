import { Save } from 'lucide';
import { useState } from 'preact/hooks';
import { go, to, useServer, useTokenName } from '../../frame/index.ts';
import { Button, ErrorNote, toast, useWork } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { LimitEditor, written } from './limit/editor.tsx';
import type { Limit, Token } from './limit/model.ts';

interface Props {
  readonly token: Token;
  readonly onSaved: () => void;
}

/** Another limit for a token; the server changes nothing else of it. */
export function EditLimit({ token, onSaved }: Props) {
  const { call } = useServer();
  const tokenName = useTokenName();
  const [limit, setLimit] = useState<Limit | undefined>(token.token_limit);
  const back = () => go(to('tokens', token.token_key));
  const { run, error, isBusy } = useWork(async () => {
    const params = { target_token: token.token_key, limit: [...written(limit ?? [])] };
    await call('token_edit', params);
    toast(t.tokens.saved);
    onSaved();
    back();
  });
  return (
    <form
      class="page tokens-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (limit && !isBusy) void run();
      }}
    >
      <h1>{t.tokens.editTitle(tokenName(token))}</h1>
      <p class="hint">{t.tokens.editHint}</p>
      <LimitEditor limit={token.token_limit} onChange={setLimit} />
      {error !== undefined && <ErrorNote what={t.tokens.notSaved} error={error} />}
      <div class="row">
        <Button kind="primary" type="submit" icon={Save} disabled={!limit} busy={isBusy}>
          {t.tokens.save}
        </Button>
        <Button onClick={back}>{t.parts.cancel}</Button>
      </div>
    </form>
  );
}
