/** What a server or an agent puts before a failure that is of no other kind: it says nothing to a reader. */
const NOTHING = /^(?:Other error: )+/;

/** A failure's text for people: without words that say nothing. */
export const plain = (text: string): string => text.replace(NOTHING, '');
