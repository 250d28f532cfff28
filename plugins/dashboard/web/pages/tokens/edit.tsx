import { Save } from 'lucide';
import { useState } from 'preact/hooks';
import { navigate, to, useTokenName } from '../../frame/index.ts';
import { Button, ErrorNote, Form } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { LimitEditor } from './limit/editor.tsx';
import type { Limit } from './limit/model.ts';
import { type Token, useLimitEdit } from './model.ts';

interface Props {
  readonly token: Token;
  readonly onSaved: () => void;
}

/** Another limit for a token. */
export function EditLimit({ token, onSaved }: Props) {
  const tokenName = useTokenName();
  const [limit, setLimit] = useState<Limit | undefined>(token.token_limit);
  const back = () => navigate(to('tokens', token.token_key));
  const { run, error, isBusy } = useLimitEdit(token, () => {
    onSaved();
    back();
  });
  return (
    <Form class="page tokens-form" onSubmit={() => limit && !isBusy && run(limit)}>
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
    </Form>
  );
}
