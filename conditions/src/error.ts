/** Failure of an evaluation that only the values show: a member that an answer lacks, an index beyond a list. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}
