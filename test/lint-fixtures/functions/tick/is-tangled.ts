// expects lint/complexity/noExcessiveCognitiveComplexity
export const tangle = (rows: readonly (readonly number[])[]): number => {
  let sum = 0;
  for (const row of rows) {
    for (const cell of row) {
      if (cell > 0) {
        if (cell % 2 === 0) {
          if (cell > 10) sum += cell;
          else sum -= cell;
        } else if (cell > 5) sum += 1;
      }
    }
  }
  return sum;
};
