let turn = 0;
let isCounted = false;

const end = () => {
  turn++;
  isCounted = false;
};

/** Number of this turn of the event loop, for what is bounded in one: a timer of its own for each would cost more than the count. */
export function thisTurn(): number {
  if (!isCounted) {
    isCounted = true;
    setImmediate(end);
  }
  return turn;
}
