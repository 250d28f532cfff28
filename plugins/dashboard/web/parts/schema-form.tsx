import type { ComponentChildren } from 'preact';
import { Checkbox, Field, Select, TextField } from './field.tsx';
import './task-form.css';

/** The part of JSON Schema that methods of a server use. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: { readonly [name: string]: Schema };
  readonly patternProperties?: { readonly [pattern: string]: Schema };
  readonly required?: readonly string[];
}

/** Text that a person reads next to a member; `rows` makes a text of several lines. */
export interface Words {
  readonly label: string;
  readonly hint?: string;
  readonly rows?: number;
  readonly placeholder?: string;
}

interface Props {
  readonly schema: Schema;
  readonly value: unknown;
  /** `undefined`: a member that may be absent is. */
  readonly onChange: (value: unknown) => void;
  /** Dots between the names: `http_request.url`. */
  readonly path: string;
  readonly isRequired?: boolean;
  readonly wordsOf: (path: string, schema: Schema) => Words;
}

/** A form that the schema of a value makes. */
export function SchemaForm(props: Props) {
  const { path, value, onChange, isRequired = true, wordsOf } = props;
  const { schema, isOptional } = withoutNull(props.schema);
  const words = wordsOf(path, schema);
  const mayLack = isOptional || !isRequired;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (schema.properties) return <Members {...props} schema={schema} />;
  if (schema.type === 'array') return <Items schema={schema} {...{ words, value, onChange }} />;
  if (schema.patternProperties) return <Pairs {...{ words, value, onChange }} />;
  if (schema.enum)
    return (
      <Select
        label={words.label}
        {...(words.hint !== undefined && { hint: words.hint })}
        value={text}
        options={schema.enum.map((one) => ({ value: one, label: one }))}
        onChange={onChange}
      />
    );
  if (schema.type === 'boolean')
    return <Checkbox label={words.label} checked={value === true} onChange={onChange} />;
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const change = (given: string) => {
    if (given === '' && mayLack) onChange(undefined);
    else onChange(isNumber && given !== '' ? Number(given) : given);
  };
  if (words.rows)
    return <LongText words={words} value={text} onText={change} isRequired={!mayLack} />;
  return (
    <TextField
      label={words.label}
      hint={words.hint}
      type={isNumber ? 'number' : 'text'}
      value={text}
      required={!mayLack}
      autocomplete="off"
      spellcheck={false}
      {...(words.placeholder !== undefined && { placeholder: words.placeholder })}
      onText={change}
    />
  );
}

function withoutNull(schema: Schema): { readonly schema: Schema; readonly isOptional: boolean } {
  const kept = schema.anyOf?.filter(({ type }) => type !== 'null');
  const [only] = kept ?? [];
  if (!schema.anyOf || kept?.length !== 1 || !only) return { schema, isOptional: false };
  return { schema: only, isOptional: kept.length < schema.anyOf.length };
}

function Members({ schema, value, onChange, path, wordsOf }: Props) {
  const given = (value ?? {}) as { readonly [name: string]: unknown };
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([name, member]) => (
        <SchemaForm
          key={name}
          schema={member}
          value={given[name]}
          path={`${path}.${name}`}
          isRequired={schema.required?.includes(name) === true}
          wordsOf={wordsOf}
          onChange={(changed) => {
            const { [name]: _old, ...others } = given;
            onChange(changed === undefined ? others : { ...given, [name]: changed });
          }}
        />
      ))}
    </>
  );
}

interface PartProps {
  readonly words: Words;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Items({ schema, words, value, onChange }: PartProps & { readonly schema: Schema }) {
  const list = Array.isArray(value) ? (value as string[]) : [];
  const choices = schema.items?.enum;
  if (!choices)
    return (
      <LongText
        words={{ rows: 3, ...words }}
        value={list.join('\n')}
        onText={(text) => onChange(text === '' ? [] : text.split('\n'))}
      />
    );
  return (
    <Group label={words.label} hint={words.hint}>
      {choices.map((one) => (
        <button
          type="button"
          class="tag"
          key={one}
          aria-pressed={list.includes(one)}
          onClick={() => onChange(choices.filter((each) => (each === one) !== list.includes(each)))}
        >
          {one}
        </button>
      ))}
    </Group>
  );
}

/** `Name: value`, one a line. */
function Pairs({ words, value, onChange }: PartProps) {
  const pairs = Object.entries((value ?? {}) as { readonly [name: string]: string });
  return (
    <LongText
      words={{ rows: 2, ...words }}
      value={pairs.map(([name, one]) => (one === '' ? name : `${name}: ${one}`)).join('\n')}
      onText={(text) => {
        const lines = text.split('\n').map((line) => /^([^:]*)(?::\s?(.*))?$/.exec(line));
        const made = lines.map((parts) => [parts?.[1] ?? '', parts?.[2] ?? ''] as const);
        onChange(text === '' ? undefined : Object.fromEntries(made));
      }}
    />
  );
}

interface LongProps {
  readonly words: Words;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly isRequired?: boolean;
}

function LongText({ words, value, onText, isRequired }: LongProps) {
  return (
    <Field label={words.label} hint={words.hint}>
      {(ids) => (
        <textarea
          {...ids}
          class="input mono"
          rows={words.rows}
          spellcheck={false}
          required={isRequired}
          placeholder={words.placeholder}
          value={value}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      )}
    </Field>
  );
}

function Group(props: {
  readonly label: string;
  readonly hint: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <fieldset class="field">
      <legend class="group-label">{props.label}</legend>
      <div class="row wrap">{props.children}</div>
      {props.hint && <div class="hint">{props.hint}</div>}
    </fieldset>
  );
}
