import { Trash2 } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useMachines, useServer } from '../../../frame/index.ts';
import { Button, Card, Checkbox } from '../../../parts/index.ts';
import { MachinePicker } from '../../../parts/machine-picker.tsx';
import { t } from '../../../strings/index.ts';
import { useScopeNames } from '../model.ts';
import {
  AREAS,
  choiceText,
  type Entry,
  heldOf,
  isGlobal,
  namesIn,
  type Right,
  SCOPES,
  type ScopeTag,
  UUID,
  unlisted,
  withNames,
  withRight,
} from './model.ts';
import { Names } from './names.tsx';
import { LimitText } from './text.tsx';

interface Props {
  readonly entry: Entry;
  /** Number from 1; undefined: it is the only one. */
  readonly number: number | undefined;
  readonly onChange: (entry: Entry) => void;
  readonly onRemove: () => void;
}

/** One rule of a limit, by clicking it together. */
export function EntryEditor({ entry, number, onChange, onRemove }: Props) {
  const { has } = useServer();
  const { scopes, permissions } = entry;
  const setRights = (changed: readonly unknown[]) => onChange({ scopes, permissions: changed });
  return (
    <Card
      title={number === undefined ? t.tokens.onlyEntry : t.tokens.entry(number)}
      actions={
        number !== undefined && (
          <Button
            kind="quiet"
            icon={Trash2}
            label={t.tokens.removeEntry(number)}
            onClick={onRemove}
          />
        )
      }
    >
      <LimitText limit={[entry]} />
      <div class="tokens-builder">
        <fieldset>
          <legend class="group-label">{t.tokens.what}</legend>
          {AREAS.filter(({ plugin }) => plugin === undefined || has(plugin)).map((area) => (
            <Fold
              key={area.id}
              label={t.tokens.areas[area.id]}
              count={area.rights.filter((one) => heldOf(permissions, one)).length}
            >
              {area.rights.map((right) => (
                <RightLine
                  key={`${right.kind} ${right.verb}`}
                  right={right}
                  held={heldOf(permissions, right)}
                  onHeld={(held) => setRights(withRight(permissions, right, held))}
                />
              ))}
            </Fold>
          ))}
          {unlisted(permissions).map((one) => (
            <Checkbox
              key={JSON.stringify(one)}
              label={<code>{JSON.stringify(one)}</code>}
              checked
              onChange={() => setRights(permissions.filter((other) => other !== one))}
            />
          ))}
        </fieldset>
        <Where scopes={scopes} onChange={(changed) => onChange({ scopes: changed, permissions })} />
      </div>
    </Card>
  );
}

interface FoldProps {
  readonly label: string;
  readonly count: number;
  readonly children: ComponentChildren;
}

/** Open at first where something is chosen; later it is the reader's. */
function Fold({ label, count, children }: FoldProps) {
  const [isOpen] = useState(count > 0);
  return (
    <details class="tokens-fold" open={isOpen}>
      <summary>
        <span class="grow">{label}</span>
        {count > 0 && <span class="tag">{count}</span>}
      </summary>
      <div class="tokens-inside">{children}</div>
    </details>
  );
}

interface RightProps {
  readonly right: Right;
  readonly held: readonly string[] | undefined;
  readonly onHeld: (held: readonly string[] | undefined) => void;
}

function RightLine({ right, held, onHeld }: RightProps) {
  const words = t.tokens.rights as { readonly [right: string]: string };
  const label = words[`${right.kind}.${right.verb}`] ?? `${right.kind} ${right.verb}`;
  const { choices, isPattern } = right;
  const first = choices ?? (isPattern ? ['*'] : []);
  return (
    <div>
      <Checkbox
        label={label}
        checked={held !== undefined}
        onChange={(isHeld) => onHeld(isHeld ? first : undefined)}
      />
      {held && choices && (
        <div class="tokens-choices">
          {choices.map((one) => (
            <Checkbox
              key={one}
              label={choiceText(one)}
              checked={held.includes(one)}
              onChange={(isIn) => {
                const now = choices.filter((other) =>
                  other === one ? isIn : held.includes(other),
                );
                onHeld(now.length === 0 ? undefined : now);
              }}
            />
          ))}
        </div>
      )}
      {held && isPattern && (
        <div class="tokens-choices">
          <Names
            label={t.tokens.which(label)}
            hint={t.tokens.whichHint}
            names={held}
            textOf={(one) => (one === '*' ? t.tokens.all : one)}
            // The first name that is written stands in place of "all".
            onChange={(names) => {
              const some = names.length > 1 && names[0] === '*' ? names.slice(1) : names;
              onHeld(some.length === 0 ? undefined : some);
            }}
          />
        </div>
      )}
    </div>
  );
}

interface WhereProps {
  readonly scopes: readonly unknown[];
  readonly onChange: (scopes: readonly unknown[]) => void;
}

function Where({ scopes, onChange }: WhereProps) {
  const { has } = useServer();
  const isAll = scopes.some(isGlobal);
  return (
    <fieldset>
      <legend class="group-label">{t.tokens.where}</legend>
      <Checkbox
        label={t.tokens.everywhereHint}
        checked={isAll}
        onChange={(isIn) => onChange(isIn ? ['global'] : [])}
      />
      {!isAll &&
        SCOPES.filter((scope) => !('plugin' in scope) || has(scope.plugin)).map(({ tag }) => {
          const names = namesIn(scopes, tag);
          const change = (changed: readonly string[]) => onChange(withNames(scopes, tag, changed));
          return (
            <Fold key={tag} label={t.tokens.places[tag]} count={names.length}>
              {tag === 'agent_uuid' ? (
                <Agents names={names} onChange={change} />
              ) : (
                <Stores tag={tag} names={names} onChange={change} />
              )}
            </Fold>
          );
        })}
    </fieldset>
  );
}

interface PlaceProps {
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

function Agents({ names, onChange }: PlaceProps) {
  const { list = [], of } = useMachines();
  const unseen = names.filter((uuid) => !of(uuid));
  return (
    <>
      <MachinePicker
        machines={list}
        chosen={new Set(names)}
        onChange={(chosen) => onChange([...chosen])}
      />
      <Names
        label={t.tokens.byUuid}
        names={unseen}
        check={(uuid) => (UUID.test(uuid) ? undefined : t.tokens.noUuid)}
        onChange={(uuids) =>
          onChange([...names.filter(of), ...uuids.map((one) => one.toLowerCase())])
        }
      />
    </>
  );
}

function Stores({ tag, names, onChange }: PlaceProps & { readonly tag: ScopeTag }) {
  const offered = useScopeNames(tag);
  return (
    <Names
      label={t.tokens.names}
      hint={tag === 'kv_namespace' ? t.tokens.namesExact : t.tokens.namesHint}
      names={names}
      offered={offered}
      onChange={onChange}
    />
  );
}
