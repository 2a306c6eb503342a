/** A scenario that cannot be played, or a trace that cannot be read, said in full: which file, what is wrong where. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}
