/** The same function, which works out its answer once for each object. It must follow from the object alone. */
export const remembered = <Key extends object, Answer>(answerOf: (key: Key) => Answer): ((key: Key) => Answer) => {
  const known = new WeakMap<Key, { readonly answer: Answer }>();
  return (key) => {
    const found = known.get(key) ?? { answer: answerOf(key) };
    known.set(key, found);
    return found.answer;
  };
};

/** The same for an object and something in it: a moment, or a group. */
export const rememberedBy = <Key extends object, Name, Answer>(answerOf: (key: Key, name: Name) => Answer): ((key: Key, name: Name) => Answer) => {
  const answersOf = remembered((_: Key) => new Map<Name, { readonly answer: Answer }>());
  return (key, name) => {
    const answers = answersOf(key);
    const found = answers.get(name) ?? { answer: answerOf(key, name) };
    answers.set(name, found);
    return found.answer;
  };
};
