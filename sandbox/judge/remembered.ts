/** The same function, which works out its answer once for each object. It must follow from the object alone. */
export const remembered = <Key extends object, Answer>(answerOf: (key: Key) => Answer): ((key: Key) => Answer) => {
  const known = new WeakMap<Key, { readonly answer: Answer }>();
  return (key) => {
    const found = known.get(key) ?? { answer: answerOf(key) };
    known.set(key, found);
    return found.answer;
  };
};

/** The same for an object and a moment. */
export const rememberedAt = <Key extends object, Answer>(answerOf: (key: Key, atMs: number) => Answer): ((key: Key, atMs: number) => Answer) => {
  const answersOf = remembered((_: Key) => new Map<number, { readonly answer: Answer }>());
  return (key, atMs) => {
    const answers = answersOf(key);
    const found = answers.get(atMs) ?? { answer: answerOf(key, atMs) };
    answers.set(atMs, found);
    return found.answer;
  };
};
