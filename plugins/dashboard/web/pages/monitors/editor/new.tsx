import { useEffect, useRef } from 'preact/hooks';
import { Loaded, to, useCrumbs, usePoll, useServer } from '../../../frame/index.ts';
import { Card } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isChecked, type KindForm, useKinds } from '../model.ts';
import { type Draft, draftOf, lacking, useDraft } from './draft.ts';
import { MonitorForm } from './form.tsx';
import { faultOf } from './guess.ts';
import { LeaveByEscape } from './leave.tsx';

/** A new monitor, from nothing or as a copy of another one. */
export function NewPage({ from }: { readonly from: string | undefined }) {
  const { call } = useServer();
  const source = usePoll(`copy of ${from ?? ''}`, async () =>
    from === undefined ? null : call('monitor_get', { name: from }),
  );
  useCrumbs({ label: t.monitors.add });
  return (
    <div class="page monitors monitors-editor">
      <header class="page-head">
        <h1>{t.monitors.add}</h1>
      </header>
      <Loaded of={source} what={t.monitors.unreadable}>
        {(monitor) => (
          <NewForm
            back={from === undefined ? to('monitors') : to('monitors', from)}
            {...(monitor && { start: draftOf(monitor, true) })}
          />
        )}
      </Loaded>
    </div>
  );
}

interface Props {
  readonly start?: Draft;
  /** Address to which Cancel leads; undefined: there is no monitor yet, and nothing but this form. */
  readonly back?: string;
}

/** One field for what should be watched; the rest follows once something stands in it. */
export function NewForm({ start, back }: Props) {
  const kinds = useKinds();
  return (
    <Loaded of={kinds} what={t.monitors.unreadable}>
      {(forms) => <Fields forms={forms} start={start} back={back} />}
    </Loaded>
  );
}

interface FieldsProps {
  readonly forms: readonly KindForm[];
  readonly start: Draft | undefined;
  readonly back: string | undefined;
}

function Fields({ forms, start, back }: FieldsProps) {
  const work = useDraft(undefined, start);
  const { draft, type, choose, trying } = work;
  const form = forms.find(({ kind }) => kind === draft.kind);
  const enter = () => {
    if (draft.target.trim() === '' || lacking(draft, form).length > 0) return;
    if (!trying.isBusy) void trying.run();
  };
  const isOpen = draft.target.trim() !== '' || draft.isChosen;
  return (
    <Card>
      {back !== undefined && <LeaveByEscape to={back} isChanged={work.isChanged} />}
      <div class="stack">
        {start === undefined && !(draft.isChosen && !isChecked(draft.kind)) && (
          <OneField
            value={draft.target}
            fault={faultText(draft)}
            isFirst={back === undefined}
            onText={type}
            onEnter={enter}
          />
        )}
        <div class="row wrap" role="group" aria-label={t.monitors.kind}>
          {forms.map(({ kind, summary }) => (
            <button
              type="button"
              class="tag monitors-chip"
              key={kind}
              title={summary}
              aria-pressed={isOpen && draft.kind === kind}
              onClick={() => choose(kind)}
            >
              {t.monitors.kinds[kind]}
            </button>
          ))}
        </div>
        {isOpen && <MonitorForm work={work} form={form} monitor={undefined} back={back} />}
      </div>
    </Card>
  );
}

function faultText({ target, isChosen, kind }: Draft): string | undefined {
  const found = faultOf(target, isChosen ? kind : undefined);
  return found && t.monitors.misread[found.fault](found.part);
}

interface OneProps {
  readonly value: string;
  /** What is wrong with the text. */
  readonly fault: string | undefined;
  readonly isFirst: boolean;
  readonly onText: (text: string) => void;
  readonly onEnter: () => void;
}

function OneField({ value, fault, isFirst, onText, onEnter }: OneProps) {
  const input = useRef<HTMLInputElement>(null);
  // Browsers heed the attribute in dialogs and at the load of a page alone.
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  return (
    <label class="field monitors-one">
      <span>{t.monitors.what}</span>
      <input
        ref={input}
        class="input"
        autocomplete="off"
        spellcheck={false}
        placeholder={t.monitors.whatExample}
        value={value}
        aria-invalid={fault !== undefined}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && !event.isComposing && onEnter()}
      />
      {fault !== undefined && <span class="hint bad">{fault}</span>}
      {isFirst && fault === undefined && <span class="hint">{t.monitors.whatHint}</span>}
    </label>
  );
}
