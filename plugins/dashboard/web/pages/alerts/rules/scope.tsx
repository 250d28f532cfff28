import { useState } from 'preact/hooks';
import { type Machine, useMachines } from '../../../frame/index.ts';
import { Card, TextField } from '../../../parts/index.ts';
import { MachinePicker } from '../../../parts/machine-picker.tsx';
import { t } from '../../../strings/index.ts';
import { Choice } from '../choice.tsx';
import type { Scope } from '../model.ts';
import { TagChoice, tagsOf } from '../tags.tsx';
import type { CardProps } from './condition-card.tsx';
import { hitsOf } from './hits.ts';
import { MonitorScope } from './monitor-scope.tsx';
import { namedText, readNamed } from './named.ts';
import { subjectsOf } from './subjects.ts';

const WAYS = ['all', 'names', 'tags', 'agents'] as const;
type Way = (typeof WAYS)[number];

const wayOf = (scope: Scope): Way =>
  scope.agents && scope.agents.length > 0 ? 'agents' : scope.tags ? 'tags' : 'all';

/** Machines or monitors that a rule is about. */
export function ScopeCard(props: CardProps) {
  const subjects = subjectsOf(props.draft.source);
  if (subjects === 'server') return null;
  return subjects === 'monitors' ? <MonitorScope {...props} /> : <MachineScope {...props} />;
}

function MachineScope({ draft, onChange }: CardProps) {
  const { list = [] } = useMachines();
  const [chosen, setChosen] = useState<Way>(() => wayOf(draft.scope));
  const { scope } = draft;
  const named = readNamed(draft.condition);
  const tags = tagsOf(list);
  const way = chosen === 'all' && named.prefix !== '' ? 'names' : chosen;
  const choose = (next: Way) => {
    setChosen(next);
    onChange({
      scope: next === 'tags' ? { tags: [] } : next === 'agents' ? { agents: [] } : { all: true },
      // All, and those that are chosen one by one, are not narrowed by a name.
      ...((next === 'all' || next === 'agents') && { condition: named.condition }),
    });
  };
  return (
    <Card class="stack" title={t.alerts.scope}>
      <Choice words={WAYS} chosen={way} labels={t.alerts.ways} onChoose={choose} />
      {way === 'tags' && tags.length === 0 && <p class="hint">{t.alerts.noTags}</p>}
      {way === 'tags' && (
        <TagChoice
          label={t.alerts.whichTags}
          all={tags}
          chosen={scope.tags ?? []}
          onChange={(tags) => onChange({ scope: { tags: [...tags] } })}
        />
      )}
      {way === 'agents' && (
        <MachinePicker
          machines={list}
          chosen={new Set(scope.agents ?? [])}
          onChange={(chosen) => onChange({ scope: { agents: [...chosen] } })}
        />
      )}
      {(way !== 'agents' || named.prefix !== '') && (
        <TextField
          label={t.alerts.namePrefix}
          hint={t.alerts.namePrefixHint}
          value={named.prefix}
          autocomplete="off"
          spellcheck={false}
          onText={(prefix) => onChange({ condition: namedText({ ...named, prefix }) })}
        />
      )}
      {way !== 'agents' && <Hits hits={hitsOf(scope, list, named.prefix)} />}
    </Card>
  );
}

const MOST = 12;

function Hits({ hits }: { readonly hits: readonly Machine[] }) {
  const names = hits.slice(0, MOST).map(({ name }) => name);
  return (
    <p class="hint" aria-live="polite">
      {t.alerts.hits(hits.length)}
      {names.length > 0 && `: ${names.join(', ')}`}
      {hits.length > MOST && ` ${t.alerts.andMore(hits.length - MOST)}`}
    </p>
  );
}
