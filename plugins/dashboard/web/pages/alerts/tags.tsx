interface Tagged {
  readonly tags?: readonly string[] | null;
}

/** Tags of machines and monitors, the most frequent first. */
export function tagsOf(all: readonly Tagged[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { tags } of all)
    for (const tag of new Set(tags ?? [])) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).map(([tag]) => tag);
}

/** Most that are offered as buttons. */
const MOST = 30;

interface Props {
  readonly label: string;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  /** Words of a name; default: itself. */
  readonly wordsOf?: (name: string) => string;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Names to choose from, each a button. Names that are chosen and no longer there stay. */
export function TagChoice({ label, all, chosen, wordsOf = (name) => name, onChange }: Props) {
  const shown = [...new Set([...chosen, ...all])].slice(0, Math.max(MOST, chosen.length));
  if (shown.length === 0) return null;
  return (
    <fieldset class="field">
      <legend class="group-label">{label}</legend>
      <div class="row wrap alerts-choice">
        {shown.map((one) => {
          const isIn = chosen.includes(one);
          return (
            <button
              type="button"
              class="tag"
              key={one}
              aria-pressed={isIn}
              onClick={() =>
                onChange(isIn ? chosen.filter((other) => other !== one) : [...chosen, one])
              }
            >
              {wordsOf(one)}
            </button>
          );
        })}
      </div>
    </fieldset>
  );
}
