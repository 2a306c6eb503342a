/** The same function, which works out its answer once for each object. It must follow from the object alone. */
export const remembered = <Key extends object, Answer>(answerOf: (key: Key) => Answer): ((key: Key) => Answer) => {
  const known = new WeakMap<Key, { readonly answer: Answer }>();
  return (key) => {
    const found = known.get(key) ?? { answer: answerOf(key) };
    known.set(key, found);
    return found.answer;
  };
};
