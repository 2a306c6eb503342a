/** A scenario that cannot be played, or a trace that cannot be read. The message names the file, the place and the fault. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}
