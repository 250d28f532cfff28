/** Tags as people write them, with commas between. */
export const tagsIn = (text: string): string[] =>
  text.split(/[,，]/).flatMap((tag) => tag.trim() || []);
