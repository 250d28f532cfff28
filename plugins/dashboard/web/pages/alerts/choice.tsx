interface ChoiceProps<Word extends string> {
  readonly words: readonly Word[];
  readonly chosen: Word;
  readonly labels: { readonly [word in Word]: string };
  readonly onChoose: (word: Word) => void;
}

/** Row of buttons of which one is pressed. */
export function Choice<Word extends string>({
  words,
  chosen,
  labels,
  onChoose,
}: ChoiceProps<Word>) {
  return (
    <div class="row wrap">
      {words.map((word) => (
        <button
          type="button"
          class="button"
          key={word}
          aria-pressed={word === chosen}
          onClick={() => onChoose(word)}
        >
          {labels[word]}
        </button>
      ))}
    </div>
  );
}
