/** Kinds of failures that a server or an agent puts before the sentence: they say nothing to a reader. */
const NOTHING = /^(?:(?:Other error|Invalid input): )+/;

/** A failure's text for people: without words that say nothing. */
export const plain = (text: string): string => text.replace(NOTHING, '');
